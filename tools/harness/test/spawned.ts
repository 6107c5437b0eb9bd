import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePorts, localUrl } from '@iodine/local-servers'
import type { Connection } from '@iodine/service-kit'
import { expect, vi } from 'vitest'
import type { TestApp } from '../src/index.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Timeout for work that a transaction left open by a kill may block: the database ends the transaction after 60 s, and
 * the blocked job is retried later.
 */
export const BLOCKED_MS = 150_000

/** A part of a app in a separate process, which can be killed. */
export interface SpawnedPart {
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>
}

type SpawnedName =
  | 'workers'
  | 'auth'
  | 'iods'
  | 'narratives'
  | 'collector'
  | 'campaigns'
  | 'sightings'
  | 'notifications'

/**
 * Stops a part that runs inside the test's process and prepares a separate process, without starting it.
 * @param more further settings
 */
export const spawnPart = async (
  app: TestApp,
  name: SpawnedName,
  more: Record<string, string> = {},
): Promise<SpawnedPart> => {
  // A process needs compiled code, which the test runner does not emit.
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/build-kit/src/compile.mjs')])
  const { url, env, stop } = app.parts[name]
  await stop()
  return partProcess(name, url, { ...env, ...more })
}

/** Prepares a further process of a part that `spawnPart` has replaced, at another URL, without starting it. */
export const spawnReplica = async (
  { parts }: TestApp,
  name: SpawnedName,
  more: Record<string, string>,
): Promise<SpawnedPart> => {
  const [port] = await freePorts(1)
  return partProcess(name, localUrl('127.0.0.1', port as number), {
    ...parts[name].env,
    ...more,
    PORT: String(port),
  })
}

const partProcess = (
  name: SpawnedName,
  url: string,
  env: Record<string, string | undefined>,
): SpawnedPart => {
  const folder = join(ROOT, 'services', name)
  let child: ChildProcess | undefined
  return {
    async start() {
      child = spawn(process.execPath, [join(folder, 'dist/server.js')], { env, stdio: 'ignore' })
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).ok).toBe(true), {
        timeout: 60_000,
        interval: 50,
      })
    },
    async kill() {
      const gone = child && child.exitCode === null && once(child, 'exit')
      child?.kill('SIGKILL')
      await gone
      child = undefined
    },
  }
}

/**
 * Ends the leases that a killed process left in its service's database, as time does after 15 s, so that the next
 * process continues at once.
 */
export const endLeases = async (stored: Connection): Promise<void> => {
  const due_at = new Date()
  await stored.collection('outbox').updateMany({ lease: { $exists: true } }, { $set: { due_at } })
}

/**
 * Runs clients until `isDue` resolves, then kills the part within `withinMs` at random, and lets the clients end.
 * @param clients work as long as their argument returns true
 */
export const killAtWork = async (
  part: SpawnedPart,
  clients: readonly ((isRunning: () => boolean) => Promise<unknown>)[],
  isDue: () => Promise<unknown>,
  withinMs = 300,
): Promise<void> => {
  let isRunning = true
  const working = clients.map(client => client(() => isRunning))
  try {
    await isDue()
    await sleep(Math.random() * withinMs)
    await part.kill()
  } finally {
    isRunning = false
    await Promise.all(working)
  }
}
