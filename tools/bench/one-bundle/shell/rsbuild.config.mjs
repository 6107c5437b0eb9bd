import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineShell } from '@iodine/build-kit'
import { rspack } from '@rsbuild/core'

/**
 * The baseline of first-load: the same app without federation. Uses the sources and settings of the shell, with its
 * remotes bundled as lazy routes.
 */
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const SECTIONS = ['data', 'iods', 'narratives', 'campaigns', 'graph', 'community']

const file = path => JSON.stringify(join(ROOT, path))
const remotes = `
const sections = {
  ${SECTIONS.map(name => `mfe_${name}: () => import(${file(`mfe-${name}/src/parcel.tsx`)}),`).join('\n')}
}
export const remotes = { load: async name => (await sections[name]()).parcel }
export const preloadShared = () => {
  import(${file('packages/ui/src/overlays/index.ts')})
}
export const preloadSection = name => {
  sections[name]()
  preloadShared()
}`

const shell = defineShell(join(ROOT, 'shell'))

export default {
  ...shell,
  source: { entry: { index: join(ROOT, 'shell/src/index.tsx') } },
  html: { template: join(ROOT, 'shell/src/index.html') },
  server: { publicDir: { name: join(ROOT, 'shell/public') } },
  plugins: shell.plugins.filter(plugin => !plugin.name.includes('module-federation')),
  tools: {
    ...shell.tools,
    rspack: [
      shell.tools.rspack,
      {
        plugins: [
          new rspack.NormalModuleReplacementPlugin(
            /\/remotes\/remotes$/,
            `data:text/javascript,${encodeURIComponent(remotes)}`,
          ),
        ],
      },
    ],
  },
}
