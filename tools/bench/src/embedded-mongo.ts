/**
 * What the embedded database does beside LMDB itself (the store below it, called in this process with the same BSON
 * bytes, no wire, no indexes to keep, no matching) and beside a plain JavaScript loop for the group.
 * Both sides take turns, so that a busy machine slows both.
 *
 *   npm run bench -- embedded-mongo
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { median } from '@iodine/test-kit'
import { open } from 'lmdb'
import { BSON, type Collection, type Document, MongoClient } from 'mongodb'
import { atOnce, count, inTurns, table, timed } from './lib/measure.js'

const total = Number(process.env.DOCS ?? 100_000)
const rounds = Number(process.env.ROUNDS ?? 3)
const scratch = mkdtempSync(join(tmpdir(), 'embedded-mongo-bench-'))

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

interface Result {
  name: string
  ours: number
  other: number
  what: string
}
const results: Result[] = []

/** Takes both sides in turn and keeps the medians, as operations a second. */
const compare = async (
  name: string,
  operations: number,
  ours: (round: number) => Promise<unknown>,
  alternative: (round: number) => unknown,
  what: string,
) => {
  const took = await inTurns(rounds, { ours, alternative })
  const rate = (ms: number) => operations / (ms / 1000)
  results.push({ name, ours: rate(took.ours), other: rate(took.alternative), what })
}

const connect = async (server: { uri: string }) => {
  const client = await new MongoClient(server.uri, { maxPoolSize: 32 }).connect()
  return { client, c: client.db('bench').collection<Doc>('docs') }
}

const folder = join(scratch, 'mongo')
let server = await startEmbeddedMongo({ dataDir: folder, isolate: 'process' })
let { client, c } = await connect(server)
const raw = open<Buffer, string | number>({
  path: join(scratch, 'lmdb'),
  encoding: 'binary',
  overlappingSync: false,
  cache: false,
})

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
        for (let j = i; j < Math.min(i + batch, (round + 1) * filled); j++)
          raw.putSync(j, Buffer.from(BSON.serialize(docOf(j))))
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
      for (let i = 0; i < operations; i++)
        raw.transactionSync(() =>
          raw.putSync(`w${width}r${round}i${i}`, Buffer.from(BSON.serialize(docOf(i)))),
        )
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
    for (let i = 0; i < single * 2; i++) BSON.deserialize(raw.get((i * 7919) % filled) as Buffer)
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
    for (let i = 0; i < single; i++)
      for (let j = 0; j < 20; j++) BSON.deserialize(raw.get((i * 7919 + j * 500) % filled) as Buffer)
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
        raw.putSync(key, Buffer.from(BSON.serialize({ ...BSON.deserialize(raw.get(key) as Buffer), round })))
      })
  },
  'LMDB get, change, put, one in a transaction, flushed',
)
const pipeline = [
  { $match: { _id: { $type: 'int' } } },
  { $group: { _id: '$category', n: { $sum: 1 }, count: { $sum: '$count' } } },
]
await compare(
  `$group over ${(filled * rounds).toLocaleString('en')} documents (a second)`,
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

/** The longest time the caller's event loop stood still during a group. */
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
await client.close()
await server.stop()

const starts: [isolate: string, ms: number][] = []
for (const isolate of ['process', 'none'] as const) {
  for (let round = 0; round < rounds; round++) {
    const took = await timed(async () => {
      server = await startEmbeddedMongo({ dataDir: folder, isolate })
    })
    starts.push([isolate, took])
    if (isolate === 'none' && round === rounds - 1) {
      ;({ client, c } = await connect(server))
      blocked.none = await longestBlock(c)
      await client.close()
    }
    await server.stop()
  }
}
await raw.close()
rmSync(scratch, { recursive: true, force: true })

table(
  ['what', 'embedded-mongo, 1/s', 'alternative, 1/s', 'share', 'alternative'],
  results.map(({ name, ours, other, what }) => [
    name,
    count(ours),
    count(other),
    (ours / other).toFixed(2),
    what,
  ]),
)
const start = (isolate: string) =>
  Math.round(median(starts.filter(([kind]) => kind === isolate).map(([, took]) => took)))
console.log(
  `\nStart with ${(filled * rounds + single * rounds + 500 * rounds).toLocaleString('en')} documents: ${start('none')} ms in this process, ${start('process')} ms as a process of its own (every page of the file is checked first).`,
)
console.log(
  `Longest stop of the caller's event loop during the group: ${Math.round(blocked.process)} ms with isolate: 'process', ${Math.round(blocked.none)} ms with 'none'.`,
)
