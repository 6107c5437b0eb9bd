import { type Document, Int32, Long } from 'mongodb'
import { describe, expect, test } from 'vitest'
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

  test('is evaluated once a command', async () => {
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

  test('a statement’s own constants are values, for a pipeline alone', async () => {
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
    ['the other way round', { $expr: { $eq: [{ $add: [1, 2] }, '$x'] } }, 'x_1', 4, 4],
    ['one with a variable', { $expr: { $eq: ['$x', '$$v'] } }, 'x_1', 4, 4],
    ['one below $and', { $expr: { $and: [{ $eq: ['$x', 3] }, { $gt: ['$y', 0] }] } }, 'x_1', 4, 4],
    ['one below a query’s $and', { $and: [{ y: 1 }, { $expr: { $eq: ['$x', 3] } }] }, 'x_1', 4, 4],
    [
      'one of a field that holds arrays, none of which is the value',
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

  test('no equality whose value is of the document, an array or nothing', async () => {
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

  test('$lookup by a pattern finds the pattern, not what it matches', async () => {
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
