/**
 * Cost of `POST /iods` on the product as started by `npm start`, compared with a bare transaction that inserts the same
 * documents, with the same indexes, into the same database. First 32 requests at once by 8 people, then one at a time.
 * Counts commands and flushes by `serverStatus` until the public profiles count all IODs.
 *
 *   npm run bench -- writes
 *   ROUNDS=20 IODS=500 npm run bench -- writes
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { iodsApi } from '@iodine/contracts'
import { startApp } from '@iodine/harness'
import { median, newId, quantile } from '@iodine/test-kit'
import { type Document, ObjectId } from 'mongodb'
import { atOnce, count, ratio, table, timed } from './lib/measure.js'
import { startTestServer } from './lib/test-server.js'

const ROUNDS = Number(process.env.ROUNDS ?? 20)
const IODS = Number(process.env.IODS ?? 500)
const QUIET_IODS = 100
const PEOPLE = 8
const AT_ONCE = 32
const CHARS = 100
const WORDS = [
  'lake',
  'mirror',
  'number',
  'letter',
  'engineer',
  'vaccine',
  'harbour',
  'election',
  'ledger',
  'river',
]

/** Returns a text of `CHARS` characters that no other call returns. */
const newText = (): string => {
  const words = Array.from({ length: 20 }, () => WORDS[Math.floor(Math.random() * WORDS.length)])
  return `${newId()} ${words.join(' ')}`.slice(0, CHARS)
}

const server = await startTestServer(startApp)
try {
  const people = await Promise.all(Array.from({ length: PEOPLE }, server.signUp))
  const iods = server.client.db('iodine_iods').collection<Document>('iods')
  const contributions = server.client.db('iodine_community').collection('contributions')
  const bare = server.client.db('bench_bare').collection<Document>('iods')
  const indexes = (await iods.indexes()).filter(({ name }) => name !== '_id_')
  await bare.createIndexes(indexes.map(({ key, unique }) => ({ key, ...(unique && { unique }) })))

  const status = async () => {
    const { network, wiredTiger } = await server.client.db('admin').command({ serverStatus: 1 })
    return { commands: Number(network.numRequests), flushes: Number(wiredTiger.log['log sync operations']) }
  }
  let expected = await contributions.countDocuments()
  const isComplete = async () => (await contributions.countDocuments()) >= expected
  /** Creates IODs. Returns the milliseconds, and those until the profiles count the last one. */
  const create = async (n: number, width: number) => {
    expected += n
    const ms = await timed(() =>
      atOnce(n, width, index =>
        people[index % PEOPLE]!.api.call(iodsApi.createIod, {
          body: { value: newText(), category: 'SENTENCE', description: '', source_type: 'MANUAL' },
        }),
      ),
    )
    const behind = await timed(async () => {
      while (!(await isComplete())) await sleep(5)
    })
    return { ms, behind }
  }
  /** Inserts copies of the newest IODs, each in a transaction. Returns the milliseconds. */
  const insert = async (n: number, width: number) => {
    const docs = await iods.find().sort({ _id: -1 }).limit(n).toArray()
    const copies = docs.map(doc => ({ ...doc, _id: new ObjectId(), fold_key: newId(), uid: newId() }))
    return timed(() =>
      atOnce(n, width, index =>
        server.client.withSession(session =>
          session.withTransaction(() => bare.insertOne(copies[index] as Document, { session })),
        ),
      ),
    )
  }
  const measure = async (n: number, width: number, rounds: number) => {
    const took = { product: [] as number[], bare: [] as number[], behind: [] as number[] }
    const used = { commands: 0, flushes: 0 }
    await create(n, width)
    await insert(n, width)
    for (let round = 0; round < rounds; round++) {
      const before = await status()
      const { ms, behind } = await create(n, width)
      const after = await status()
      used.commands += after.commands - before.commands
      used.flushes += after.flushes - before.flushes
      took.product.push(ms / n)
      took.behind.push(behind)
      took.bare.push((await insert(n, width)) / n)
    }
    const [product, bareMs] = [median(took.product), median(took.bare)]
    const each = (total: number) => (total / rounds / n).toFixed(1)
    return [
      String(width),
      count(1_000 / product),
      count(1_000 / bareMs),
      ratio(bareMs, product),
      each(used.commands),
      each(used.flushes),
      count(quantile(took.behind, 1)),
    ]
  }
  table(
    [
      'at once',
      'POST /iods, 1/s',
      'bare, 1/s',
      'ratio',
      'commands each',
      'flushes each',
      'profiles behind, ms (most)',
    ],
    [await measure(IODS, AT_ONCE, ROUNDS), await measure(QUIET_IODS, 1, Math.ceil(ROUNDS / 4))],
  )
} finally {
  await server.stop()
}
