#!/usr/bin/env node
/**
 * Bundles the compiled product for `npm start` into `tools/dev-stack/dist/start/`: `main.js`, `isolated.js` for the
 * process of the embedded database, and a file for each kind of thread. Some 1,900 modules become a dozen files, since
 * resolving and opening modules takes most of the time of a start. Servers run the unbundled files.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const OUT = join(ROOT, 'tools/dev-stack/dist/start')
/** A running product may still load files of the bundle that it was started from. */
const KEEP_OLD_FILES_MS = 24 * 3_600_000

/** Packages that load files of their own folder. */
const NOT_BUNDLED = new Set(['lmdb', '@fastify/swagger-ui', '@maildev/ui/server'])

const keepExternal = {
  name: 'keep-external',
  async resolveId(name, importer) {
    if (!NOT_BUNDLED.has(name)) return null
    const { id } = await this.resolve(name, importer, { skipSelf: true })
    return { id: pathToFileURL(id).href, external: true }
  },
}

/**
 * Loads jsdom, a third of all modules, with the first mail whose HTML the inbox sanitizes. The inbox imports jsdom only
 * for DOMPurify.
 */
const lazyJsdom = {
  name: 'lazy-jsdom',
  resolveId: (name, importer) =>
    /^(dompurify|jsdom)$/.test(name) && importer?.endsWith('sanitize.js') ? `\0${name}|${importer}` : null,
  load(id) {
    const [, name, importer] = /^\0(dompurify|jsdom)\|(.*)$/.exec(id) ?? []
    if (name === 'jsdom') return 'export class JSDOM {}'
    if (name === 'dompurify')
      return `import { createRequire } from 'node:module'
const require = createRequire(${JSON.stringify(importer)})
let purifier
export default () => ({
  sanitize(html, options) {
    purifier ??= require('dompurify')(new (require('jsdom').JSDOM)('').window)
    return purifier.sanitize(html, options)
  },
})`
    return null
  },
}

const hasSameContent = (file, other) => existsSync(other) && readFileSync(file).equals(readFileSync(other))

/** Compiled entry files by name. `main` is the last: its chunks and the files that it starts must exist. */
const ENTRIES = {
  isolated: 'packages/embedded-mongo/dist/isolated.js',
  'canon-thread': 'services/workers/dist/canon/canon-thread.js',
  'coordination-thread': 'services/sightings/dist/coordination/thread/coordination-thread.js',
  'propose-thread': 'services/campaigns/dist/techniques/thread/propose-thread.js',
  'render-thread': 'services/campaigns/dist/reports/thread/render-thread.js',
  main: 'tools/dev-stack/dist/main.js',
}

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(ROOT, file)])),
  platform: 'node',
  plugins: [keepExternal, lazyJsdom],
  logLevel: 'silent',
})
mkdirSync(OUT, { recursive: true })
const staging = mkdtempSync(join(OUT, 'unfinished-'))
await bundle.write({
  dir: staging,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // For CommonJS packages that reference `require` without a call.
  banner: `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`,
  // Errors are distinguished by their names.
  keepNames: true,
})
await bundle.close()
const entries = Object.keys(ENTRIES).map(name => `${name}.js`)
const files = readdirSync(staging)
const chunks = files.filter(file => !entries.includes(file))
// Unchanged files keep their times, so that the next build does not take them for changed.
for (const file of [...chunks, ...entries])
  if (!hasSameContent(join(staging, file), join(OUT, file))) renameSync(join(staging, file), join(OUT, file))
for (const file of readdirSync(OUT))
  if (
    !files.includes(file) &&
    statSync(join(OUT, file), { throwIfNoEntry: false })?.mtimeMs < Date.now() - KEEP_OLD_FILES_MS
  )
    rmSync(join(OUT, file), { recursive: true, force: true })
rmSync(staging, { recursive: true })
