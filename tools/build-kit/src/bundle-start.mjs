#!/usr/bin/env node
/**
 * Bundles the compiled product for `npm start` into `tools/dev-stack/dist/start/`: `main.js`, `isolated.js` for the process of the
 * embedded database, and a file for each kind of thread. Some 1,900 modules become a dozen files, since resolving and opening modules takes most of
 * the time of a start. Servers run the unbundled files.
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

/** Packages that look for files beside their own. */
const NOT_BUNDLED = new Set(['lmdb', '@fastify/swagger-ui', '@maildev/ui/server'])

const atTheirPlace = {
  name: 'at-their-place',
  async resolveId(name, importer) {
    if (!NOT_BUNDLED.has(name)) return null
    const { id } = await this.resolve(name, importer, { skipSelf: true })
    return { id: pathToFileURL(id).href, external: true }
  },
}

/**
 * The inbox loads jsdom, a third of all modules, to clean HTML in mails: here with the first mail that it cleans.
 * Its import of jsdom is for DOMPurify only.
 */
const jsdomWhenUsed = {
  name: 'jsdom-when-used',
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

const bundle = await rolldown({
  input: {
    main: join(ROOT, 'tools/dev-stack/dist/main.js'),
    isolated: join(ROOT, 'packages/embedded-mongo/dist/isolated.js'),
    'canon-thread': join(ROOT, 'services/workers/dist/canon/canon-thread.js'),
    'coordination-thread': join(ROOT, 'services/sightings/dist/coordination/thread/coordination-thread.js'),
  },
  platform: 'node',
  plugins: [atTheirPlace, jsdomWhenUsed],
  logLevel: 'silent',
})
mkdirSync(OUT, { recursive: true })
const made = mkdtempSync(join(OUT, 'unfinished-'))
await bundle.write({
  dir: made,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // CommonJS packages that mention `require` other than to call it.
  banner: `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`,
  // Errors are told apart by their names.
  keepNames: true,
})
await bundle.close()
// Entries last: what they import must be there.
const entries = ['isolated.js', 'canon-thread.js', 'coordination-thread.js', 'main.js']
const files = readdirSync(made)
const chunks = files.filter(file => !entries.includes(file))
// An unchanged file keeps its times: the next build would take it for changed.
for (const file of [...chunks, ...entries])
  if (!hasSameContent(join(made, file), join(OUT, file))) renameSync(join(made, file), join(OUT, file))
for (const file of readdirSync(OUT))
  if (
    !files.includes(file) &&
    statSync(join(OUT, file), { throwIfNoEntry: false })?.mtimeMs < Date.now() - KEEP_OLD_FILES_MS
  )
    rmSync(join(OUT, file), { recursive: true, force: true })
rmSync(made, { recursive: true })
