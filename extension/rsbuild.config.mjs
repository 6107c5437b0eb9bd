import { join } from 'node:path'
import { defineConfig } from '@rsbuild/core'
import { pluginReact } from '@rsbuild/plugin-react'
import { TARGETS } from './build/manifest.mjs'
import { packExtension } from './build/pack.mjs'

const files = join(import.meta.dirname, 'dist/files')

/** Bundles a background or content script into a single file, as browsers require. */
const script = (name, path, target) => ({
  source: { entry: { [name]: path } },
  output: { target },
  performance: { chunkSplit: { strategy: 'all-in-one' } },
  tools: { htmlPlugin: false },
})

/** Content scripts differ by browser: `content.js` of each is in a folder of its own. */
const contentOf = target => ({
  ...script('content', './src/content.ts', 'web'),
  source: { entry: { content: './src/content.ts' }, define: { BROWSER: JSON.stringify(target) } },
  output: { target: 'web', distPath: { root: join(files, target), js: '', css: '' } },
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
    overrideBrowserslist: ['chrome >= 122', 'firefox >= 142'],
  },
  tools: {
    rspack: {
      resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
      // The stores reject code that can evaluate or insert texts, even if it never runs.
      module: {
        rules: [
          {
            test: /zod\/v4\/core\/(util|doc)\.js$|react-dom-client\.production\.js$/,
            loader: join(import.meta.dirname, 'build/without-evaluation.cjs'),
          },
        ],
      },
    },
  },
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
    ...Object.fromEntries(TARGETS.map(target => [`content-${target}`, contentOf(target)])),
    lists: script('page-lists', './src/page-lists.ts', 'web'),
  },
  plugins: [
    {
      name: 'pack-extension',
      setup: api => api.onAfterBuild(() => packExtension(files, join(import.meta.dirname, 'dist'))),
    },
  ],
})
