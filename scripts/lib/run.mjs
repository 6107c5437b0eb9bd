import { spawn } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** The folder from which the user called the command: npm runs every script in the root. */
export const callerFolder = resolve(process.env.INIT_CWD ?? '.')

/** A failure with a message for the user, printed without a stack. */
export class Refusal extends Error {}

/** Errors that are printed without a stack: Refusal and its counterparts in imported packages. */
const SHOWN_PLAINLY = /Refusal$|^(Config|Generator|Publish)Error$/

const started = Date.now()
/** Prints progress to standard error: standard output is reserved for `ready <url>` and test results. */
export const say = text => process.stderr.write(`${text}\n`)
export const seconds = (since = started) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const running = new Set()
/**
 * Ends the child processes, in case a signal reached only this process and not the whole process group of the terminal.
 */
const endChildren = signal => {
  for (const child of running) child.kill(signal)
  process.exit(signal === 'SIGINT' ? 130 : 143)
}
process.on('SIGINT', endChildren).on('SIGTERM', endChildren)

/** Imports a compiled module of the workspace, which then handles signals. */
export function importCompiled(path) {
  process.off('SIGINT', endChildren).off('SIGTERM', endChildren)
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(join(root, path)).href)
}

/**
 * Runs a command without a shell and without standard input. Resolves to its exit code (1 after a signal). Its output goes
 * to standard error, or to the open file descriptor `file`.
 */
export function run(command, args, { env = {}, cwd = root, file } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', file ?? 2, file ?? 2],
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

/** Runs a command like `run`. @throws Refusal with the step's name for an exit code other than 0 */
export async function must(step, command, args, options) {
  const code = await run(command, args, options)
  if (code !== 0) throw new Refusal(`${step} failed (exit code ${code}); see the output above.`)
}

/** Returns the path of a command that the workspace has installed. */
export const bin = (name, folder = '') => join(root, folder, 'node_modules/.bin', name)

/** Returns whether a module, given by its `import.meta`, is the main module. */
export const isCommand = ({ url }) => fileURLToPath(url) === process.argv[1]

/**
 * Runs a script's main function in the root, then `end` in any case. Prints the message of a Refusal, and the stack of any
 * other error; both exit with status 1.
 */
export async function main(work, end = () => {}) {
  process.chdir(root)
  try {
    await work()
  } catch (error) {
    const isPlain = SHOWN_PLAINLY.test(error?.constructor?.name)
    say(`\n${isPlain ? error.message : (error?.stack ?? error)}`)
    process.exitCode = 1
  }
  await end()
  if (process.exitCode) process.exit()
}
