import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Collection, type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type EmbeddedMongo, startEmbeddedMongo } from '../src/index.js'
import { randomOf } from './random.js'

const COMPILE = fileURLToPath(new URL('../../../tools/build-kit/src/compile.mjs', import.meta.url))

/** A full run kills the server 60 times (README.md); `npm test` a few times. */
const kills = Number(process.env.KILLS ?? 2)
const writers = 8
const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-durability-'))

beforeAll(() => {
  execFileSync(process.execPath, [COMPILE])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes that were recorded after the server's acknowledgement. */
const recorded = {
  inserted: new Set<number>(),
  removed: new Set<number>(),
  added: 0,
  tried: 0,
  moved: 0,
  acknowledged: 0,
}
let nextId = 0

const connect = async (server: EmbeddedMongo) => {
  const client = await new MongoClient(server.uri, { retryWrites: false }).connect()
  return {
    client,
    docs: client.db('d').collection<{ _id: number; k: string; tags: number[] }>('docs'),
    counters: client.db('d').collection<{ _id: number; n: number }>('counters'),
    accounts: client.db('d').collection<{ _id: number; n: number }>('accounts'),
  }
}

/**
 * Writes until the server has ended. Writes in flight at that time are abandoned: the driver waits for another server.
 */
const write = async (
  { client, docs, counters, accounts }: Awaited<ReturnType<typeof connect>>,
  seed: number,
  { ended }: EmbeddedMongo,
) => {
  const random = randomOf(seed)
  const ids: number[] = []
  const step = async () => {
    const action = random.below(5)
    if (action <= 1 || ids.length === 0) {
      const _id = nextId++
      await docs.insertOne({ _id, k: `k${_id}`, tags: [_id % 7, _id % 5] })
      recorded.inserted.add(_id)
      ids.push(_id)
    } else if (action === 2) {
      const [_id] = ids.splice(random.below(ids.length), 1)
      // From now on the document may be deleted, even without an acknowledgement.
      recorded.inserted.delete(_id!)
      await docs.deleteOne({ _id: _id! })
      recorded.removed.add(_id!)
    } else if (action === 3) {
      recorded.tried++
      await counters.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true })
      recorded.added++
    } else {
      const session = client.startSession()
      await session.withTransaction(async () => {
        await accounts.updateOne({ _id: random.below(5) }, { $inc: { n: -1 } }, { session })
        await accounts.updateOne({ _id: random.below(5) }, { $inc: { n: 1 } }, { session })
      })
      await session.endSession()
      recorded.moved++
    }
    recorded.acknowledged++
  }
  let isOver = false
  const over = ended.then(() => {
    isOver = true
  })
  try {
    while (!isOver) await Promise.race([step(), over])
  } catch {
    // The server was killed.
  }
}

const check = async ({ client, docs, counters, accounts }: Awaited<ReturnType<typeof connect>>) => {
  const there = new Set((await docs.find({}, { projection: { _id: 1 } }).toArray()).map(doc => doc._id))
  expect([...recorded.inserted].filter(id => !there.has(id))).toEqual([])
  expect([...recorded.removed].filter(id => there.has(id))).toEqual([])
  const n = (await counters.findOne({ _id: 1 }))?.n ?? 0
  expect(n).toBeGreaterThanOrEqual(recorded.added)
  expect(n).toBeLessThanOrEqual(recorded.tried)
  // Transfers are atomic: the total never changes.
  const balance = (await accounts.find().toArray()).reduce((sum, account) => sum + account.n, 0)
  expect(balance).toBe(500)
  for (const collection of [docs, counters, accounts] as unknown as Collection<Document>[]) {
    const validated = await client.db('d').command({ validate: collection.collectionName })
    expect(validated.errors).toEqual([])
  }
}

test(`no acknowledged write is lost to kill -9 (${kills} kills)`, { timeout: 600_000 }, async () => {
  const random = randomOf(7)
  for (let kill = 0; kill <= kills; kill++) {
    const server = await startEmbeddedMongo({ dataDir: folder, isolate: 'process' })
    const connected = await connect(server)
    if (kill === 0) {
      await connected.docs.createIndexes([{ key: { k: 1 }, unique: true }, { key: { tags: -1, k: 1 } }])
      await connected.accounts.insertMany([0, 1, 2, 3, 4].map(_id => ({ _id, n: 100 })))
      await connected.counters.insertOne({ _id: 1, n: 0 })
    } else await check(connected)
    if (kill < kills) {
      const writing = Array.from({ length: writers }, (_, i) => write(connected, kill * 100 + i, server))
      // At the kill some writes are acknowledged and others in flight, also on a busy machine.
      const enough = recorded.acknowledged + 1 + random.below(kills > 10 ? 300 : 30)
      await vi.waitUntil(() => recorded.acknowledged >= enough, { timeout: 120_000, interval: 1 })
      await new Promise(resolve => setTimeout(resolve, random.below(20)))
      const pid = Number(readFileSync(join(folder, 'embedded-mongo.lock'), 'latin1').split(' ')[0])
      process.kill(pid, 'SIGKILL')
      await server.stop()
      await Promise.all(writing)
      // Do not await: the driver searches for the server until its own timeout.
      void connected.client.close(true).catch(() => {})
    } else {
      await connected.client.close()
      await server.stop()
    }
  }
  console.log(
    `durability: ${kills} kills, ${recorded.acknowledged} acknowledged writes (${recorded.inserted.size} documents kept, ${recorded.removed.size} removed, ${recorded.added} counted, ${recorded.moved} transactions), none lost, indexes exact`,
  )
  expect(recorded.acknowledged).toBeGreaterThan(kills)
})
