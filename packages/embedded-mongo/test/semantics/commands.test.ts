import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Binary, type Document, Int32, Long, MongoClient, Timestamp } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { startEmbeddedMongo } from '../../src/index.js'
import { exact, plain, useServer } from '../support.js'

const server = useServer()

const ids = (rows: Document[]) => rows.map(row => plain(row._id)).sort((a, b) => a - b)

describe('let', () => {
  const rows = [
    { _id: 1, x: 3 },
    { _id: 2, x: 4 },
  ]
  const lets = { two: { $add: [1, 1] }, v: { $add: ['$$two', 1] } }
  const isV = { $expr: { $eq: ['$x', '$$v'] } }

  test('is evaluated in find, in its filter and its projection', async () => {
    const name = await server.holding(rows)
    expect(ids(await server.find(name, { filter: isV, let: lets }))).toEqual([1])
    const [row] = await server.find(name, {
      filter: { _id: 2 },
      projection: { sum: { $add: ['$x', '$$v'] } },
      let: lets,
    })
    expect(plain(row?.sum)).toBe(7)
  })

  test('is evaluated in aggregate, in every stage and inside $lookup', async () => {
    const name = await server.holding(rows)
    const { cursor } = await server.run({
      aggregate: name,
      cursor: {},
      let: lets,
      pipeline: [
        { $match: isV },
        { $set: { v: '$$v' } },
        { $lookup: { from: name, as: 'same', pipeline: [{ $match: isV }] } },
      ],
    })
    expect(exact(cursor.firstBatch)).toBe(
      exact([
        {
          _id: new Int32(1),
          x: new Int32(3),
          v: new Int32(3),
          same: [{ _id: new Int32(1), x: new Int32(3) }],
        },
      ]),
    )
  })

  test('is evaluated in update, in its filter and its pipeline, and so is findAndModify’s', async () => {
    const name = await server.holding(rows)
    const updated = await server.run({
      update: name,
      updates: [{ q: isV, u: [{ $set: { y: '$$v' } }] }],
      let: lets,
    })
    expect([plain(updated.n), plain((await server.find(name, { filter: { y: 3 } })).length)]).toEqual([1, 1])
    const { value } = await server.run({
      findAndModify: name,
      query: isV,
      update: [{ $set: { z: '$$v' } }],
      new: true,
      let: lets,
    })
    expect(plain(value.z)).toBe(3)
  })

  test('is evaluated in delete and in bulkWrite', async () => {
    const name = await server.holding(rows)
    expect(plain((await server.run({ delete: name, deletes: [{ q: isV, limit: 0 }], let: lets })).n)).toBe(1)
    const bulk = {
      bulkWrite: 1,
      ops: [{ delete: 0, filter: { $expr: { $eq: ['$x', '$$four'] } }, multi: true }],
      nsInfo: [{ ns: `semantics.${name}` }],
      let: { four: { $multiply: [2, 2] } },
    }
    expect(plain((await server.run(bulk, 'admin')).nDeleted)).toBe(1)
  })

  test('is evaluated once per command', async () => {
    const name = await server.holding(Array.from({ length: 50 }, (_, i) => ({ _id: i })))
    const found = await server.find(name, { projection: { r: '$$r' }, let: { r: { $rand: {} } } })
    expect(new Set(found.map(row => String(row.r))).size).toBe(1)
  })

  test('reads no document, and its names are checked', async () => {
    const name = await server.holding(rows)
    const code = async (given: Document) => (await server.failure({ find: name, let: given })).code
    expect(await code({ v: '$x' })).toBe(4890500)
    expect(await code({ v: { $add: [1, '$$ROOT.x'] } })).toBe(4890500)
    expect(await code({ V: 1 })).toBe(9)
    expect(await code({ v: { $what: 1 } })).toBe(168)
    expect(await code({ v: '$$w' })).toBe(17276)
    expect((await server.failure({ count: name, query: {}, let: {} })).code).toBe(40415)
    expect((await server.failure({ distinct: name, key: 'x', let: {} })).code).toBe(40415)
  })

  test('a statement’s constants are values, and allowed only with a pipeline', async () => {
    const name = await server.holding(rows)
    await server.run({ update: name, updates: [{ q: { _id: 1 }, u: [{ $set: { y: '$$k' } }], c: { k: 5 } }] })
    expect(plain((await server.find(name, { filter: { _id: 1 } }))[0]?.y)).toBe(5)
    const refused = { update: name, updates: [{ q: { _id: 1 }, u: { $set: { y: 1 } }, c: { k: 5 } }] }
    expect((await server.failure(refused)).code).toBe(51198)
  })
})

describe('an index serves', () => {
  const indexed = async () => {
    const name = await server.holding(
      Array.from({ length: 200 }, (_, i) => ({ _id: i, x: i % 50, tags: [i % 50], y: i % 2 })),
    )
    await server.run({
      createIndexes: name,
      indexes: [
        { key: { x: 1 }, name: 'x_1' },
        { key: { tags: 1 }, name: 'tags_1' },
      ],
    })
    return name
  }
  const cases: [name: string, filter: Document, index: string, docs: number, found: number][] = [
    ['an equality of $expr', { $expr: { $eq: ['$x', 3] } }, 'x_1', 4, 4],
    ['an equality with the field on the right', { $expr: { $eq: [{ $add: [1, 2] }, '$x'] } }, 'x_1', 4, 4],
    ['an equality with a variable', { $expr: { $eq: ['$x', '$$v'] } }, 'x_1', 4, 4],
    ['an equality below $and', { $expr: { $and: [{ $eq: ['$x', 3] }, { $gt: ['$y', 0] }] } }, 'x_1', 4, 4],
    ['an equality below a query’s $and', { $and: [{ y: 1 }, { $expr: { $eq: ['$x', 3] } }] }, 'x_1', 4, 4],
    [
      'an equality of a field with arrays, none of which equals the value',
      { $expr: { $eq: ['$tags', 3] } },
      'tags_1',
      4,
      0,
    ],
  ]
  test.each(cases)('%s', async (_, filter, index, docs, found) => {
    const name = await indexed()
    const explain = { find: name, filter, let: { v: { $subtract: [5, 2] } } }
    const { queryPlanner, executionStats } = await server.run({ explain, verbosity: 'executionStats' })
    expect(queryPlanner.winningPlan.inputStage?.indexName).toBe(index)
    expect([plain(executionStats.totalDocsExamined), plain(executionStats.nReturned)]).toEqual([docs, found])
  })

  test('no equality with a value of the document, an array or a missing value', async () => {
    const name = await indexed()
    for (const other of ['$y', [3], null, '$$REMOVE', { $rand: {} }]) {
      const explain = { find: name, filter: { $expr: { $eq: ['$x', other] } } }
      const { queryPlanner } = await server.run({ explain, verbosity: 'queryPlanner' })
      expect(queryPlanner.winningPlan.stage).toBe('COLLSCAN')
    }
    expect(ids(await server.find(name, { filter: { $expr: { $eq: ['$tags', [3]] } } }))).toEqual([
      3, 53, 103, 153,
    ])
  })

  const joins: [name: string, lookup: Document, matched: number][] = [
    ['by two fields', { localField: 'k', foreignField: 'x' }, 4],
    ['by an expression', { let: { k: '$k' }, pipeline: [{ $match: { $expr: { $eq: ['$x', '$$k'] } } }] }, 4],
    [
      'by $and of conditions',
      { let: { k: '$k' }, pipeline: [{ $match: { $and: [{ y: 1 }, { $expr: { $eq: ['$x', '$$k'] } }] } }] },
      4,
    ],
    [
      'by $or of conditions',
      { pipeline: [{ $match: { $or: [{ x: 3 }, { x: 5 }] } }, { $match: { y: 1 } }] },
      8,
    ],
    [
      'by two fields and a pipeline',
      { localField: 'k', foreignField: 'x', pipeline: [{ $match: { $expr: { $eq: ['$y', 1] } } }] },
      4,
    ],
  ]
  test.each(joins)('$lookup %s', async (_, lookup, matched) => {
    const name = await indexed()
    const local = await server.holding([
      { _id: 1, k: 3 },
      { _id: 2, k: 3 },
    ])
    const pipeline = [{ $set: { z: 1 } }, { $lookup: { from: name, as: 'found', ...lookup } }]
    const explain = { aggregate: local, pipeline, cursor: {} }
    const { stages } = await server.run({ explain, verbosity: 'executionStats' })
    expect(stages[2].indexesUsed).toEqual(['x_1'])
    expect([plain(stages[2].totalDocsExamined), plain(stages[2].collectionScans)]).toEqual([2 * matched, 0])
    const rows = await server.aggregate(local, pipeline)
    expect(rows.map(row => row.found.length)).toEqual([matched, matched])
  })

  test('$lookup joins a different value of let for each document', async () => {
    const name = await indexed()
    const local = await server.holding([{ _id: 1, k: 3 }, { _id: 2, k: 4 }, { _id: 3 }])
    const pipeline = [{ $match: { $expr: { $eq: ['$x', '$$k'] } } }]
    const rows = await server.aggregate(local, [
      { $lookup: { from: name, as: 'found', let: { k: '$k' }, pipeline } },
    ])
    expect(rows.map(row => ids(row.found))).toEqual([[3, 53, 103, 153], [4, 54, 104, 154], []])
  })

  test('$lookup by a pattern finds the pattern, not the texts that it matches', async () => {
    const name = await server.holding([
      { _id: 1, x: 'abc' },
      { _id: 2, x: /a/ },
      { _id: 3, x: Long.fromNumber(5) },
    ])
    const local = await server.holding([{ _id: 1, k: [/a/, 5] }])
    const [row] = await server.aggregate(local, [
      { $lookup: { from: name, as: 'found', localField: 'k', foreignField: 'x' } },
    ])
    expect(ids(row?.found)).toEqual([2, 3])
  })
})

describe('write concerns', () => {
  const w10 = { w: 10 }
  /** Returns the raw reply: the driver throws on write concern errors. */
  const reply = async (command: Document, db = 'semantics'): Promise<Document> =>
    server.run({ ...command, writeConcern: w10 }, db).catch(error => error.result ?? error.errorResponse)

  const expectUnmet = (document: Document) => {
    const { code, codeName, errmsg, errInfo } = document.writeConcernError
    expect([plain(code), codeName, errmsg]).toEqual([
      100,
      'UnsatisfiableWriteConcern',
      'Not enough data-bearing nodes',
    ])
    expect(plain(errInfo.writeConcern.w)).toBe(10)
    expect(plain(document.ok)).toBe(1)
  }

  test('with too many members are reported as unsatisfiable after the write', async () => {
    const name = await server.holding([])
    expectUnmet(await reply({ insert: name, documents: [{ _id: 1 }] }))
    expect(ids(await server.find(name))).toEqual([1])
    expectUnmet(await reply({ update: name, updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] }))
    expectUnmet(await reply({ findAndModify: name, query: { _id: 1 }, update: { $set: { b: 1 } } }))
    expect(exact(await server.find(name))).toBe(
      exact([{ _id: new Int32(1), a: new Int32(1), b: new Int32(1) }]),
    )
    expectUnmet(await reply({ delete: name, deletes: [{ q: { _id: 1 }, limit: 1 }] }))
    expect(await server.find(name)).toEqual([])
    const ops = [{ insert: 0, document: { _id: 2 } }]
    expectUnmet(await reply({ bulkWrite: 1, ops, nsInfo: [{ ns: `semantics.${name}` }] }, 'admin'))
    expectUnmet(await reply({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'a_1' }] }))
    expect((await server.run({ listIndexes: name })).cursor.firstBatch).toHaveLength(2)
    expectUnmet(await reply({ drop: name }))
    expect((await server.failure({ listIndexes: name })).code).toBe(26)
  })

  test('are reported as unsatisfiable together with a write error', async () => {
    const name = await server.holding([{ _id: 1 }])
    const result = await reply({ insert: name, documents: [{ _id: 1 }] })
    expectUnmet(result)
    expect(plain(result.writeErrors[0].code)).toBe(11000)
  })

  test('throw a MongoWriteConcernError in the driver if they are unsatisfiable', async () => {
    const name = await server.holding([])
    const collection = server.client().db('semantics').collection<{ _id: number }>(name)
    const error = await collection.insertOne({ _id: 1 }, { writeConcern: w10 }).catch(failure => failure)
    expect([error.name, error.code]).toEqual(['MongoWriteConcernError', 100])
    expect(await collection.countDocuments()).toBe(1)
  })

  test('of a commit are reported as unsatisfiable after the commit', async () => {
    const name = await server.holding([])
    const session = server.client().startSession()
    const collection = server.client().db('semantics').collection<{ _id: number }>(name)
    session.startTransaction({ writeConcern: w10 })
    await collection.insertOne({ _id: 1 }, { session })
    const error = await session.commitTransaction().catch(failure => failure)
    expect(error.code).toBe(100)
    await session.endSession()
    expect(ids(await server.find(name))).toEqual([1])
  })

  test('with an unknown name fail after the write', async () => {
    const name = await server.holding([])
    const failure = await server.failure({
      insert: name,
      documents: [{ _id: 1 }],
      writeConcern: { w: 'two' },
    })
    expect(failure.code).toBe(79)
    expect(ids(await server.find(name))).toEqual([1])
  })

  test('that one member satisfies are accepted', async () => {
    const name = await server.holding([])
    for (const writeConcern of [{ w: 1, j: true }, { w: 'majority', wtimeout: 5 }, { w: 0 }, {}])
      await server.run({ insert: name, documents: [{}], writeConcern })
    expect(await server.find(name)).toHaveLength(4)
  })

  test('are rejected in a transaction before its commit', async () => {
    const name = await server.holding([])
    const session = server.client().startSession()
    session.startTransaction()
    const command = { insert: name, documents: [{}], writeConcern: { w: 1 } }
    const error = await server
      .client()
      .db('semantics')
      .command(command, { session })
      .catch(failure => failure)
    await session.abortTransaction()
    await session.endSession()
    expect(error.code).toBe(72)
  })
})

describe('the cluster time', () => {
  const later = (a: Timestamp, b: Timestamp) => a.compare(b) > 0
  const gossip = (clusterTime: Timestamp) => ({
    clusterTime,
    signature: { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO },
  })

  test('is in every reply, including errors', async () => {
    const name = await server.holding([])
    const { operationTime, $clusterTime } = await server.run({ ping: 1 })
    expect(operationTime.getHighBits()).toBeGreaterThan(1_700_000_000)
    expect($clusterTime.clusterTime.compare(operationTime)).toBe(0)
    expect($clusterTime.signature.hash.length()).toBe(20)
    const error = await server.run({ frobnicate: name }).catch(failure => failure)
    expect(error.errorResponse.operationTime).toBeInstanceOf(Timestamp)
  })

  test('increases with every write, and never decreases', async () => {
    const name = await server.holding([])
    const times: Timestamp[] = []
    for (let i = 0; i < 5; i++) {
      times.push((await server.run({ insert: name, documents: [{}] })).operationTime)
      times.push((await server.run({ find: name })).operationTime)
    }
    for (let i = 1; i < times.length; i++) {
      const [before, now] = [times[i - 1]!, times[i]!]
      expect(i % 2 === 0 ? later(now, before) : !later(before, now)).toBe(true)
    }
  })

  test('continues after a restart, and advances to a client’s gossiped time', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cluster-time-'))
    const times: Timestamp[] = []
    const ahead = new Timestamp({ t: Math.floor(Date.now() / 1000) + 5000, i: 7 })
    for (let i = 0; i < 3; i++) {
      const mongo = await startEmbeddedMongo({ dataDir })
      const client = await new MongoClient(mongo.uri).connect()
      times.push((await client.db('t').command({ ping: 1 })).operationTime)
      // Gossiped once: the time is persisted with the write, independent of the clocks.
      const session = client.startSession()
      if (i === 0) session.advanceClusterTime(gossip(ahead))
      times.push((await client.db('t').command({ insert: 'c', documents: [{}] }, { session })).operationTime)
      await session.endSession()
      await client.close()
      await mongo.stop()
    }
    rmSync(dataDir, { recursive: true })
    expect(later(times[1]!, ahead)).toBe(true)
    for (let i = 1; i < times.length; i++) expect(later(times[i - 1]!, times[i]!)).toBe(false)
  })

  test('is advanced by at most a year', async () => {
    const clusterTime = new Timestamp({ t: Math.floor(Date.now() / 1000) + 40_000_000, i: 1 })
    const session = server.client().startSession()
    session.advanceClusterTime(gossip(clusterTime))
    const failure = await server
      .client()
      .db('semantics')
      .command({ ping: 1 }, { session })
      .catch(error => error)
    await session.endSession()
    expect(failure.code).toBe(209)
  })

  test('lets a causally consistent session read its own writes', async () => {
    const name = await server.holding([])
    await server.client().withSession({ causalConsistency: true }, async session => {
      const collection = server.client().db('semantics').collection<{ _id: number }>(name)
      for (let i = 0; i < 5; i++) {
        await collection.insertOne({ _id: i }, { session })
        expect(session.operationTime).toBeInstanceOf(Timestamp)
        expect(await collection.findOne({ _id: i }, { session })).toEqual({ _id: i })
      }
    })
  })

  test('does not support snapshot sessions', async () => {
    const name = await server.holding([{ _id: 1 }])
    await server.client().withSession({ snapshot: true }, async session => {
      const collection = server.client().db('semantics').collection(name)
      for (const read of [
        () => collection.findOne({}, { session }),
        () => collection.aggregate([{ $count: 'n' }], { session }).toArray(),
        () => collection.distinct('_id', {}, { session }),
      ])
        await expect(read()).rejects.toMatchObject({ code: 72 })
    })
  })

  test('supports snapshot reads in transactions', async () => {
    const name = await server.holding([{ _id: 1 }])
    const collection = server.client().db('semantics').collection<{ _id: number }>(name)
    const session = server.client().startSession()
    session.startTransaction({ readConcern: { level: 'snapshot' } })
    expect(await collection.countDocuments({}, { session })).toBe(1)
    await collection.insertOne({ _id: 2 })
    expect(await collection.countDocuments({}, { session })).toBe(1)
    await session.abortTransaction()
    session.startTransaction({ readConcern: { level: 'linearizable' } })
    await expect(collection.findOne({}, { session })).rejects.toMatchObject({ code: 72 })
    await session.abortTransaction().catch(() => {})
    await session.endSession()
  })
})

describe('results beyond 16 MB', () => {
  const text = 'x'.repeat(1_000_000)
  const large = async () => {
    const name = await server.holding([])
    for (let i = 0; i < 20; i++) await server.run({ insert: name, documents: [{ _id: i, t: `${i}${text}` }] })
    return name
  }
  const failure = async (command: Document) => (await server.failure(command)).code
  const pipelines: [name: string, stages: (name: string) => Document[]][] = [
    ['$group with $push', () => [{ $group: { _id: null, all: { $push: '$t' } } }]],
    ['$group with $addToSet', () => [{ $group: { _id: null, all: { $addToSet: '$t' } } }]],
    ['$lookup', name => [{ $limit: 1 }, { $lookup: { from: name, as: 'all', pipeline: [] } }]],
    ['$facet', () => [{ $facet: { all: [{ $match: {} }] } }]],
    [
      'an expression',
      () => [{ $limit: 1 }, { $project: { all: { $map: { input: { $range: [0, 20] }, in: '$t' } } } }],
    ],
  ]

  test.each(pipelines)(
    'of %s are rejected, but allowed as intermediate results',
    { tags: 'long' },
    async (_, stages) => {
      const name = await large()
      const pipeline = stages(name)
      expect(await failure({ aggregate: name, pipeline, cursor: {} })).toBe(10334)
      const [row] = await server.aggregate(name, [...pipeline, { $project: { n: { $size: '$all' } } }])
      expect(plain(row?.n)).toBe(20)
    },
  )

  test('of a projection are rejected', { tags: 'long' }, async () => {
    const name = await large()
    const projection = { all: { $map: { input: { $range: [0, 20] }, in: '$t' } } }
    expect(await failure({ find: name, projection, limit: 1 })).toBe(10334)
  })

  test('of distinct are rejected, with and without an index', { tags: 'long' }, async () => {
    const name = await large()
    expect(await failure({ distinct: name, key: 't' })).toBe(17217)
    await server.run({ createIndexes: name, indexes: [{ key: { t: 1 }, name: 't_1' }] })
    expect(await failure({ distinct: name, key: 't' })).toBe(17217)
    expect((await server.run({ distinct: name, key: 't', query: { _id: { $lt: 15 } } })).values).toHaveLength(
      15,
    )
  })

  test('in many documents are returned in batches', { tags: 'long' }, async () => {
    const name = await large()
    const found = await server.client().db('semantics').collection(name).find().toArray()
    expect(found).toHaveLength(20)
  })

  test('are limited to 100 MB in an accumulator', { tags: 'long' }, async () => {
    const name = await large()
    const repeated = [{ $set: { n: { $range: [0, 6] } } }, { $unwind: '$n' }]
    const pipeline = [
      ...repeated,
      { $group: { _id: null, all: { $push: '$t' } } },
      { $project: { n: { $size: '$all' } } },
    ]
    expect(await failure({ aggregate: name, pipeline, cursor: {} })).toBe(146)
    const joined = [
      { $limit: 1 },
      { $lookup: { from: name, as: 'all', pipeline: repeated } },
      { $project: { n: { $size: '$all' } } },
    ]
    expect(await failure({ aggregate: name, pipeline: joined, cursor: {} })).toBe(4568)
  })
})
