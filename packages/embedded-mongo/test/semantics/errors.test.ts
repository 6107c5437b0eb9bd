import { type Document, Double, Int32, Long, Timestamp } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { exact, plain, useServer } from '../support.js'

const server = useServer()

describe("rejected with MongoDB's code", () => {
  /** Commands (`C` is an existing collection) with their error codes. */
  const cases: [name: string, command: Document, code: number][] = [
    ['an unknown command', { frobnicate: 1 }, 59],
    ['an unknown field of find', { find: 'C', what: 1 }, 40415],
    ['an unknown field of insert', { insert: 'C', documents: [{}], what: 1 }, 40415],
    ['an unknown field of an update statement', { update: 'C', updates: [{ q: {}, u: {}, what: 1 }] }, 40415],
    ['an unknown query operator', { find: 'C', filter: { a: { $what: 1 } } }, 2],
    ['an unknown top-level operator', { find: 'C', filter: { $what: 1 } }, 2],
    ['$where', { find: 'C', filter: { $where: '1' } }, 2],
    ['$text', { find: 'C', filter: { $text: { $search: 'x' } } }, 27],
    ['$near', { find: 'C', filter: { a: { $near: [0, 0] } } }, 291],
    ['$geoWithin', { find: 'C', filter: { a: { $geoWithin: {} } } }, 238],
    ['$jsonSchema', { find: 'C', filter: { $jsonSchema: {} } }, 238],
    ['an empty $and', { find: 'C', filter: { $and: [] } }, 2],
    ['$or of no array', { find: 'C', filter: { $or: {} } }, 2],
    ['$in of no array', { find: 'C', filter: { a: { $in: 1 } } }, 2],
    ['$in with an operator', { find: 'C', filter: { a: { $in: [{ $gt: 1 }] } } }, 2],
    ['$all of no array', { find: 'C', filter: { a: { $all: 1 } } }, 2],
    ['$size of a text', { find: 'C', filter: { a: { $size: 'x' } } }, 2],
    ['a negative $size', { find: 'C', filter: { a: { $size: -1 } } }, 2],
    ['$mod of one number', { find: 'C', filter: { a: { $mod: [1] } } }, 2],
    ['$mod by zero', { find: 'C', filter: { a: { $mod: [0, 1] } } }, 2],
    ['$elemMatch of no document', { find: 'C', filter: { a: { $elemMatch: 1 } } }, 2],
    ['$not of a value', { find: 'C', filter: { a: { $not: 1 } } }, 2],
    ['an unknown type name', { find: 'C', filter: { a: { $type: 'what' } } }, 2],
    ['a broken regular expression', { find: 'C', filter: { a: { $regex: '(' } } }, 51091],
    ['an unknown regex option', { find: 'C', filter: { a: { $regex: 'a', $options: 'q' } } }, 51108],
    ['an atomic group', { find: 'C', filter: { a: { $regex: '(?>a)' } } }, 51091],
    ['$options alone', { find: 'C', filter: { a: { $options: 'i' } } }, 2],
    ['a filter that is no document', { find: 'C', filter: 1 }, 14],
    ['a negative skip', { find: 'C', skip: -1 }, 51024],
    ['a negative limit', { find: 'C', limit: -1 }, 51024],
    ['a sort by 2', { find: 'C', sort: { a: 2 } }, 15975],
    ['a hint for no index', { find: 'C', hint: 'what' }, 2],
    ['a collation', { find: 'C', collation: { locale: 'fr' } }, 303],
    ['a tailable cursor', { find: 'C', tailable: true }, 303],
    ['min', { find: 'C', min: { a: 1 } }, 303],
    ['a read concern that does not exist', { find: 'C', readConcern: { level: 'what' } }, 9],
    ['a write concern for a hundred servers', { insert: 'C', documents: [{}], writeConcern: { w: 100 } }, 9],
    ['a write concern of no document', { insert: 'C', documents: [{}], writeConcern: 1 }, 14],
    ['an unknown field of a write concern', { insert: 'C', documents: [{}], writeConcern: { x: 1 } }, 9],
    ['a write concern of a read', { find: 'C', writeConcern: { w: 1 } }, 72],
    ['a read concern of a write', { insert: 'C', documents: [{}], readConcern: { level: 'majority' } }, 72],
    ['a snapshot outside of a transaction', { find: 'C', readConcern: { level: 'snapshot' } }, 72],
    [
      'a read at a past time',
      { find: 'C', readConcern: { level: 'snapshot', atClusterTime: new Timestamp({ t: 1, i: 1 }) } },
      72,
    ],
    [
      'a read after a future time',
      { find: 'C', readConcern: { afterClusterTime: new Timestamp({ t: 4_000_000_000, i: 1 }) } },
      72,
    ],
    ['an unknown field of a read concern', { find: 'C', readConcern: { x: 1 } }, 40415],
    ['$expr inside $elemMatch', { find: 'C', filter: { a: { $elemMatch: { $expr: true } } } }, 2],
    ['a cursor without timeout', { find: 'C', noCursorTimeout: true }, 303],
    ['a sort that may not use a disk', { find: 'C', sort: { a: 1 }, allowDiskUse: false }, 303],
    ['the same in a pipeline', { aggregate: 'C', pipeline: [], cursor: {}, allowDiskUse: false }, 303],
    [
      'a sort of many updates',
      { update: 'C', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true, sort: { a: 1 } }] },
      9,
    ],
    ['another _id index', { create: 'x', idIndex: { key: { _id: -1 }, name: '_id_' } }, 2],
    ['no _id index', { create: 'x', autoIndexId: false }, 115],
    [
      'a commit quorum of two',
      { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a' }], commitQuorum: 2 },
      278,
    ],
    [
      'unknown index options to be ignored',
      { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a' }], ignoreUnknownIndexOptions: true },
      303,
    ],
    ['an index of version 1', { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a', v: 1 }] }, 67],
    ['the builds of indexes', { listIndexes: 'C', includeBuildUUIDs: true }, 303],
    ['a version of the API to come', { ping: 1, apiVersion: '2' }, 322],
    ['a strict client without a version', { ping: 1, apiStrict: true }, 322],
    [
      'a command beyond the API for a strict client',
      { distinct: 'C', key: 'a', apiVersion: '1', apiStrict: true },
      323,
    ],
    ['half a reference as a value', { find: 'C', filter: { a: { $id: 1 } } }, 2],
    ['getMore of no cursor', { getMore: Long.fromNumber(5), collection: 'C' }, 43],
    ['a batch of nothing', { insert: 'C', documents: [] }, 16],
    ['an _id array', { insert: 'C', documents: [{ _id: [1] }] }, 53],
    ['an _id regular expression', { insert: 'C', documents: [{ _id: /a/ }] }, 53],
    ['an _id with a dollar', { insert: 'C', documents: [{ _id: { $a: 1 } }] }, 52],
    ['a delete without limit', { delete: 'C', deletes: [{ q: {} }] }, 40414],
    ['a capped collection', { create: 'x', capped: true, size: 1000 }, 115],
    ['a time series', { create: 'x', timeseries: { timeField: 't' } }, 115],
    ['a view', { create: 'x', viewOn: 'C', pipeline: [] }, 115],
    ['a validator', { create: 'x', validator: {} }, 115],
    ['a clustered collection', { create: 'x', clusteredIndex: { key: { _id: 1 }, unique: true } }, 115],
    ['a collection with a dollar', { create: 'a$b' }, 73],
    ['a collection without a name', { find: '' }, 73],
    ['a collection by number', { find: 1 }, 73],
    ['a system collection', { insert: 'system.x', documents: [{}] }, 73],
    ['a user', { createUser: 'x', pwd: 'y', roles: [] }, 59],
    ['a text index', { createIndexes: 'C', indexes: [{ key: { a: 'text' }, name: 'a' }] }, 67],
    ['a geo index', { createIndexes: 'C', indexes: [{ key: { a: '2dsphere' }, name: 'a' }] }, 67],
    ['a hashed index', { createIndexes: 'C', indexes: [{ key: { a: 'hashed' }, name: 'a' }] }, 67],
    ['a wildcard index', { createIndexes: 'C', indexes: [{ key: { '$**': 1 }, name: 'a' }] }, 67],
    ['an index in direction 0', { createIndexes: 'C', indexes: [{ key: { a: 0 }, name: 'a' }] }, 67],
    ['an index of nothing', { createIndexes: 'C', indexes: [{ key: {}, name: 'a' }] }, 67],
    ['an index without a name', { createIndexes: 'C', indexes: [{ key: { a: 1 } }] }, 9],
    [
      'an unknown index option',
      { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a', what: 1 }] },
      197,
    ],
    [
      'an index with a collation',
      { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a', collation: { locale: 'fr' } }] },
      67,
    ],
    [
      'a compound TTL index',
      { createIndexes: 'C', indexes: [{ key: { a: 1, b: 1 }, name: 'a', expireAfterSeconds: 5 }] },
      67,
    ],
    [
      'a negative TTL',
      { createIndexes: 'C', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: -5 }] },
      67,
    ],
    [
      'sparse and partial',
      {
        createIndexes: 'C',
        indexes: [{ key: { a: 1 }, name: 'a', sparse: true, partialFilterExpression: { a: 1 } }],
      },
      67,
    ],
    [
      'a partial index by $ne',
      {
        createIndexes: 'C',
        indexes: [{ key: { a: 1 }, name: 'a', partialFilterExpression: { a: { $ne: 1 } } }],
      },
      67,
    ],
    [
      'the same index under another name',
      { createIndexes: 'C', indexes: [{ key: { k: 1 }, name: 'other' }] },
      85,
    ],
    [
      'the same index with other options',
      { createIndexes: 'C', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] },
      85,
    ],
    [
      'another index under the same name',
      { createIndexes: 'C', indexes: [{ key: { z: 1 }, name: 'k_1' }] },
      86,
    ],
    ['dropping no index', { dropIndexes: 'C', index: 'what' }, 27],
    ['dropping the _id index', { dropIndexes: 'C', index: '_id_' }, 72],
    ['dropping indexes of no collection', { dropIndexes: 'nowhere', index: '*' }, 26],
    ['the indexes of no collection', { listIndexes: 'nowhere' }, 26],
    ['aggregate without a cursor', { aggregate: 'C', pipeline: [] }, 9],
    ['aggregate of no collection', { aggregate: 1, pipeline: [{ $match: {} }], cursor: {} }, 73],
    ['$setWindowFields', { aggregate: 'C', pipeline: [{ $setWindowFields: {} }], cursor: {} }, 40324],
    ['$merge', { aggregate: 'C', pipeline: [{ $merge: 'x' }], cursor: {} }, 40324],
    ['listDatabases elsewhere than admin', { listDatabases: 1 }, 13],
    ['mapReduce', { mapReduce: 'C' }, 59],
  ]
  test.each(cases)('%s', async (_, command, code) => {
    const name = await server.holding([{ _id: 1, k: 1 }])
    await server.run({ createIndexes: name, indexes: [{ key: { k: 1 }, name: 'k_1' }] })
    const named = Object.fromEntries(
      Object.entries(command).map(([key, value]) => [key, value === 'C' ? name : value]),
    )
    expect((await server.failure(named)).code).toBe(code)
    expect((await server.find(name)).length).toBe(1)
  })

  test('a database with a bad name', async () => {
    for (const db of ['a b', 'a$', 'x'.repeat(64)]) {
      // Bypasses the driver's own check of the database name.
      const failure = await server
        .client()
        .db('ok')
        .command({ find: 'c', $db: db })
        .catch(error => error)
      expect(failure.code ?? 73).toBe(73)
    }
  })

  test('a document that is too large', { tags: 'long' }, async () => {
    const name = await server.holding([{ _id: 1, t: 'x'.repeat(9_000_000) }])
    const failure = await server.failure({
      update: name,
      updates: [{ q: {}, u: { $set: { u: 'y'.repeat(9_000_000) } } }],
    })
    expect(failure.code).toBe(10334)
  })
})

describe('unique indexes', () => {
  const cases: [name: string, index: Document, docs: Document[], refused: Document, keyValue: Document][] = [
    ['of a value', { key: { a: 1 } }, [{ a: 1 }], { a: new Double(1) }, { a: new Double(1) }],
    ['of missing values', { key: { a: 1 } }, [{ b: 1 }], { c: 1 }, { a: null }],
    ['of null and missing', { key: { a: 1 } }, [{ a: null }], {}, { a: null }],
    [
      'of two values',
      { key: { a: 1, b: -1 } },
      [
        { a: 1, b: 2 },
        { a: 1, b: 3 },
      ],
      { a: 1, b: 3 },
      { a: 1, b: 3 },
    ],
    ['of array elements', { key: { a: 1 } }, [{ a: [1, 2] }], { a: [2, 3] }, { a: 2 }],
    ['of a path', { key: { 'a.b': 1 } }, [{ a: { b: 1 } }], { a: [{ b: 5 }, { b: 1 }] }, { 'a.b': 1 }],
    ['of documents', { key: { a: 1 } }, [{ a: { x: 1 } }], { a: { x: 1 } }, { a: { x: 1 } }],
    [
      'of texts longer than a key may be',
      { key: { a: 1 } },
      [{ a: 'x'.repeat(3000) }],
      { a: 'x'.repeat(3000) },
      { a: 'x'.repeat(3000) },
    ],
  ]
  test.each(cases)('%s', async (_, index, docs, refused, keyValue) => {
    const name = await server.holding(docs)
    await server.run({ createIndexes: name, indexes: [{ ...index, name: 'u', unique: true }] })
    const failure = await server.failure({ insert: name, documents: [refused] })
    expect(failure.code).toBe(11000)
    expect(exact(failure.keyPattern)).toBe(exact(index.key))
    expect(exact(failure.keyValue)).toBe(exact(keyValue))
    expect(plain((await server.run({ count: name, query: {} })).n)).toBe(docs.length)
  })

  test('distinguish texts that differ beyond the maximum key length', async () => {
    const name = await server.holding([{ a: `${'x'.repeat(3000)}1` }])
    await server.run({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'u', unique: true }] })
    await server.run({ insert: name, documents: [{ a: `${'x'.repeat(3000)}2` }] })
    expect((await server.find(name, { filter: { a: `${'x'.repeat(3000)}2` } })).length).toBe(1)
  })

  test('allow a value twice in one document', async () => {
    const name = await server.holding([])
    await server.run({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'u', unique: true }] })
    await server.run({ insert: name, documents: [{ a: [1, 1] }] })
  })

  test('allow several documents without the field if they are sparse', async () => {
    const name = await server.holding([{}, {}])
    await server.run({
      createIndexes: name,
      indexes: [{ key: { a: 1 }, name: 'u', unique: true, sparse: true }],
    })
    await server.run({ insert: name, documents: [{}, { a: 1 }] })
    expect((await server.failure({ insert: name, documents: [{ a: 1 }] })).code).toBe(11000)
  })

  test('apply only to their documents if they are partial', async () => {
    const name = await server.holding([
      { a: 1, live: false },
      { a: 1, live: false },
    ])
    await server.run({
      createIndexes: name,
      indexes: [{ key: { a: 1 }, name: 'u', unique: true, partialFilterExpression: { live: true } }],
    })
    await server.run({ insert: name, documents: [{ a: 1, live: true }] })
    expect((await server.failure({ insert: name, documents: [{ a: 1, live: true }] })).code).toBe(11000)
    expect(
      (await server.failure({ update: name, updates: [{ q: { live: false }, u: { $set: { live: true } } }] }))
        .code,
    ).toBe(11000)
  })

  test('are not created if documents violate them', async () => {
    const name = await server.holding([{ a: 1 }, { a: 1 }])
    expect(
      (await server.failure({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'u', unique: true }] }))
        .code,
    ).toBe(11000)
    expect((await server.run({ listIndexes: name })).cursor.firstBatch.length).toBe(1)
    await server.run({ insert: name, documents: [{ a: 1 }] })
  })

  test('reject updates and upserts, which change nothing', async () => {
    const name = await server.holding([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ])
    await server.run({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'u', unique: true }] })
    expect(
      (await server.failure({ update: name, updates: [{ q: { _id: 2 }, u: { $set: { a: 1 } } }] })).code,
    ).toBe(11000)
    expect(
      (
        await server.failure({
          update: name,
          updates: [{ q: { _id: 3 }, u: { $set: { a: 1 } }, upsert: true }],
        })
      ).code,
    ).toBe(11000)
    expect(exact(await server.find(name))).toBe(
      exact([
        { _id: new Int32(1), a: new Int32(1) },
        { _id: new Int32(2), a: new Int32(2) },
      ]),
    )
  })

  test('a compound index rejects parallel arrays', async () => {
    const name = await server.holding([])
    await server.run({ createIndexes: name, indexes: [{ key: { a: 1, b: 1 }, name: 'ab' }] })
    expect((await server.failure({ insert: name, documents: [{ a: [1], b: [2] }] })).code).toBe(171)
  })
})

describe('batches of writes', () => {
  test('stop at the first error if they are ordered, else continue', async () => {
    const name = await server.holding([{ _id: 2 }])
    const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }]
    const ordered = await server.run({ insert: name, documents })
    expect([plain(ordered.n), ordered.writeErrors.length, plain(ordered.writeErrors[0].index)]).toEqual([
      1, 1, 1,
    ])
    const unordered = await server.run({ insert: name, documents, ordered: false })
    expect([plain(unordered.n), unordered.writeErrors.length]).toEqual([1, 2])
  })

  test('with w: 0 are executed without a reply', async () => {
    const name = await server.holding([])
    await server
      .client()
      .db('semantics')
      .collection(name)
      .insertOne({ a: 1 }, { writeConcern: { w: 0 } })
    await expect.poll(async () => (await server.find(name)).length).toBe(1)
  })

  test('are executed once if they are retried', async () => {
    const name = await server.holding([{ _id: 1, n: 0 }])
    const lsid = { id: server.client().startSession().id?.id }
    const command = {
      update: name,
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
      lsid,
      txnNumber: Long.fromNumber(1),
    }
    const send = (document: Document) => server.client().db('semantics').command(document)
    // Bypasses the driver's sessions, to repeat the command as a driver does after a lost reply.
    const first = await send(command)
    const second = await send(command)
    expect([second.n, second.nModified, second.ok]).toEqual([first.n, first.nModified, first.ok])
    expect(plain((await server.find(name))[0]?.n)).toBe(1)
    expect((await server.failure({ ...command, txnNumber: Long.fromNumber(0) })).code).toBe(225)
  })
})

describe('types and order', () => {
  test('integer-like field names keep their order', async () => {
    const name = await server.holding([])
    const doc = new Map<string, unknown>([
      ['_id', 1],
      ['10', 'a'],
      ['2', 'b'],
      [
        'x',
        new Map([
          ['3', 1],
          ['1', 2],
        ]),
      ],
    ])
    await server.run({ insert: name, documents: [doc] })
    await server.run({ update: name, updates: [{ q: {}, u: { $set: { y: 1 } } }] })
    const keys = (value: string) => ({ $map: { input: { $objectToArray: value }, in: '$$this.k' } })
    const [row] = await server.aggregate(name, [
      { $project: { _id: 0, all: keys('$$ROOT'), inner: keys('$x') } },
    ])
    expect(row).toEqual({ all: ['_id', '10', '2', 'x', 'y'], inner: ['3', '1'] })
  })

  test('a large document keeps every field', async () => {
    const values = [1, new Double(2), 'text', true, null, new Date(3), [1, 'x'], { y: 4 }, Long.fromNumber(5)]
    const fields = Array.from({ length: 20_000 }, (_, i) => [`field${i}`, values[i % values.length]])
    const doc: Document = { _id: new Int32(1), ...Object.fromEntries(fields) }
    const name = await server.holding([doc])
    await server.run({ update: name, updates: [{ q: {}, u: { $set: { field0: 'changed' } } }] })
    expect(exact((await server.find(name))[0])).toBe(exact({ ...doc, field0: 'changed' }))
  })

  test('an empty timestamp becomes the current one', async () => {
    const name = await server.holding([
      { _id: 1, t: new Timestamp({ t: 0, i: 0 }), inner: { t: new Timestamp({ t: 0, i: 0 }) } },
    ])
    const [doc] = await server.find(name)
    expect(doc?.t.getHighBits()).toBeGreaterThan(1_700_000_000)
    expect(doc?.inner.t.getHighBits()).toBe(0)
  })

  test('_id is moved to the front', async () => {
    const name = await server.holding([])
    await server.run({ insert: name, documents: [{ a: 1, _id: 5 }] })
    expect(Object.keys((await server.find(name))[0] ?? {})).toEqual(['_id', 'a'])
  })
})

describe('limits', () => {
  test('maxTimeMS ends a long search', async () => {
    const name = await server.holding(
      Array.from({ length: 3000 }, (_, i) => ({ _id: i, t: `${'a'.repeat(14)}!` })),
    )
    const slow = { t: { $regex: '^(a+)+$' } }
    expect((await server.failure({ find: name, filter: slow, maxTimeMS: 20 })).code).toBe(50)
    expect((await server.failure({ count: name, query: slow, maxTimeMS: 20 })).code).toBe(50)
  })

  test('a cursor ends with its collection', async () => {
    const name = await server.holding([{ _id: 1 }, { _id: 2 }, { _id: 3 }])
    const { cursor } = await server.run({ find: name, batchSize: 1 })
    await server.run({ drop: name })
    expect((await server.failure({ getMore: cursor.id, collection: name })).code).toBe(43)
  })

  test('a document as _id cannot be changed inside', async () => {
    const name = await server.holding([{ _id: { a: 1, b: 2 } }])
    expect(
      (await server.failure({ update: name, updates: [{ q: {}, u: { $set: { '_id.a': 2 } } }] })).code,
    ).toBe(66)
    expect(
      (await server.failure({ update: name, updates: [{ q: {}, u: { $set: { '_id.a': 1 } } }] })).code,
    ).toBe(0)
  })
})
