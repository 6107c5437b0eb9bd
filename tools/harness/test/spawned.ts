import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'
import type { TestStack } from '../src/index.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A part of a stack in a process of its own, which can be killed. */
export interface SpawnedPart {
  /** Resolves when it is ready. */
  start(): Promise<void>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>
}

/** Replaces a part that runs inside the test's process; it is not started yet. */
export const spawnPart = async (
  stack: TestStack,
  name: 'workers' | 'iods' | 'narratives' | 'collector',
): Promise<SpawnedPart> => {
  const folder = join(ROOT, 'services', name)
  // A process needs compiled code, which the test runner does not emit.
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-b', folder])
  const { url, env, stop } = stack.parts[name]
  await stop()
  let child: ChildProcess | undefined
  return {
    async start() {
      child = spawn(process.execPath, [join(folder, 'dist/server.js')], { env, stdio: 'ignore' })
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).ok).toBe(true), {
        timeout: 30_000,
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
