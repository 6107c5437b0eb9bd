import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startRedis } from '@iodine/local-servers'
import { connectMongo, connectRedis, type Redis } from '@iodine/service-kit'

/** Creates a folder in the temporary folder of the system; `remove` deletes it with its contents. */
export const temporaryFolder = (): { path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'iodine-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Returns a unique prefix for names of databases and keys. */
export const uniquePrefix = () => `t${randomBytes(5).toString('hex')}`

export interface TestServer {
  url: string
  /** Idempotent: a test of an outage may stop it early. */
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

/** Starts a Redis exclusive to this test, without persistence; `pid` is for signals. */
export const startTestRedis = async (): Promise<TestServer & { pid: number }> => {
  const folder = temporaryFolder()
  const { url, pid, stop } = await startRedis({ folder: folder.path, durable: false })
  return { ...stoppedOnce(url, () => stop().finally(folder.remove)), pid }
}

let sharers = 0

/**
 * Returns the Redis of this vitest worker, for tests that neither stop nor pause it. Empties it unless the test file
 * shares it already. Outside of vitest it starts a separate one.
 */
export const shareTestRedis = async (): Promise<TestServer> => {
  const url = process.env.TEST_REDIS_URLS?.split(' ')[Number(process.env.VITEST_POOL_ID) - 1]
  if (!url) return startTestRedis()
  if (sharers++ === 0) {
    const redis = await connectRedis(url)
    await redis.flushall()
    redis.disconnect()
  }
  return stoppedOnce(url, async () => {
    sharers--
  })
}

/** Starts a MongoDB exclusive to this test: the embedded engine in this process, without persistence. */
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
/** Reads a key's value of any type; null if the key was deleted since it was listed. */
const readKey = async (redis: Redis, key: string): Promise<unknown> =>
  READERS[await redis.type(key)]?.(redis, key) ?? null

/** Returns all contents of a Redis, as text to search; DUMP would compress them. */
export const redisContents = async (url: string): Promise<string> => {
  const redis = await connectRedis(url)
  try {
    const keys = await redis.keys('*')
    return JSON.stringify(await Promise.all(keys.map(async key => [key, await readKey(redis, key)])))
  } finally {
    redis.disconnect()
  }
}

/** Returns all documents of all databases of a server, as text. */
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
