import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startRedis } from '@iodine/local-servers'
import { connectMongo, connectRedis, type Redis } from '@iodine/service-kit'

/** A folder of its own below the system's temporary one; `remove` deletes it with all that is in it. */
export const temporaryFolder = (): { path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'iodine-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Letters for names of databases and keys that no other test uses. */
export const uniquePrefix = () => `t${randomBytes(5).toString('hex')}`

export interface TestServer {
  url: string
  /** Safe to call twice: a test of an outage may stop it early. */
  stop(): Promise<void>
}

const stoppedOnce = (url: string, stop: () => Promise<void>): TestServer => {
  let stopping: Promise<void> | undefined
  return {
    url,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

/** A Redis of this test's own, which keeps nothing on disk; `pid` is for signals. */
export const startTestRedis = async (): Promise<TestServer & { pid: number }> => {
  const folder = temporaryFolder()
  const { url, pid, stop } = await startRedis({ folder: folder.path, durable: false })
  return { ...stoppedOnce(url, () => stop().finally(folder.remove)), pid }
}

/** A MongoDB of this test's own: the embedded engine in this process, which keeps nothing. */
export const startTestMongo = async (): Promise<TestServer> => {
  const { uri, stop } = await startEmbeddedMongo({ isolate: 'none' })
  return stoppedOnce(uri, stop)
}

const READERS: Record<string, (redis: Redis, key: string) => Promise<unknown>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, 0, -1, 'WITHSCORES'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
}
/** A key's value of any type; null for a key that has gone since it was listed. */
const readKey = async (redis: Redis, key: string): Promise<unknown> =>
  READERS[await redis.type(key)]?.(redis, key) ?? null

/** Everything that a Redis holds, as text; its own DUMP would hide in compression what is looked for. */
export const redisContents = async (url: string): Promise<string> => {
  const redis = await connectRedis(url)
  try {
    const keys = await redis.keys('*')
    return JSON.stringify(await Promise.all(keys.map(async key => [key, await readKey(redis, key)])))
  } finally {
    redis.disconnect()
  }
}

/** Every document of every database of a server, as text. */
export const mongoContents = async (url: string): Promise<string> => {
  const connection = await connectMongo(url, 'admin')
  const client = connection.getClient()
  try {
    const { databases } = await client.db('admin').admin().listDatabases()
    const contents: unknown[] = []
    for (const { name } of databases)
      for (const collection of await client.db(name).collections())
        contents.push([name, collection.collectionName, await collection.find().toArray()])
    return JSON.stringify(contents)
  } finally {
    await connection.close()
  }
}
