import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientSession, type Collection, type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Binary, Doc } from '../src/bson/values.js'
import { Engine } from '../src/engine.js'
import { sorted } from '../src/slices.js'
import { Store } from '../src/storage/kv.js'
import { randomOf } from './random.js'
import { plain, useServer } from './support.js'

const server = useServer()

type Row = { _id: number; k: number; n: number; m: number }

const folders = mkdtempSync(join(tmpdir(), 'embedded-mongo-slices-'))
afterAll(() => rmSync(folders, { recursive: true, force: true }))

let made = 0
/** Creates a collection of rows whose `k` has no index. */
const rows = async (size: number): Promise<Collection<Row>> => {
  const c = server.client().db('slices').collection<Row>(`rows${++made}`)
  await c.insertMany(Array.from({ length: size }, (_, i) => ({ _id: i, k: i, n: 0, m: 0 })))
  return c
}

/** Returns a pipeline that joins a collection with itself without an index: 25 million comparisons for 5,000 rows. */
const join5000 = (c: Collection<Row>) => [
  { $lookup: { from: c.collectionName, localField: 'k', foreignField: 'k', as: 'same' } },
  { $group: { _id: null, n: { $sum: { $size: '$same' } } } },
]

/** Returns a condition that is true for every document, and slow to evaluate. */
const slowCondition = (steps: number) => ({
  $expr: {
    $eq: [
      steps,
      { $reduce: { input: { $range: [0, steps] }, initialValue: 0, in: { $add: ['$$value', 1] } } },
    ],
  },
})

const connected = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = await new MongoClient(server.uri(), { retryReads: false }).connect()
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** Returns the number of running commands besides this `serverStatus`. */
const active = async () =>
  plain((await server.run({ serverStatus: 1 }, 'admin')).globalLock.activeClients.total)
const becomes = (wanted: number) => expect.poll(active, { timeout: 50_000 }).toBe(wanted)

describe('a slow command', () => {
  let big: Collection<Row>
  beforeAll(async () => {
    big = await rows(5000)
  })

  test('does not block reads and writes of others, and ends when its client disconnects', async () => {
    let over = false
    await connected(async client => {
      const slow = client
        .db('slices')
        .collection<Row>(big.collectionName)
        .aggregate(join5000(big))
        .toArray()
        .catch(() => {})
        .finally(() => {
          over = true
        })
      const other = await rows(1)
      await becomes(1)
      for (let i = 1; i <= 20; i++) {
        await server.run({ ping: 1 })
        expect(await big.findOne({ _id: i })).toMatchObject({ k: i })
        await other.insertOne({ _id: i, k: i, n: 0, m: 0 })
        await other.updateOne({ _id: i }, { $inc: { n: 1 } })
      }
      expect(over).toBe(false)
      await client.close()
      await slow
    })
    await becomes(0)
  })

  test('in a transaction does not block others', async () => {
    let over = false
    await connected(async client => {
      const session = client.startSession()
      session.startTransaction()
      const slow = client
        .db('slices')
        .collection<Row>(big.collectionName)
        .aggregate(join5000(big), { session })
        .toArray()
        .catch(() => {})
        .finally(() => {
          over = true
        })
      await becomes(1)
      for (let i = 1; i <= 20; i++) expect(await big.findOne({ _id: i })).toMatchObject({ k: i })
      expect(over).toBe(false)
      await client.close()
      await slow
    })
    await becomes(0)
  })

  test('does not block others if many run concurrently', { tags: 'long' }, async () => {
    await connected(async client => {
      const c = client.db('slices').collection<Row>(big.collectionName)
      let over = 0
      const slow = Array.from({ length: 20 }, () =>
        c
          .aggregate(join5000(big))
          .toArray()
          .catch(() => {})
          .finally(() => over++),
      )
      await becomes(20)
      for (let i = 1; i <= 10; i++) expect(await big.findOne({ _id: i })).toMatchObject({ k: i })
      expect(over).toBe(0)
      await client.close()
      await Promise.all(slow)
    })
    await becomes(0)
  })

  test('is interrupted by killCursors while it reads a batch', async () => {
    const name = big.collectionName
    const { cursor } = await server.run(
      { aggregate: name, pipeline: join5000(big), cursor: { batchSize: 0 } },
      'slices',
    )
    const reading = server.failure({ getMore: cursor.id, collection: name }, 'slices')
    await becomes(1)
    const again = await server.failure({ getMore: cursor.id, collection: name }, 'slices')
    expect(again.code).toBe(12051)
    const reply = await server.run({ killCursors: name, cursors: [cursor.id] }, 'slices')
    expect(reply.cursorsKilled).toEqual([cursor.id])
    expect((await reading).code).toBe(237)
    expect((await server.failure({ getMore: cursor.id, collection: name }, 'slices')).code).toBe(43)
  })
})

describe('a read in slices', () => {
  test('reads one snapshot while others write', { tags: 'long' }, async () => {
    const accounts = await rows(120)
    await accounts.updateMany({}, { $set: { n: 100 } })
    let stop = false
    let moved = 0
    const move = async (seed: number) => {
      const random = randomOf(seed)
      while (!stop) {
        const by = random.below(50)
        await server.client().withSession((session: ClientSession) =>
          session.withTransaction(async () => {
            await accounts.updateOne({ _id: random.below(60) }, { $inc: { n: -by } }, { session })
            await accounts.updateOne({ _id: 60 + random.below(60) }, { $inc: { n: by } }, { session })
          }),
        )
        moved++
      }
    }
    const movers = [1, 2].map(move)
    const total = [{ $match: slowCondition(40) }, { $group: { _id: null, n: { $sum: '$n' } } }]
    let beside = 0
    for (let i = 0; i < 5; i++) {
      const before = moved
      const [found] = await accounts
        .aggregate([
          { $lookup: { from: accounts.collectionName, pipeline: total, as: 'sum' } },
          { $unwind: '$sum' },
          { $group: { _id: null, sums: { $addToSet: '$sum.n' }, n: { $sum: '$n' } } },
        ])
        .toArray()
      expect(found).toEqual({ _id: null, sums: [12_000], n: 12_000 })
      beside += moved - before
    }
    stop = true
    await Promise.all(movers)
    expect(beside).toBeGreaterThan(0)
  })

  test('continues on its snapshot when its collection is indexed or dropped', async () => {
    const c = await rows(300)
    const join = [
      { $match: slowCondition(40) },
      { $lookup: { from: c.collectionName, localField: 'k', foreignField: 'k', as: 'same' } },
      { $group: { _id: null, n: { $sum: { $size: '$same' } } } },
    ]
    const one = c.aggregate(join).toArray()
    await c.createIndex({ k: 1 })
    const two = c.aggregate(join).toArray()
    await c.drop()
    expect(await one).toEqual([{ _id: null, n: 300 }])
    expect([[], [{ _id: null, n: 300 }]]).toContainEqual(await two)
  })
})

describe('a write in slices', () => {
  test('does not lose concurrent writes of others', async () => {
    const c = await rows(2000)
    let over = false
    const long = c.updateMany(slowCondition(100), { $inc: { n: 1 } }).finally(() => {
      over = true
    })
    const added = new Map<number, number>()
    const random = randomOf(3)
    let beside = 0
    const add = async () => {
      while (!over) {
        const _id = random.below(2000)
        await c.updateOne({ _id }, { $inc: { m: 1 } })
        added.set(_id, (added.get(_id) ?? 0) + 1)
        if (!over) beside++
      }
    }
    await Promise.all([add(), add(), c.aggregate([{ $match: slowCondition(50) }, { $count: 'n' }]).toArray()])
    expect(await long).toMatchObject({ matchedCount: 2000, modifiedCount: 2000 })
    expect(beside).toBeGreaterThan(0)
    for (const row of await c.find().toArray())
      expect(row).toEqual({ _id: row._id, k: row._id, n: 1, m: added.get(row._id) ?? 0 })
    expect((await server.run({ validate: c.collectionName }, 'slices')).valid).toBe(true)
  })

  test('changes and removes only documents that still match after a pause', async () => {
    const c = await rows(2000)
    await c.createIndex({ m: 1 })
    const removing = c.deleteMany({ m: 0, ...slowCondition(100) })
    // Change in reverse order, so that the deleteMany does not match these documents.
    const remaining: number[] = []
    for (let _id = 1999; _id >= 1990; _id--)
      if ((await c.updateOne({ _id, m: 0 }, { $set: { m: 1 } })).modifiedCount === 1) remaining.unshift(_id)
    const { deletedCount } = await removing
    expect(deletedCount).toBe(2000 - remaining.length)
    expect((await c.find().sort({ _id: 1 }).toArray()).map(row => row._id)).toEqual(remaining)
    expect((await server.run({ validate: c.collectionName }, 'slices')).valid).toBe(true)
  })

  test('updates an index that is created meanwhile', async () => {
    const c = await rows(2000)
    const long = c.updateMany(slowCondition(100), { $inc: { k: 1 } })
    await c.createIndex({ k: 1 })
    await long
    expect(await c.countDocuments({ k: { $gt: 1000 } })).toBe(1000)
    expect((await server.run({ validate: c.collectionName }, 'slices')).valid).toBe(true)
  })

  test('claims a different document in each concurrent findAndModify', async () => {
    const c = await rows(300)
    const take = () =>
      c.findOneAndUpdate({ n: 0, ...slowCondition(60) }, { $set: { n: 1 } }, { sort: { k: -1 } })
    const taken = await Promise.all(Array.from({ length: 8 }, take))
    expect(new Set(taken.map(row => row?._id)).size).toBe(8)
    expect(await c.countDocuments({ n: 1 })).toBe(8)
  })

  test('begins after the replies of reads that arrived with it', async () => {
    const store = new Store(mkdtempSync(join(folders, 'replies-')), true)
    const engine = new Engine(store, () => '', 1000)
    const events: string[] = []
    const { write } = store
    vi.spyOn(store, 'write').mockImplementation(work => {
      events.push('write')
      return write.call(store, work) as ReturnType<typeof work>
    })
    const insert = Doc.of({ insert: 'one', documents: [Doc.of({ _id: 1 })], $db: 't' })
    await Promise.all([
      engine.submit(insert).then(() => events.push('written')),
      engine.submit(Doc.of({ find: 'one', $db: 't' })).then(() => events.push('read')),
    ])
    expect(events).toEqual(['read', 'write', 'written'])
    await engine.close()
  })

  test('resumes from its progress if it is retried after a restart', async () => {
    const documents = Array.from({ length: 20_000 }, (_, i) =>
      Doc.of({ _id: i, text: 'a text to be stored' }),
    )
    const insert = Doc.of({
      insert: 'many',
      documents,
      $db: 't',
      lsid: Doc.of({ id: new Binary(4, Buffer.alloc(16, 1)) }),
      txnNumber: 1n,
    })
    const begin = () => new Engine(new Store(folders, true), () => '', 1000)
    const first = begin()
    const cut = first.submit(insert)
    await first.close()
    expect(((await cut) as Doc).get('code')).toBe(11600)
    const second = begin()
    const there = ((await second.submit(Doc.of({ count: 'many', $db: 't' }))) as Doc).get('n')
    expect(there).toBeGreaterThan(0)
    expect(there).toBeLessThan(20_000)
    expect(((await second.submit(insert)) as Doc).get('n')).toBe(20_000)
    expect(((await second.submit(insert)) as Doc).get('n')).toBe(20_000)
    expect(((await second.submit(Doc.of({ count: 'many', $db: 't' }))) as Doc).get('n')).toBe(20_000)
    await second.close()
  })
})

describe('maxTimeMS', () => {
  let name: string
  const endless = {
    $reduce: {
      input: { $range: [0, 1_000_000] },
      initialValue: 0,
      in: { $size: { $map: { input: { $range: [0, 1_000_000] }, in: '$$this' } } },
    },
  }
  beforeAll(async () => {
    name = (await rows(5000)).collectionName
  })

  const slow = slowCondition(100_000)
  const commands: [string, (name: string) => Document][] = [
    ['find', c => ({ find: c, filter: slow })],
    ['a sort', c => ({ find: c, filter: slow, sort: { k: -1 } })],
    ['count', c => ({ count: c, query: slow })],
    ['distinct', c => ({ distinct: c, key: 'k', query: slow })],
    [
      '$lookup',
      c => ({
        aggregate: c,
        pipeline: [{ $lookup: { from: c, localField: 'k', foreignField: 'n', as: 'x' } }],
        cursor: {},
      }),
    ],
    [
      'an expression',
      c => ({ aggregate: c, pipeline: [{ $limit: 1 }, { $project: { x: endless } }], cursor: {} }),
    ],
    [
      '$setUnion',
      c => ({
        aggregate: c,
        pipeline: [
          { $limit: 1 },
          { $project: { x: { $setDifference: [{ $range: [0, 100_000] }, { $range: [100_000, 200_000] }] } } },
        ],
        cursor: {},
      }),
    ],
    ['update', c => ({ update: c, updates: [{ q: slow, u: { $inc: { n: 1 } }, multi: true }] })],
    ['an update pipeline', c => ({ update: c, updates: [{ q: {}, u: [{ $set: { n: endless } }] }] })],
    [
      'delete',
      c => ({
        delete: c,
        deletes: [
          { q: { ...slow, k: -1 }, limit: 0 },
          { q: slow, limit: 0 },
        ],
      }),
    ],
    ['findAndModify', c => ({ findAndModify: c, query: { $nor: [slow] }, update: { $inc: { n: 1 } } })],
    ['createIndexes', c => ({ createIndexes: c, indexes: [{ key: { k: 1 }, name: 'k' }] })],
    ['validate', c => ({ validate: c })],
    ['explain', c => ({ explain: { find: c, filter: slow }, verbosity: 'executionStats' })],
  ]
  test.each(commands)('ends %s', async (kind, command) => {
    const maxTimeMS = ['createIndexes', 'validate'].includes(kind) ? 1 : 30
    const error = await server.failure({ ...command(name), maxTimeMS }, 'slices')
    expect(error.code).toBe(50)
    const { indexes } = await server
      .client()
      .db('slices')
      .collection(name)
      .indexes()
      .then(all => ({ indexes: all.length }))
    expect(indexes).toBe(1)
    expect((await server.run({ validate: name }, 'slices')).valid).toBe(true)
  })

  test('of a find also limits its getMores', async () => {
    const find = { find: name, filter: slow, batchSize: 0, maxTimeMS: 50 }
    const { cursor } = await server.run(find, 'slices')
    const more = { getMore: cursor.id, collection: name }
    expect((await server.failure({ ...more, maxTimeMS: 50 }, 'slices')).code).toBe(2)
    expect((await server.failure(more, 'slices')).code).toBe(50)
    expect((await server.failure(more, 'slices')).code).toBe(43)
  })

  test('ends a transaction', async () => {
    const c = server.client().db('slices').collection<Row>(name)
    const session = server.client().startSession()
    session.startTransaction()
    await c.updateOne({ _id: 0 }, { $set: { m: 5 } }, { session })
    await expect(c.find(slow, { session, maxTimeMS: 30 }).toArray()).rejects.toMatchObject({ code: 50 })
    await expect(c.findOne({}, { session })).rejects.toMatchObject({ code: 251 })
    await session.endSession()
    expect((await c.findOne({ _id: 0 }))?.m).toBe(0)
  })

  test('is not needed to interrupt an expression that cannot pause', { tags: 'long' }, async () => {
    const pipeline = [{ $limit: 1 }, { $project: { x: endless } }]
    expect((await server.failure({ aggregate: name, pipeline, cursor: {} }, 'slices')).code).toBe(50)
  })
})

describe('a pattern with catastrophic backtracking', () => {
  const text = `${'a'.repeat(60)}!`
  let name: string
  beforeAll(async () => {
    name = await server.holding([{ _id: 1, text }])
  })

  const ends = async ($regex: string) => {
    const match = (operator: string) => ({
      aggregate: name,
      pipeline: [{ $project: { x: { [operator]: { input: '$text', regex: $regex } } } }],
      cursor: {},
    })
    expect((await server.failure({ find: name, filter: { text: { $regex } } })).code).toBe(51156)
    expect((await server.failure({ find: name, filter: { text: { $regex } }, maxTimeMS: 20 })).code).toBe(50)
    expect(
      (
        await server.failure({
          update: name,
          updates: [{ q: { text: { $regex } }, u: { $set: { x: 1 } } }],
        })
      ).code,
    ).toBe(51156)
    for (const operator of ['$regexMatch', '$regexFind', '$regexFindAll'])
      expect((await server.failure(match(operator))).code).toBe(51156)
  }
  test.each(['^(a+)+$', '(.*)*x\\1'])('is interrupted: %s', ends)
  test.each(['^(a|aa)+$', '(?=(a+)+$)a', '^(a?){40}a{40}$'])('is interrupted: %s', { tags: 'long' }, ends)

  test('still matches texts that it matches quickly', async () => {
    const docs = ['aaaa', 'b', 'a'.repeat(5000)].map((t, _id) => ({ _id, t }))
    const found = await server.find(await server.holding(docs), { filter: { t: { $regex: '^(a+)+$' } } })
    expect(found.map(doc => plain(doc._id))).toEqual([0, 2])
  })
})

test('sorting in slices is stable', () => {
  const random = randomOf(5)
  const items = Array.from({ length: 5000 }, (_, i) => ({ key: random.below(40), i }))
  const step = sorted(items, (a, b) => a.key - b.key).next()
  expect(step.value).toEqual(items.toSorted((a, b) => a.key - b.key))
})
