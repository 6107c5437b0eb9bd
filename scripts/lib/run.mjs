import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** A failure whose message is all that the user needs: shown without a stack. */
export class Refusal extends Error {}

const started = Date.now()
/** Progress goes to standard error: standard output belongs to `ready <url>` and to test results. */
export const say = text => process.stderr.write(`${text}\n`)
export const seconds = (since = started) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const running = new Set()
/** Children end with us, whether the signal came to the terminal's whole group or to us alone. */
const endChildren = signal => {
  for (const child of running) child.kill(signal)
  process.exit(signal === 'SIGINT' ? 130 : 143)
}
process.on('SIGINT', endChildren).on('SIGTERM', endChildren)
/** Called when the product itself takes over the handling of signals. */
export const releaseSignals = () => process.off('SIGINT', endChildren).off('SIGTERM', endChildren)

/**
 * Runs a command without a shell and without standard input; resolves to its exit code (1 when a signal ended it).
 * Its output goes to standard error, or to standard output with `stdout: true`; with `file`, both go to that open file.
 */
export function run(command, args, { env = {}, cwd = root, stdout = false, file } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', file ?? (stdout ? 'inherit' : 2), file ?? 'inherit'],
      shell: process.platform === 'win32',
    })
    running.add(child)
    child.on('error', reject)
    child.on('close', code => {
      running.delete(child)
      resolve(code ?? 1)
    })
  })
}

/** Like `run`, but anything else than exit code 0 is a refusal that names the step. */
export async function must(step, command, args, options) {
  const code = await run(command, args, options)
  if (code !== 0) throw new Refusal(`${step} failed (exit code ${code}); its output stands above.`)
}

/** Path of a tool that the workspace installed. */
export const bin = (name, folder = '') => join(root, folder, 'node_modules/.bin', name)

const skipped = new Set(['node_modules', 'dist', '.tsbuild', '.git', 'test-results', 'playwright-report'])

/** Files under a path of the repository (itself, when it is a file), in a stable order; built and installed things are left out. */
function* filesUnder(path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (!statSync(full).isDirectory()) return yield path
  for (const name of readdirSync(full).sort()) if (!skipped.has(name)) yield* filesUnder(join(path, name))
}

/** Digest of the names and contents of all files under the paths, plus `extra`. */
export function digest(paths, extra = '') {
  const hash = createHash('sha256').update(extra)
  for (const path of paths)
    for (const file of filesUnder(path)) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** The workspace's packages: folders (relative to the root) that hold a package.json. */
export function packages() {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.'))
    .map(entry => entry.name)
  const nested = ['packages', 'services', 'tools'].flatMap(folder =>
    readdirSync(join(root, folder)).map(name => join(folder, name)),
  )
  return [...folders, ...nested].filter(folder => existsSync(join(root, folder, 'package.json'))).sort()
}

/** Does `work` unless it was done for the same `key()`, by a stamp in node_modules/.cache; true when it was done now. */
export async function once(name, key, work) {
  const stamp = join(root, 'node_modules/.cache/iodine', name)
  if (read(stamp) === key()) return false
  await work()
  mkdirSync(dirname(stamp), { recursive: true })
  // Read anew: installing a new package changes the lock file.
  writeFileSync(stamp, key())
  return true
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Runs a script's main function, then `end` in any case. A Refusal is one plain message, anything else keeps its stack;
 * both end the process with status 1.
 */
export async function main(work, end = () => {}) {
  try {
    await work()
  } catch (error) {
    say(error instanceof Refusal ? `\n${error.message}` : `\n${error.stack ?? error}`)
    process.exitCode = 1
  }
  end()
  if (process.exitCode) process.exit()
}
