import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePorts } from './net.js'
import { endLeftover, keepProcess, onPath, startSupervised } from './supervised.js'

export interface RedisServer {
  url: string
  /** Process id of the server, not of its supervisor. */
  pid: number
  ended: Promise<void>
  stop(): Promise<void>
}

export interface RedisOptions {
  /** The server's own folder: configuration, log, process id and append-only file. */
  folder: string
  /**
   * False stores nothing on disk (tests). Default true: acknowledged writes survive a kill -9 and a power
   * cut.
   */
  durable?: boolean
  /** URL of an earlier start, to keep its port and password; by default a free port and a new password. */
  at?: string | undefined
}

/**
 * Starts redis-server or valkey-server on a loopback port with a password. First ends a server that a killed
 * run left in the same folder.
 */
export async function startRedis({ folder, durable = true, at }: RedisOptions): Promise<RedisServer> {
  const program = onPath('redis-server', 'valkey-server')
  if (!program)
    throw new Error(
      'neither redis-server nor valkey-server is on PATH: install one, or set REDIS_URL (npm start says how)',
    )
  const dir = resolve(folder)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await endLeftover(dir)

  const url = at ?? `redis://:${randomBytes(18).toString('base64url')}@127.0.0.1:${(await freePorts(1))[0]}`
  const { port, password } = new URL(url)
  const configFile = join(dir, 'redis.conf')
  // "everysec" may acknowledge before the write reaches the kernel, while a slow fsync is in progress.
  const settings = `bind 127.0.0.1
port ${port}
requirepass ${password}
dir ${JSON.stringify(dir)}
logfile redis.log
save ""
appendonly ${durable ? 'yes' : 'no'}
appendfsync always
# Fewer wakes while idle. A blocking command ends up to 200 ms late, within the second that BullMQ allows.
hz 5
maxmemory-policy noeviction
`
  writeFileSync(configFile, settings, { mode: 0o600 })

  const { ended, stop } = startSupervised(program, [configFile])
  let gone = false
  void ended.then(() => {
    gone = true
  })
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => 30 })
  client.on('error', () => {})
  try {
    const pid = await serverPid(client, () => gone)
    if (pid === undefined) throw new Error(`Redis did not start: see ${join(dir, 'redis.log')}`)
    keepProcess(dir, pid)
    return { url, pid, ended, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    client.disconnect()
  }
}

/** Returns the URL of the server in the folder, with port and password. */
export const keptRedisUrl = (folder: string): string => {
  const settings = readFileSync(join(folder, 'redis.conf'), 'utf8')
  const [port, password] = ['port', 'requirepass'].map(
    name => new RegExp(`^${name} (.+)$`, 'm').exec(settings)?.[1],
  )
  return `redis://:${password}@127.0.0.1:${port}`
}

/** Polls until the server has loaded its file and answers; undefined if it has exited, or after a minute. */
async function serverPid(client: Redis, gone: () => boolean): Promise<number | undefined> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && !gone(); await sleep(20)) {
    const info = await client.info('server').catch(() => '')
    const pid = /^process_id:(\d+)/m.exec(info)?.[1]
    if (pid && (await client.ping().catch(() => '')) === 'PONG') return Number(pid)
  }
  return undefined
}
