import { join } from 'node:path'
import { defineConfig } from '@rsbuild/core'
import { pluginReact } from '@rsbuild/plugin-react'
import { packExtension } from './build/pack.mjs'

const files = join(import.meta.dirname, 'dist/files')

/** Bundles a background or content script into a single file, as browsers require. */
const script = (name, path, target) => ({
  source: { entry: { [name]: path } },
  output: { target },
  performance: { chunkSplit: { strategy: 'all-in-one' } },
  tools: { htmlPlugin: false },
})

export default defineConfig({
  mode: 'production',
  logLevel: 'warn',
  resolve: { conditionNames: ['source', '...'] },
  performance: { printFileSize: false },
  output: {
    distPath: { root: files, js: '', css: '' },
    filename: { js: '[name].js', css: '[name].css' },
    filenameHash: false,
    assetPrefix: './',
    legalComments: 'none',
    sourceMap: false,
    polyfill: 'off',
    overrideBrowserslist: ['chrome >= 122', 'firefox >= 140'],
  },
  tools: { rspack: { resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } } } },
  environments: {
    pages: {
      plugins: [pluginReact()],
      source: {
        entry: { popup: './src/popup.tsx', options: './src/options.tsx', privacy: './src/privacy.tsx' },
      },
      html: { template: './src/pages/page.html', title: '' },
      output: { copy: [{ from: './public' }] },
    },
    background: script('background', './src/background.ts', 'web-worker'),
    content: script('content', './src/content.ts', 'web'),
    lists: script('page-lists', './src/page-lists.ts', 'web'),
  },
  plugins: [
    {
      name: 'pack-extension',
      setup: api => api.onAfterBuild(() => packExtension(files, join(import.meta.dirname, 'dist'))),
    },
  ],
})
