import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { OwnPart } from './names.js'

export interface RunningProcess {
  pid: number
  port: number
  ended: Promise<number | null>
}

/** Timeout of a start, also on a busy machine. */
export const START_MS = 240_000

/** The workspace's root: the same distance from src and from dist. */
export const ROOT = resolve(import.meta.dirname, '../../..')
/** Returns the path of a compiled entry, since the processes can't run TypeScript. */
const helper = (name: string) => fileURLToPath(new URL(`../dist/parts/${name}.js`, import.meta.url))

const endOf = (child: ChildProcess): Promise<number | null> =>
  once(child, 'exit').then(([code]) => code as number | null)

/** Starts a server that the app depends on. Resolves when it has reported its port. */
export const startHelper = async (name: string, args: string[], output: number): Promise<RunningProcess> => {
  const child = fork(helper(name), args, {
    env: {},
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  })
  const ended = endOf(child)
  const port = await Promise.race([
    once(child, 'message').then(([message]) => (message as { port: number }).port),
    ended.then(code => {
      throw new Error(`${name} ended with ${code} before it was ready`)
    }),
  ])
  return { pid: child.pid as number, port, ended }
}

interface OwnOptions {
  env: Record<string, string>
  port: number
  /** File descriptor of its log, and a function that reads it. */
  output: number
  readOutput: () => string
}

/** Starts a part of the app. Resolves when it passes the health check. */
export const startOwn = async (
  name: OwnPart,
  { env, port, output, readOutput }: OwnOptions,
): Promise<RunningProcess> => {
  const entry = join(ROOT, name === 'gateway' ? name : `services/${name}`, 'dist/server.js')
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', output, output] })
  const ended = endOf(child)
  for (const deadline = Date.now() + START_MS; ; await sleep(25)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended before it was ready:\n${readOutput().slice(-2_000)}`)
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return { pid: child.pid as number, port, ended }
    if (Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${name} did not get ready:\n${readOutput().slice(-2_000)}`)
    }
  }
}
