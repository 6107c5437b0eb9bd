#!/usr/bin/env node
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { createRsbuild, loadConfig, mergeRsbuildConfig } from '@rsbuild/core'
import { parse } from 'yaml'
import { inputsOf } from './inputs.mjs'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const STAMP = '.inputs'
const EXTENSION = 'extension'
const KEEP_OLD_FILES_MS = 24 * 3_600_000
const COMPRESSIBLE = new Set(['.js', '.css', '.html', '.json', '.svg'])

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Builds the shell, the remotes and the extension into their `dist/`, each only when one of its inputs (own sources,
 * workspace packages and installed packages that it depends on) has changed since its last build, and writes .br and .gz beside each asset.
 * @param {{ root?: string, apps?: string[], force?: boolean, concurrency?: number, report?: (line: string) => void }} [options]
 * @returns {Promise<{ built: string[], skipped: string[] }>} rejects with the first build failure
 */
export async function buildApps(options = {}) {
  const { root = ROOT, force = false, report = () => {} } = options
  const apps = options.apps ?? (await listApps(root))
  const lock = parse(await readFile(join(root, 'pnpm-lock.yaml'), 'utf8'))
  const queue = [...apps]
  const built = []
  const skipped = []

  const work = async () => {
    for (let app = queue.shift(); app; app = queue.shift()) {
      const stampFile = join(root, app, 'dist', STAMP)
      const { folders, packages } = inputsOf(lock, app)
      const stamp = await hashFolders(root, folders, packages.join('\n'))
      if (!force && (await readFile(stampFile, 'utf8').catch(() => '')) === stamp) {
        skipped.push(app)
        continue
      }
      const started = performance.now()
      await rm(stampFile, { force: true })
      await buildApp(join(root, app))
      // The extension is served as the zip that its own build makes.
      if (app !== EXTENSION) await compressFolder(join(root, app, 'dist'))
      await writeFile(stampFile, stamp)
      built.push(app)
      report(`built ${app} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    }
  }
  const workers = Math.min(options.concurrency ?? 2, availableParallelism() + 1, apps.length)
  await Promise.all(Array.from({ length: workers }, work))
  return { built, skipped }
}

async function listApps(root) {
  const entries = await readdir(root, { withFileTypes: true })
  return entries
    .filter(
      entry =>
        entry.isDirectory() && ([EXTENSION, 'shell'].includes(entry.name) || entry.name.startsWith('mfe-')),
    )
    .map(entry => entry.name)
    .sort()
    .reverse()
}

/** Builds one app into an empty folder, compressed files included: the same sources make the same files. */
export async function buildInto(cwd, folder) {
  await rsbuild(cwd, { output: { distPath: { root: folder } } })
  await compressFolder(folder)
}

async function buildApp(cwd) {
  const emitted = await rsbuild(cwd)
  if (basename(cwd) !== EXTENSION) await pruneFolder(join(cwd, 'dist'), new Set(emitted))
}

/** Builds by the app's own configuration; resolves to the names of the files made. */
async function rsbuild(cwd, changes = {}) {
  const { content } = await loadConfig({ cwd, command: 'build' })
  const builder = await createRsbuild({ cwd, config: mergeRsbuildConfig(content, changes) })
  const { stats, close } = await builder.build()
  const emitted = stats?.toJson({ all: false, assets: true }).assets?.map(asset => asset.name) ?? []
  await close()
  return emitted
}

/** Removes what earlier builds left, once no page that is still open can ask for it. */
async function pruneFolder(folder, emitted) {
  const tooOld = Date.now() - KEEP_OLD_FILES_MS
  for (const file of await listFiles(folder)) {
    const name = relative(folder, file).replace(/\.(br|gz)$/, '')
    if (!emitted.has(name) && (await stat(file)).mtimeMs < tooOld) await rm(file)
  }
}

/** Hash over path and content of every source file in `folders` (built and installed files apart). */
async function hashFolders(root, folders, seed) {
  const hash = createHash('sha256').update(seed)
  const paths = []
  for (const folder of folders)
    paths.push(...(await listFiles(join(root, folder))).map(file => relative(root, file)))
  for (const path of paths.sort()) hash.update(`${path}\0`).update(await readFile(join(root, path)))
  return hash.digest('hex')
}

const NOT_AN_INPUT = new Set(['node_modules', 'dist', 'test', '.tsbuild'])

async function listFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = entries.map(entry => {
    if (NOT_AN_INPUT.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? listFiles(path) : [path]
  })
  return (await Promise.all(nested)).flat()
}

// Blueprint's whole icon sets are the largest files by far, and no page asks for them.
const brotliQuality = file => (/icons-\d+px-paths/.test(file) ? 5 : 11)

async function compressFolder(folder) {
  const files = (await listFiles(folder)).filter(file => COMPRESSIBLE.has(extname(file)))
  await Promise.all(
    files.map(async file => {
      const content = await readFile(file)
      if (content.length < 1024 || (await isNewer(`${file}.gz`, file))) return
      const [br, gz] = await Promise.all([
        brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality(file) } }),
        gzipped(content, { level: 7 }),
      ])
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
    }),
  )
}

async function isNewer(file, than) {
  const [a, b] = await Promise.all([stat(file).catch(() => null), stat(than)])
  return a !== null && a.mtimeMs >= b.mtimeMs
}

const isMain = process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href
if (isMain) {
  const args = process.argv.slice(2)
  const apps = args.filter(arg => !arg.startsWith('-'))
  const print = line => process.stdout.write(`${line}\n`)
  buildApps({
    force: args.includes('--force'),
    apps: apps.length > 0 ? apps : undefined,
    report: print,
  }).then(
    ({ built, skipped }) => print(`apps: ${built.length} built, ${skipped.length} unchanged`),
    error => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      process.exitCode = 1
    },
  )
}
