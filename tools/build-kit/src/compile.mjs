#!/usr/bin/env node
/**
 * Compiles the Node packages: removes the types of `src/**` and writes `dist/**` with source maps. Checks no types (`npm run
 * types` does). Writes changed files only, and removes files of deleted sources.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const UNFINISHED = join(ROOT, 'node_modules/.cache/iodine')
/** Output of other steps in `dist/`. */
const OTHER_OUTPUT = /^start\//

const filesIn = folder =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    : []

/** Replaces a file in one step, since another process may read it, unless it has this text. */
function writeChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  for (const folder of [dirname(path), UNFINISHED]) mkdirSync(folder, { recursive: true })
  const unfinished = join(UNFINISHED, randomUUID())
  writeFileSync(unfinished, text)
  renameSync(unfinished, path)
}

function compilePackage(folder) {
  const sources = filesIn(join(folder, 'src')).filter(name => /(?<!\.d)\.ts$/.test(name))
  const written = new Set()
  for (const name of sources) {
    const source = join(folder, 'src', name)
    const { code, map, errors } = transformSync(source, readFileSync(source, 'utf8'), {
      sourcemap: true,
      target: 'es2023',
      typescript: { onlyRemoveTypeImports: true },
    })
    if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join(' ')}`)
    const output = name.replace(/ts$/, 'js')
    const path = join(folder, 'dist', output)
    const sourceFromOutput = join('../'.repeat(output.split('/').length), 'src', name)
    writeChanged(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`)
    writeChanged(
      `${path}.map`,
      JSON.stringify({ ...map, sources: [sourceFromOutput], sourcesContent: undefined }),
    )
    written.add(output).add(`${output}.map`)
  }
  for (const name of filesIn(join(folder, 'dist')))
    if (!written.has(name) && !OTHER_OUTPUT.test(name)) rmSync(join(folder, 'dist', name), { force: true })
}

const runsInBrowser = folder =>
  'react' in (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies ?? {})

/**
 * Compiles all packages that run in Node.
 * @throws Error for a file that does not parse
 */
export function compile(root = ROOT) {
  const folders = ['packages', 'services', 'tools'].flatMap(parent =>
    readdirSync(join(root, parent)).map(name => join(root, parent, name)),
  )
  for (const folder of [...folders, join(root, 'gateway')])
    if (existsSync(join(folder, 'package.json')) && !runsInBrowser(folder)) compilePackage(folder)
}

if (fileURLToPath(import.meta.url) === process.argv[1]) compile()
