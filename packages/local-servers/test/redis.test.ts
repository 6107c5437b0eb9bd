import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processStart } from '../src/lock.js'
import { startRedis } from '../src/redis.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'iodine redis '))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const alive = (pid: number) => processStart(pid) !== undefined

test('an acknowledged write survives a kill -9 and a restart in the same folder', async () => {
  const first = await startRedis({ folder })
  const client = new Redis(first.url, { retryStrategy: () => null })
  client.on('error', () => {})
  for (let n = 0; n < 200; n++) await client.incr('count')
  expect((await client.config('GET', 'maxmemory-policy')) as string[]).toContain('noeviction')
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  client.disconnect()
  const second = await startRedis({ folder })
  const reader = new Redis(second.url)
  expect(await reader.get('count')).toBe('200')
  await reader.quit()
  await second.stop()
  expect(alive(second.pid)).toBe(false)
})

test('requires a password that only its owner can read', async () => {
  const server = await startRedis({ folder, durable: false })
  const anonymous = new Redis(Number(new URL(server.url).port), { enableReadyCheck: false })
  await expect(anonymous.get('x')).rejects.toThrow(/NOAUTH/)
  anonymous.disconnect()
  expect(statSync(join(folder, 'redis.conf')).mode & 0o777).toBe(0o600)
  await server.stop()
})

/** Starts the built package's Redis in a separate process, which then waits to be killed. */
async function holder(): Promise<{ kill(): void; redisPid: number }> {
  const module = new URL('../dist/redis.js', import.meta.url)
  const code = `const { startRedis } = await import(${JSON.stringify(module)}); console.log((await startRedis({ folder: ${JSON.stringify(folder)} })).pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { kill: () => child.kill('SIGKILL'), redisPid: Number(String(line)) }
}

test('ends when the process that started it is killed', async () => {
  const { kill, redisPid } = await holder()
  expect(alive(redisPid)).toBe(true)
  kill()
  await expect.poll(() => alive(redisPid)).toBe(false)
})

test('a server that outlived its supervisor is ended by the next start', {
  tags: 'long',
}, async () => {
  const { kill, redisPid } = await holder()
  const supervisor = readFileSync(`/proc/${redisPid}/stat`, 'utf8')
    .replace(/^.*\) . /s, '')
    .split(' ')[0]
  process.kill(Number(supervisor), 'SIGKILL')
  // The supervisor's watcher ends with the parent's pipe; a stopped Redis does not handle its SIGTERM.
  process.kill(redisPid, 'SIGSTOP')
  kill()
  await sleep(300)
  expect(alive(redisPid)).toBe(true)
  const next = await startRedis({ folder })
  expect(alive(redisPid)).toBe(false)
  await next.stop()
})

test('a process that reuses the id of an earlier Redis is not ended', async () => {
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' })
  writeFileSync(join(folder, 'process.json'), JSON.stringify({ pid: bystander.pid, start: '1' }))
  const server = await startRedis({ folder, durable: false })
  expect(bystander.exitCode).toBe(null)
  expect(alive(bystander.pid!)).toBe(true)
  await server.stop()
  bystander.kill()
})
