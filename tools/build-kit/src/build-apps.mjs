#!/usr/bin/env node
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
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
 * Builds apps into their `dist/` and writes .br and .gz beside each asset. Skips an app unless one of its
 * inputs (own sources, workspace packages, installed packages) has changed since its last build.
 * @param {string[]} apps folders relative to the root
 * @returns {Promise<{ built: string[], skipped: string[] }>} rejects with the first build failure
 */
async function buildApps(apps, { force }) {
  const lock = parse(await readFile(join(ROOT, 'pnpm-lock.yaml'), 'utf8'))
  const queue = [...apps]
  const built = []
  const skipped = []

  const work = async () => {
    for (let app = queue.shift(); app; app = queue.shift()) {
      const folder = join(ROOT, app, 'dist')
      const stampFile = join(folder, STAMP)
      const { folders, packages } = inputsOf(lock, app)
      const stamp = await hashFolders(folders, packages.join('\n'))
      if (!force && (await readFile(stampFile, 'utf8').catch(() => '')) === stamp) {
        skipped.push(app)
        continue
      }
      const started = performance.now()
      await rm(stampFile, { force: true })
      const files = await rsbuild(join(ROOT, app))
      // The extension is served as the zip of its own build.
      if (app !== EXTENSION) {
        await pruneFolder(folder, new Set(files))
        await compressFolder(folder)
      }
      await writeFile(stampFile, stamp)
      built.push(app)
      print(`built ${app} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    }
  }
  await Promise.all([work(), work()])
  return { built, skipped }
}

const listApps = async () =>
  (await readdir(ROOT))
    .filter(name => /^(extension|shell|mfe-.*)$/.test(name))
    .sort()
    .reverse()

/**
 * Builds one app into an empty folder, compressed files included. Deterministic: same sources, same files.
 */
export async function buildInto(cwd, folder) {
  await rsbuild(cwd, { output: { distPath: { root: folder } } })
  await compressFolder(folder)
}

/** Builds with the app's own configuration; resolves to the names of the build's files, also of unchanged ones. */
async function rsbuild(cwd, changes = {}) {
  // Loaded lazily: most calls find nothing to build.
  const { createRsbuild, loadConfig, mergeRsbuildConfig } = await import('@rsbuild/core')
  const { content } = await loadConfig({ cwd, command: 'build' })
  const builder = await createRsbuild({ cwd, config: mergeRsbuildConfig(content, changes) })
  const { stats, close } = await builder.build()
  // `cachedAssets`: files that are on disk already, with the same content, are not emitted again.
  const { assets = [], children = [] } = stats?.toJson({ all: false, assets: true, cachedAssets: true }) ?? {}
  await close()
  return [...assets, ...children.flatMap(child => child.assets ?? [])].map(({ name }) => name)
}

/** Removes files of earlier builds once they are too old for an open page to request them. */
async function pruneFolder(folder, current) {
  const tooOld = Date.now() - KEEP_OLD_FILES_MS
  for (const file of await listFiles(folder)) {
    const name = relative(folder, file).replace(/\.(br|gz)$/, '')
    if (!current.has(name) && (await stat(file)).mtimeMs < tooOld) await rm(file)
  }
}

/** Hashes path and content of every source file in `folders`, without built and installed files. */
async function hashFolders(folders, seed) {
  const hash = createHash('sha256').update(seed)
  const files = (await Promise.all(folders.map(folder => listFiles(join(ROOT, folder))))).flat()
  for (const file of files.sort()) hash.update(`${relative(ROOT, file)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

const NOT_AN_INPUT = new Set(['node_modules', 'dist', 'test'])

async function listFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = entries.map(entry => {
    if (NOT_AN_INPUT.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? listFiles(path) : [path]
  })
  return (await Promise.all(nested)).flat()
}

// Blueprint's complete icon sets are by far the largest files, and no page requests them: fast compression.
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

const print = line => process.stdout.write(`${line}\n`)
if (fileURLToPath(import.meta.url) === process.argv[1])
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { force: { type: 'boolean' } },
    })
    const { built, skipped } = await buildApps(
      positionals.length > 0 ? positionals : await listApps(),
      values,
    )
    print(`apps: ${built.length} built, ${skipped.length} unchanged`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
