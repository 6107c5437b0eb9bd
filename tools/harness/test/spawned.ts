import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePorts, localUrl } from '@iodine/local-servers'
import { expect, vi } from 'vitest'
import type { TestStack } from '../src/index.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * How long to wait for what a transaction may block that a kill has left open: the database ends it after 60 s, and a
 * job that it has stopped begins again some time later.
 */
export const BLOCKED_MS = 150_000

/** A part of a stack in a process of its own, which can be killed. */
export interface SpawnedPart {
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
}

type SpawnedName = 'workers' | 'auth' | 'iods' | 'narratives' | 'collector' | 'campaigns' | 'sightings'

/**
 * Replaces a part that runs inside the test's process; it is not started yet.
 * @param more further settings
 */
export const spawnPart = async (
  stack: TestStack,
  name: SpawnedName,
  more: Record<string, string> = {},
): Promise<SpawnedPart> => {
  // A process needs compiled code, which the test runner does not emit.
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-b', join(ROOT, 'services', name)])
  const { url, env, stop } = stack.parts[name]
  await stop()
  return partProcess(name, url, { ...env, ...more })
}

/** A further process of a part that `spawnPart` has replaced, at an address of its own; it is not started yet. */
export const spawnReplica = async (
  { parts }: TestStack,
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
 * Runs clients until `isDue` resolves, then kills the part within `withinMs` at random, and lets the clients end.
 * @param clients work as long as the function that they are given is true
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
