/**
 * The embedded database compared with LMDB, its store (called in this process with the same BSON bytes, without wire
 * protocol, index maintenance or matching), and for `$group` with a plain JavaScript loop. Both sides alternate, so that
 * load on the machine slows both.
 *
 *   npm run bench -- embedded-mongo
 */
import { join } from 'node:path'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { median, temporaryFolder } from '@iodine/test-kit'
import { open } from 'lmdb'
import { BSON, type Collection, type Document, MongoClient } from 'mongodb'
import {
  atOnce,
  interleave,
  mapValues,
  rate,
  ratio,
  table,
  timed,
  timeInterleaved,
  whole,
} from './lib/measure.js'

const total = Number(process.env.DOCS ?? 100_000)
const rounds = Number(process.env.ROUNDS ?? 3)
const scratch = temporaryFolder()

interface Doc extends Document {
  _id: string | number
}

const docOf = (i: number): Doc => ({
  _id: i,
  user: `user${i % 500}`,
  category: ['URL', 'DOMAIN', 'HASH', 'USERNAME'][i % 4],
  value: `value number ${i} of the bench`,
  votes: [{ user: `user${i % 7}`, up: i % 2 === 0 }],
  created_at: new Date(1_700_000_000_000 + i * 1000),
  count: i % 100,
})

const rows: string[][] = []

/** Runs both sides alternately and adds a row of their medians in operations per second. */
const compare = async (
  name: string,
  operations: number,
  ours: (round: number) => Promise<unknown>,
  alternative: (round: number) => unknown,
  what: string,
) => {
  const took = await timeInterleaved(rounds, { ours, alternative })
  const [own, other] = [rate(operations, took.ours), rate(operations, took.alternative)]
  rows.push([name, own, other, ratio(took.alternative, took.ours), what])
}

const folder = join(scratch.path, 'mongo')
const start = async (isolate: 'process' | 'none') => {
  const server = await startEmbeddedMongo({ dataDir: folder, isolate })
  const client = await new MongoClient(server.uri, { maxPoolSize: 32 }).connect()
  return {
    docs: client.db('bench').collection<Doc>('docs'),
    async stop() {
      await client.close()
      await server.stop()
    },
  }
}

const server = await start('process')
const c = server.docs
const raw = open<Buffer, string | number>({
  path: join(scratch.path, 'lmdb'),
  encoding: 'binary',
  overlappingSync: false,
  cache: false,
})
const put = (key: string | number, doc: Document) => raw.putSync(key, Buffer.from(BSON.serialize(doc)))
const putAlone = (key: string | number, doc: Document) => raw.transactionSync(() => put(key, doc))
const get = (key: number) => BSON.deserialize(raw.get(key) as Buffer)

const batch = 1000
const filled = Math.floor(total / rounds)
await c.createIndexes([{ key: { user: 1, created_at: -1 } }, { key: { category: 1 } }])
await compare(
  'insertMany, 1,000 at a time, 2 indexes (documents)',
  filled,
  async round => {
    for (let i = round * filled; i < (round + 1) * filled; i += batch)
      await c.insertMany(
        Array.from({ length: Math.min(batch, (round + 1) * filled - i) }, (_, j) => docOf(i + j)),
      )
  },
  round => {
    for (let i = round * filled; i < (round + 1) * filled; i += batch)
      raw.transactionSync(() => {
        for (let j = i; j < Math.min(i + batch, (round + 1) * filled); j++) put(j, docOf(j))
      })
  },
  'LMDB put, 1,000 in a transaction',
)

const single = 2000
const insertOne = (width: number, operations: number) =>
  compare(
    `insertOne, ${width} at once`,
    operations,
    round => atOnce(operations, width, i => c.insertOne({ ...docOf(i), _id: `w${width}r${round}i${i}` })),
    async round => {
      for (let i = 0; i < operations; i++) putAlone(`w${width}r${round}i${i}`, docOf(i))
    },
    'LMDB put, one in a transaction, flushed',
  )
await insertOne(32, single)
await insertOne(1, 500)

await compare(
  'find by _id, 32 at once',
  single * 2,
  () => atOnce(single * 2, 32, i => c.findOne({ _id: (i * 7919) % filled })),
  async () => {
    for (let i = 0; i < single * 2; i++) get((i * 7919) % filled)
  },
  'LMDB get and BSON.deserialize',
)
await compare(
  'find by index, sorted by it, 20 of 200, 32 at once',
  single,
  () =>
    atOnce(single, 32, i =>
      c
        .find({ user: `user${i % 500}` })
        .sort({ created_at: -1 })
        .limit(20)
        .toArray(),
    ),
  async () => {
    for (let i = 0; i < single; i++) for (let j = 0; j < 20; j++) get((i * 7919 + j * 500) % filled)
  },
  '20 × LMDB get and BSON.deserialize',
)
await compare(
  'updateOne by _id, 32 at once',
  single,
  round =>
    atOnce(single, 32, i =>
      c.updateOne({ _id: (i * 7919) % filled }, { $inc: { count: 1 }, $set: { round } }),
    ),
  async round => {
    for (let i = 0; i < single; i++)
      raw.transactionSync(() => {
        const key = (i * 7919) % filled
        put(key, { ...get(key), round })
      })
  },
  'LMDB get, change, put, one in a transaction, flushed',
)
const pipeline = [
  { $match: { _id: { $type: 'int' } } },
  { $group: { _id: '$category', n: { $sum: 1 }, count: { $sum: '$count' } } },
]
await compare(
  `$group over ${whole(filled * rounds)} documents (a second)`,
  1,
  () => c.aggregate(pipeline).toArray(),
  () => {
    const groups = new Map()
    for (const { value } of raw.getRange({ start: 0, end: filled * rounds })) {
      const doc = BSON.deserialize(value)
      const group = groups.get(doc.category) ?? { n: 0, count: 0 }
      group.n++
      group.count += doc.count
      groups.set(doc.category, group)
    }
  },
  'LMDB range, BSON.deserialize, a Map',
)

/** Returns the longest time in ms that a `$group` blocks the caller's event loop. */
const longestBlock = async (collection: Collection<Doc>) => {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 2)
  await collection.aggregate(pipeline).toArray()
  clearInterval(timer)
  return longest
}
const blocked = { process: await longestBlock(c), none: 0 }
await server.stop()
const starts = mapValues({ process: 'process', none: 'none' } as const, isolate => async () => {
  let started: Awaited<ReturnType<typeof startEmbeddedMongo>> | undefined
  const ms = await timed(async () => {
    started = await startEmbeddedMongo({ dataDir: folder, isolate })
  })
  await started?.stop()
  return ms
})
const startMs = mapValues(await interleave(rounds, starts), median)
const here = await start('none')
blocked.none = await longestBlock(here.docs)
await here.stop()
await raw.close()
scratch.remove()

table(['what', 'embedded-mongo, 1/s', 'alternative, 1/s', 'share', 'alternative'], rows)
console.log(
  `\nStart with ${whole(filled * rounds + single * rounds + 500 * rounds)} documents: ${Math.round(startMs.none)} ms in this process, ${Math.round(startMs.process)} ms as a process of its own (every page of the file is checked first).`,
)
console.log(
  `Longest stop of the caller's event loop during the group: ${Math.round(blocked.process)} ms with isolate: 'process', ${Math.round(blocked.none)} ms with 'none'.`,
)
