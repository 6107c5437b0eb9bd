import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BSONRegExp,
  BSONSymbol,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
} from 'mongodb'
import { afterAll, describe, expect, test } from 'vitest'
import { readDoc } from '../src/bson/read.js'
import type { Doc } from '../src/bson/values.js'
import { writeDoc } from '../src/bson/write.js'
import { startEmbeddedMongo } from '../src/index.js'
import { space } from '../src/storage/catalog.js'
import { Store } from '../src/storage/kv.js'
import { randomOf } from './random.js'
import { exact, plain, useServer } from './support.js'

const server = useServer()

/** Returns the `multiKeyPaths` of the index that a query uses. */
const arraysOf = async (name: string, filter: Document): Promise<Document> => {
  const { queryPlanner } = await server.run({ explain: { find: name, filter }, verbosity: 'queryPlanner' })
  return queryPlanner.winningPlan.inputStage.multiKeyPaths
}

describe('the arrays of an index', () => {
  const created = async (key: Document, docs: Document[]) => {
    const name = await server.holding([])
    await server.run({ createIndexes: name, indexes: [{ key, name: 'i' }] })
    if (docs.length > 0) await server.run({ insert: name, documents: docs })
    return name
  }

  test('are recorded by field, from inserts, updates and builds', async () => {
    const key = { g: 1, 'a.b': 1, c: 1 }
    const name = await created(key, [{ g: 1, a: { b: 1 }, c: 1 }])
    expect(await arraysOf(name, { g: 1 })).toEqual({ g: [], 'a.b': [], c: [] })
    await server.run({ insert: name, documents: [{ g: [1, 2] }] })
    expect(await arraysOf(name, { g: 1 })).toEqual({ g: ['g'], 'a.b': [], c: [] })
    await server.run({ update: name, updates: [{ q: { c: 1 }, u: { $set: { a: [{ b: [] }] } } }] })
    expect(await arraysOf(name, { g: 1 })).toEqual({ g: ['g'], 'a.b': ['a', 'a.b'], c: [] })
    const late = await server.holding([{ g: 1, a: [{ b: 1 }] }, { c: [] }])
    await server.run({ createIndexes: late, indexes: [{ key, name: 'i' }] })
    expect(await arraysOf(late, { g: 1 })).toEqual({ g: [], 'a.b': ['a'], c: ['c'] })
  })

  test('of a transaction are recorded at its commit', async () => {
    const name = await created({ g: 1, c: 1 }, [{ g: 1 }])
    const session = server.client().startSession()
    await session.withTransaction(async () => {
      await server.client().db('semantics').collection(name).insertOne({ g: [] }, { session })
      expect(await arraysOf(name, { g: 1 })).toEqual({ g: [], c: [] })
      // Meanwhile another write makes the other field multikey.
      await server.run({ insert: name, documents: [{ c: [1] }] })
    })
    await session.endSession()
    expect(await arraysOf(name, { g: 1 })).toEqual({ g: ['g'], c: ['c'] })
  })
})

/** Returns the stages and counts of a query's explanation, and the ids of its documents in their order. */
const run = async (name: string, filter: Document, sort: Document = {}, more: Document = {}) => {
  const command = { find: name, filter, sort, ...more }
  const { queryPlanner, executionStats } = await server.run({
    explain: command,
    verbosity: 'executionStats',
  })
  const text = JSON.stringify(queryPlanner.winningPlan)
  const { find: _, ...options } = command
  return {
    index: /"indexName":"(\w+)"/.exec(text)?.[1],
    stages: [...text.matchAll(/"stage":"(\w+)"/g)].map(found => found[1]).join(' '),
    keys: plain(executionStats.totalKeysExamined),
    docs: plain(executionStats.totalDocsExamined),
    ids: (await server.find(name, options)).map(row => plain(row._id)),
  }
}

const stored = async (docs: Document[], ...keys: Document[]) => {
  const name = await server.holding(docs)
  const indexes = keys.map((key, i) => ({ key, name: `i${i}` }))
  await server.run({ createIndexes: name, indexes })
  return name
}

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
const newest = { created_at: -1, _id: -1 }
const oldest = { created_at: 1, _id: 1 }

describe('indexes that hold few documents', () => {
  const docs = Array.from({ length: 300 }, (_, i) => ({ _id: i, k: i, ...(i % 100 === 7 && { news: i }) }))
  const matches = { index: 'part', keys: 3, docs: 3, ids: [7, 107, 207] }

  test('are read in place of the collection for $exists of their first field', async () => {
    const name = await server.holding(docs)
    await server.run({ createIndexes: name, indexes: [{ key: { news: 1 }, name: 'part', sparse: true }] })
    expect(await run(name, { news: { $exists: true } })).toMatchObject(matches)
    expect(await run(name, { k: { $gt: 5 } })).toMatchObject({ stages: 'COLLSCAN' })
    await server.run({ dropIndexes: name, index: 'part' })
    const partialFilterExpression = { news: { $exists: true } }
    await server.run({
      createIndexes: name,
      indexes: [{ key: { news: 1 }, name: 'part', partialFilterExpression }],
    })
    expect(await run(name, { news: { $exists: true } })).toMatchObject(matches)
    await server.run({ dropIndexes: name, index: 'part' })
    await server.run({
      createIndexes: name,
      indexes: [{ key: { k: 1 }, name: 'part', partialFilterExpression }],
    })
    // As in MongoDB, only a condition on the first field makes an index a candidate.
    expect(await run(name, { news: { $exists: true } })).toMatchObject({
      stages: 'COLLSCAN',
      ids: matches.ids,
    })
  })
})

test('$elemMatch bounds an index from both sides, other conditions on an array from one', async () => {
  const votes = (i: number) => [{ at: at(i) }, { at: at(i + 1_000) }]
  const name = await stored(
    Array.from({ length: 300 }, (_, i) => ({ _id: i, votes: votes(i) })),
    { 'votes.at': 1 },
  )
  const between = { $gt: at(50), $lte: at(53) }
  const joint = await run(name, { votes: { $elemMatch: { at: between } } })
  expect(joint).toMatchObject({ index: 'i0', keys: 3, ids: [51, 52, 53] })
  const apart = await run(name, { 'votes.at': between })
  expect(apart.ids).toHaveLength(54)
  // One of the arrays is below the element: its values may satisfy the conditions apart.
  await server.run({ insert: name, documents: [{ _id: 300, votes: [{ at: [at(0), at(2_000)] }] }] })
  expect((await run(name, { votes: { $elemMatch: { at: between } } })).ids).toEqual([51, 52, 53, 300])
})

describe('alternatives with an index each', () => {
  const docs = Array.from({ length: 300 }, (_, i) => ({
    _id: i,
    key: i % 100,
    kind: i % 3,
    created_at: at(i),
  }))
  const either = { $or: [{ key: { $in: [3, 4] } }, { kind: 1, key: { $in: [4, 7] } }] }
  const ids = docs
    .filter(({ key, kind }) => key === 3 || key === 4 || (kind === 1 && key === 7))
    .map(doc => doc._id)

  test('are read through these indexes, even if another index provides the order', async () => {
    const name = await stored(docs, { key: 1, kind: 1 }, newest)
    const found = await run(name, either, newest)
    expect(found).toMatchObject({ stages: 'SORT FETCH OR IXSCAN IXSCAN', ids: [...ids].reverse() })
    expect([found.keys, found.docs]).toEqual([8, 7])
    expect((await run(name, either, newest, { limit: 2 })).docs).toBe(7)
  })

  test('are checked on the documents that the other conditions bound', async () => {
    const name = await stored(docs, { key: 1, kind: 1 }, newest)
    const found = await run(name, { created_at: { $gte: at(200) }, ...either }, newest)
    expect(found).toMatchObject({ index: 'i1', stages: 'FETCH IXSCAN', docs: 100 })
    expect(found.ids).toEqual(ids.filter(id => id >= 200).reverse())
  })
})

describe('the order of a compound index behind a multikey field', () => {
  /** Document i has i % 5 and i % 3 + 10 as grams, three to a minute. */
  const docs = Array.from({ length: 300 }, (_, i) => ({
    _id: i,
    grams: i % 7 === 0 ? [i % 5, (i % 3) + 10, i % 5] : [(i % 3) + 10, i % 5],
    kind: i % 2,
    created_at: at(Math.floor(i / 3)),
  }))
  const key = { grams: 1, ...newest }
  const having = (gram: number, more: (doc: (typeof docs)[number]) => boolean = () => true) =>
    docs.filter(doc => doc.grams.includes(gram) && more(doc)).map(doc => doc._id)

  test('is provided by a scan of one point, each document once, in both directions', async () => {
    const name = await stored(docs, key)
    const back = await run(name, { grams: 4 }, newest)
    expect(back).toMatchObject({ stages: 'FETCH IXSCAN', keys: 60, docs: 60 })
    expect(back.ids).toEqual(having(4).reverse())
    expect(await run(name, { grams: 4 }, oldest)).toMatchObject({ stages: 'FETCH IXSCAN', ids: having(4) })
    expect(await run(name, { grams: 4 }, newest, { limit: 5 })).toMatchObject({ keys: 5, docs: 5 })
    expect(await run(name, { grams: { $in: [4] } }, newest)).toMatchObject({ stages: 'FETCH IXSCAN' })
    expect(await run(name, { grams: 4 }, { created_at: -1, _id: 1 })).toMatchObject({
      stages: 'SORT FETCH IXSCAN',
    })
  })

  test('continues the pages of a list after the previous page', async () => {
    const name = await stored(docs, key)
    const wanted = having(11, doc => doc.kind === 1).reverse()
    const pages: number[] = []
    for (let size = 7; pages.length < wanted.length; ) {
      const last = pages.at(-1)
      const created_at = at(Math.floor((last ?? 1000) / 3))
      const place =
        last === undefined
          ? []
          : [
              { created_at: { $lte: created_at } },
              { $or: [{ created_at: { $lt: created_at } }, { _id: { $lt: last } }] },
            ]
      const filter = { $and: [{ grams: 11, kind: 1 }, ...place] }
      const page = await run(name, filter, newest, { limit: size })
      expect(page.stages).toBe('FETCH IXSCAN')
      expect(page.keys).toBeLessThanOrEqual(2 * size + 4)
      expect(page.ids).toEqual(wanted.slice(pages.length, pages.length + size))
      pages.push(...page.ids)
    }
  })

  test('is bounded by a range of the first sort field, and by further equalities before it', async () => {
    const name = await stored(docs, { kind: 1, grams: 1, ...newest })
    const range = { $gte: at(20), $lt: at(40) }
    const found = await run(name, { kind: 0, grams: 2, created_at: range }, oldest)
    const ids = having(2, doc => doc.kind === 0 && doc.created_at >= at(20) && doc.created_at < at(40))
    expect(found).toEqual({ index: 'i0', stages: 'FETCH IXSCAN', keys: ids.length, docs: ids.length, ids })
  })

  test('is not provided for a sort by the multikey field itself', async () => {
    const name = await stored(docs, key)
    for (const sort of [{ grams: 1 }, { grams: 1, created_at: -1 }, { created_at: -1, grams: 1 }]) {
      const found = await run(name, { grams: 4 }, sort)
      expect(found.stages).toBe('SORT FETCH IXSCAN')
      expect(found.ids).toHaveLength(60)
    }
    // A range of a multikey field provides no order either: a document may have several keys in it.
    expect(await run(name, { grams: { $gt: 3, $lt: 11 } }, newest)).toMatchObject({
      stages: 'SORT FETCH IXSCAN',
      ids: docs.map(doc => doc._id).reverse(),
    })
  })

  test('is bounded by one of two conditions on the multikey field; the other is checked', async () => {
    const name = await stored(docs, key)
    const both = await run(name, { $and: [{ grams: 4 }, { grams: 12 }] }, newest)
    expect(both).toMatchObject({ stages: 'FETCH IXSCAN', keys: 60, docs: 60 })
    expect(both.ids).toEqual(having(4, doc => doc.grams.includes(12)).reverse())
    // The elements 0 and 12 match the two conditions together; neither matches both alone.
    expect((await run(name, { grams: { $lt: 1, $gt: 11 } }, oldest)).ids).toEqual(
      having(0, doc => doc.grams.includes(12)),
    )
  })

  test('is bounded by combined conditions below different arrays, not below the same array', async () => {
    const rows = [
      { _id: 1, o: { x: [1, 2], y: 5 }, a: { x: 1, y: 1 } },
      {
        _id: 2,
        o: { x: [1, 3], y: 6 },
        a: [
          { x: 1, y: 2 },
          { x: 2, y: 1 },
        ],
      },
    ]
    const name = await stored(rows, { 'o.x': 1, 'o.y': 1 }, { 'a.x': 1, 'a.y': 1 })
    expect(await run(name, { 'o.x': 1, 'o.y': 6 })).toMatchObject({ index: 'i0', keys: 1, ids: [2] })
    expect(await run(name, { 'o.x': 1 }, { 'o.y': -1 })).toMatchObject({
      stages: 'FETCH IXSCAN',
      ids: [2, 1],
    })
    expect(await run(name, { 'a.x': 1, 'a.y': 1 })).toMatchObject({
      index: 'i1',
      keys: 2,
      docs: 2,
      ids: [1, 2],
    })
    expect((await run(name, { 'a.x': 1 }, { 'a.y': 1 })).stages).toBe('SORT FETCH IXSCAN')
  })

  test('is not affected by a multikey field after the sort fields', async () => {
    const name = await stored(docs, { created_at: 1, grams: 1 })
    const found = await run(name, { created_at: { $gte: at(90) } }, { created_at: 1 })
    expect(found.stages).toBe('FETCH IXSCAN')
    expect(found.ids.map(id => Math.floor(id / 3))).toEqual(
      Array.from({ length: 30 }, (_, i) => 90 + Math.floor(i / 3)),
    )
    expect(new Set(found.ids).size).toBe(30)
  })
})

describe('a merge of several points', () => {
  const docs = Array.from({ length: 2000 }, (_, i) => ({
    _id: i,
    category: `c${i % 10}`,
    source_type: i % 3,
    tags: [i % 4, 4 + (i % 6)],
    created_at: at(Math.floor(i / 4)),
  }))
  const key = { category: 1, source_type: 1, ...newest }
  const of = (wanted: (doc: (typeof docs)[number]) => boolean) => docs.filter(wanted).map(doc => doc._id)
  const merged = (ranges: number) => `FETCH SORT_MERGE${' IXSCAN'.repeat(ranges)}`

  test('reads only the keys of a page', async () => {
    const name = await stored(docs, key)
    const filter = { category: { $in: ['c1', 'c4', 'c5', 'none'] }, source_type: { $in: [0, 2] } }
    const ids = of(doc => ['c1', 'c4', 'c5'].includes(doc.category) && doc.source_type !== 1)
    const page = await run(name, filter, newest, { limit: 50 })
    expect(page).toMatchObject({
      index: 'i0',
      stages: merged(8),
      docs: 50,
      ids: ids.toReversed().slice(0, 50),
    })
    // The keys of the page, and the next key of each range.
    expect(page.keys).toBe(55)
    expect(await run(name, filter, oldest)).toMatchObject({ stages: merged(8), keys: ids.length, ids })
    const until = { ...filter, created_at: { $lte: at(100) } }
    const behind = await run(name, until, newest, { limit: 20 })
    expect(behind).toMatchObject({
      stages: merged(8),
      docs: 20,
      ids: ids
        .filter(id => id < 404)
        .toReversed()
        .slice(0, 20),
    })
    expect(behind.keys).toBe(25)
  })

  test('merges one field of several points', async () => {
    const name = await stored(docs, key)
    const filter = { category: 'c3', source_type: { $in: [0, 1] } }
    const ids = of(doc => doc.category === 'c3' && doc.source_type < 2)
    expect(await run(name, filter, newest)).toMatchObject({ stages: merged(2), ids: ids.toReversed() })
    // The index's own order needs no merge; a field that follows a sort field does.
    expect((await run(name, filter, { source_type: 1, created_at: -1 })).stages).toBe('FETCH IXSCAN')
    const both = { category: { $in: ['c3', 'c4'] }, source_type: { $in: [0, 1] } }
    const byType = await run(name, both, { source_type: 1, ...newest })
    const wanted = of(doc => ['c3', 'c4'].includes(doc.category) && doc.source_type < 2)
    expect(byType.stages).toBe(merged(4))
    expect(byType.ids).toEqual([
      ...wanted.filter(id => id % 3 === 0).reverse(),
      ...wanted.filter(id => id % 3 === 1).reverse(),
    ])
    const byBoth = await run(name, both, { source_type: 1, category: 1, ...newest })
    expect(byBoth.stages).toBe(merged(4))
    expect(byBoth.ids).toEqual(
      [0, 1].flatMap(type =>
        [3, 4].flatMap(category => wanted.filter(id => id % 3 === type && id % 10 === category).reverse()),
      ),
    )
  })

  test('yields each document of a multikey field once', async () => {
    const name = await stored(docs, { tags: 1, ...newest })
    const found = await run(name, { tags: { $in: [1, 4, 7] } }, newest)
    expect(found.stages).toBe(merged(3))
    expect(found.ids).toEqual(of(doc => doc.tags.some(tag => [1, 4, 7].includes(tag))).reverse())
    const forward = await run(name, { tags: { $in: [1, 4, 7] } }, oldest, { limit: 30 })
    expect(forward.ids).toEqual(found.ids.toReversed().slice(0, 30))
  })

  test('merges ranges of a unique index', async () => {
    const name = await server.holding(docs)
    await server.run({
      createIndexes: name,
      indexes: [{ key: { category: 1, _id: -1 }, name: 'u', unique: true }],
    })
    const found = await run(name, { category: { $in: ['c1', 'c2'] } }, { _id: -1 }, { limit: 10 })
    expect(found.stages).toBe(merged(2))
    expect(found.ids).toEqual(
      of(doc => ['c1', 'c2'].includes(doc.category))
        .reverse()
        .slice(0, 10),
    )
  })

  test('is limited to 200 ranges', async () => {
    const name = await stored(docs, { _id: 1, category: 1, created_at: 1 })
    const filter = (count: number) => ({
      _id: { $in: docs.slice(0, count).map(doc => doc._id) },
      category: { $in: ['c0', 'c1'] },
    })
    const hint = { hint: 'i0', projection: { _id: 1 } }
    const small = await run(name, filter(100), { created_at: 1 }, hint)
    expect(small.stages).toBe(merged(200))
    const large = await run(name, filter(101), { created_at: 1 }, hint)
    expect(large.stages).toBe('SORT FETCH IXSCAN')
    expect(large.ids.length).toBe(small.ids.length + 1)
  })

  test('includes a transaction’s own documents in their order', async () => {
    const name = await stored(docs, key)
    const filter = { category: { $in: ['c1', 'c4'] }, source_type: { $in: [0, 2] } }
    const session = server.client().startSession()
    const rows = server.client().db('semantics').collection<{ _id: number }>(name)
    await session.withTransaction(async () => {
      await rows.insertOne({ _id: 5000, category: 'c4', source_type: 0, created_at: at(50) } as never, {
        session,
      })
      await rows.deleteOne({ _id: 1941 }, { session })
      const found = await rows.find(filter, { session }).sort({ created_at: -1, _id: -1 }).toArray()
      const ids = of(doc => ['c1', 'c4'].includes(doc.category) && doc.source_type !== 1)
        .filter(id => id !== 1941)
        .reverse()
      ids.splice(
        ids.findIndex(id => id < 204),
        0,
        5000,
      )
      expect(found.map(doc => doc._id)).toEqual(ids)
    })
    await session.endSession()
  })
})

/** Returns the number of documents that a count reads, and its result. */
const counted = async (name: string, query: Document) => {
  const { executionStats } = await server.run({
    explain: { count: name, query },
    verbosity: 'executionStats',
  })
  const { n } = await server.run({ count: name, query })
  expect(plain(executionStats.nReturned)).toBe(plain(n))
  return { docs: plain(executionStats.totalDocsExamined), n: plain(n) }
}

describe('index bounds decide the condition without reading documents', () => {
  const nan = new Double(Number.NaN)
  const values: unknown[] = [
    ...[1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0'), 2, new Double(2.5), nan],
    ...['a', 'b', '', null, undefined, true, new Date(5), new ObjectId(), { x: 1 }, [1, 3], [2, 'a'], []],
    ...[new BSONSymbol('a'), new BSONRegExp('a'), new MinKey(), new MaxKey(), [null], [[1]]],
  ]
  const rows = values.map((v, _id) => ({ _id, k: _id % 2, ...(v !== undefined && { v }) }))

  const cases: [name: string, condition: unknown, decided: boolean][] = [
    ['a number', 1, true],
    ['a double', new Double(2.5), true],
    ['a string', 'a', true],
    ['a date', new Date(5), true],
    ['a boolean', true, true],
    ['points', { $in: [1, 'a', true] }, true],
    ['a range of numbers without a lower bound', { $lt: 3 }, true],
    ['a range of numbers without an upper bound', { $gt: 1 }, true],
    ['a range of strings', { $gte: 'a' }, true],
    ['null', null, false],
    ['NaN', nan, false],
    ['a range with NaN', { $lte: nan }, false],
    ['an array', [1, 3], false],
    ['an empty array', [], false],
    ['points with null', { $in: [1, null] }, false],
    ['a document', { x: 1 }, false],
    ['a pattern', { $regex: '^a' }, false],
    ['the smallest value', { $gte: new MinKey() }, false],
    ['an element', { $elemMatch: { $gt: 1 } }, false],
    ['two ranges of an array', { $gt: 1, $lt: 3 }, false],
  ]
  test.each(cases)('%s', async (_, v, decided) => {
    for (const direction of [1, -1]) {
      const name = await stored(rows, { v: direction, k: 1 })
      const { docs, n } = await counted(name, { v })
      const scanned = await server.find(name, { filter: { v }, hint: { $natural: 1 } })
      expect(n).toBe(scanned.length)
      expect(n).toBeGreaterThan(0)
      expect(docs === 0).toBe(decided)
    }
  })

  test('decide two conditions on one field without arrays', async () => {
    const name = await stored(
      rows.filter(({ v }) => !Array.isArray(v)),
      { v: 1 },
    )
    expect(await counted(name, { v: { $gt: 1, $lt: 3 } })).toEqual({ docs: 0, n: 2 })
  })

  test('do not decide conditions of truncated keys', async () => {
    const long = 'x'.repeat(3000)
    const name = await stored(
      [`${long}1`, `${long}2`, 'x'].map((v, _id) => ({ _id, v })),
      { v: 1 },
    )
    expect(await counted(name, { v: `${long}1` })).toEqual({ docs: 2, n: 1 })
    expect(await counted(name, { v: 'x' })).toEqual({ docs: 0, n: 1 })
    expect(await counted(name, { v: { $gte: `${long}2` } })).toEqual({ docs: 2, n: 1 })
  })

  test('provide the order beside truncated keys with another first value', async () => {
    const rows = [
      ['b', 3],
      ['b', 1],
      ['a', 2],
      ['b', 2],
    ].map(([v, k], _id) => ({ _id, v, k }))
    const planned = async (name: string, v: unknown) => {
      const query = { find: name, filter: { v }, sort: { k: 1 } }
      const { queryPlanner } = await server.run({ explain: query, verbosity: 'queryPlanner' })
      const found = await server.find(name, { filter: { v }, sort: { k: 1 } })
      return [
        JSON.stringify(queryPlanner.winningPlan).includes('"SORT"'),
        found.map(({ k }) => (typeof k === 'string' ? k : plain(k))),
      ]
    }
    for (const direction of [1, -1]) {
      const name = await stored(rows, { v: direction, k: 1 })
      expect(await planned(name, 'b')).toEqual([false, [1, 2, 3]])
      const long = 'b'.repeat(1_890)
      // The second value is truncated, so that the order is unknown.
      const tail = 'x'.repeat(100)
      await server.run({
        insert: name,
        documents: [2, 1].map(n => ({ _id: `l${n}`, v: long, k: `${tail}${n}` })),
      })
      expect(await planned(name, long)).toEqual([true, [`${tail}1`, `${tail}2`]])
      expect(await planned(name, 'b')).toEqual([false, [1, 2, 3]])
      expect(await planned(name, { $in: ['a', 'b'] })).toEqual([false, [1, 2, 2, 3]])
      expect(await planned(name, { $in: ['a', long] })).toEqual([true, [2, `${tail}1`, `${tail}2`]])
      expect(await planned(name, { $gte: 'b' })).toEqual([true, [1, 2, 3, `${tail}1`, `${tail}2`]])
      // A truncated key with a short first value removes the order for longer first values.
      await server.run({ insert: name, documents: [{ _id: 's', v: 'aa', k: 'x'.repeat(3_000) }] })
      expect((await planned(name, 'b'))[0]).toBe(false)
      expect((await planned(name, 'aa'))[0]).toBe(true)
      expect((await planned(name, 'bbb'))[0]).toBe(true)
    }
  })

  test('decide conditions of partial and sparse indexes', async () => {
    const name = await server.holding(rows)
    const partialFilterExpression = { k: { $gte: 1 } }
    await server.run({
      createIndexes: name,
      indexes: [{ key: { v: 1 }, name: 'p', partialFilterExpression }],
    })
    const odd = { v: 1, k: 1 }
    const wanted = (await server.find(name, { filter: odd, hint: { $natural: 1 } })).length
    // The index lacks the other field: it is checked on the documents.
    expect(await counted(name, odd)).toEqual({ docs: wanted, n: wanted })
    await server.run({ dropIndexes: name, index: 'p' })
    await server.run({ createIndexes: name, indexes: [{ key: { v: 1 }, name: 's', sparse: true }] })
    expect((await counted(name, { v: { $gt: 1 } })).docs).toBe(0)
  })

  test('suffice for a count with $group or $limit, not for a sum', async () => {
    const name = await stored(
      Array.from({ length: 50 }, (_, i) => ({ _id: i, g: [i % 5, 7], n: 1 })),
      { g: 1, _id: 1 },
    )
    const examined = async (...stages: Document[]) => {
      const pipeline = [{ $match: { g: { $in: [3, 7] } } }, ...stages]
      const explain = { aggregate: name, pipeline, cursor: {} }
      const { stages: run } = await server.run({ explain, verbosity: 'executionStats' })
      const [row] = await server.aggregate(name, pipeline)
      return [plain(run[0].$cursor.executionStats.totalDocsExamined), plain(row?.n)]
    }
    expect(await examined({ $count: 'n' })).toEqual([0, 50])
    expect(await examined({ $limit: 20 }, { $count: 'n' })).toEqual([0, 20])
    expect(await examined({ $skip: 45 }, { $group: { _id: null, n: { $sum: 1 } } })).toEqual([0, 5])
    expect(await examined({ $group: { _id: null, n: { $sum: '$n' } } })).toEqual([50, 50])
    expect(await counted(name, { g: { $in: [3, 7] } })).toEqual({ docs: 0, n: 50 })
    expect(plain((await server.run({ count: name, query: { g: 7 }, skip: 5, limit: 10 })).n)).toBe(10)
  })

  test('include a transaction’s own changes', async () => {
    const name = await stored(
      [
        { _id: 1, v: 1 },
        { _id: 2, v: 1 },
      ],
      { v: 1 },
    )
    const session = server.client().startSession()
    const rows = server.client().db('semantics').collection<{ _id: number; v: number }>(name)
    await session.withTransaction(async () => {
      await rows.insertOne({ _id: 3, v: 1 }, { session })
      await rows.updateOne({ _id: 1 }, { $set: { v: 2 } }, { session })
      expect(await rows.countDocuments({ v: 1 }, { session })).toBe(2)
      expect(await rows.countDocuments({ v: 1 })).toBe(2)
      await rows.deleteOne({ _id: 2 }, { session })
      expect(await rows.countDocuments({ v: 1 }, { session })).toBe(1)
    })
    await session.endSession()
    expect(await rows.countDocuments({ v: 1 })).toBe(1)
  })

  test('do not suffice for positions in arrays', async () => {
    const name = await stored([{ _id: 1, v: [4, 5, 6] }], { v: 1 })
    expect(await server.find(name, { filter: { v: 5 }, projection: { _id: 0, 'v.$': 1 } })).toMatchObject([
      { v: [new Int32(5)] },
    ])
    await server.run({ update: name, updates: [{ q: { v: 5 }, u: { $set: { 'v.$': 9 } } }] })
    const [row] = await server.find(name)
    expect(row?.v.map(plain)).toEqual([4, 9, 6])

    const texts = await stored([{ _id: 1, v: ['b', 'ab'], x: 'ab' }], { x: 1 })
    const either = { $or: [{ v: { $regex: 'ab' } }, { x: { $regex: 'ab' } }] }
    await server.run({ update: texts, updates: [{ q: either, u: { $set: { 'v.$': 'c' } } }] })
    expect((await server.find(texts))[0]?.v).toEqual(['b', 'c'])
  })

  test('are checked again in a later batch of a cursor, after changes of documents', async () => {
    const name = await stored(
      Array.from({ length: 12 }, (_, i) => ({ _id: i, v: 1 })),
      { v: 1, _id: 1 },
    )
    const { cursor } = await server.run({ find: name, filter: { v: 1 }, sort: { _id: 1 }, batchSize: 2 })
    await server.run({
      update: name,
      updates: [{ q: { _id: { $gte: 6 } }, u: { $set: { v: 2 } }, multi: true }],
    })
    const more = await server.run({ getMore: cursor.id, collection: name })
    const all = [...cursor.firstBatch, ...more.cursor.nextBatch]
    expect(all.map((row: Document) => plain(row._id))).toEqual([0, 1, 2, 3, 4, 5])
  })
})

describe('literal patterns', () => {
  const texts: unknown[] = [
    ...['', 'a', 'xa.bx', 'axb', 'a-b', 'caf\u00e9', 'e\u0301', 'A.B', '\u{1F600}!', 'a\nb', 'a\0b', '(a|b)'],
    ...[['xx', 'a.b'], [], null, 7, { b: 'a.b' }, new BSONSymbol('a.b'), new BSONRegExp('a\\.b'), ['(a|b)']],
  ]
  const rows = [
    ...texts.map((x, i) => ({ _id: i, x, o: { p: { x } }, g: 1 })),
    { _id: 100, g: 1 },
    { _id: 101, g: 1, o: [{ p: { x: 'a.b' } }], y: 'a.b' },
    { _id: 102, g: 1, o: { p: [{ x: 'a.b' }], x: 'a.b' }, xx: 'a.b' },
  ]
  const patterns = [
    'a\\.b',
    'a-b',
    'a\\-b',
    'a\\x2db',
    'caf\u00e9',
    '\u00e9',
    '\\(a\\|b\\)',
    '\u{1F600}',
    'b',
    ' ',
    'a\nb',
    '!',
    'a\\x00b',
  ]
  test.each(patterns)(
    '%j finds the same documents as an equivalent pattern that is not literal',
    async pattern => {
      const name = await stored(rows, { g: 1 })
      for (const path of ['x', 'o.p.x', 'o.x', 'y'])
        for (const other of [{}, { g: 1 }]) {
          const found = async (condition: Document) => (await run(name, { ...other, ...condition })).ids
          const wanted = await found({ [path]: { $regex: `(?:${pattern})` } })
          // A stored pattern is found only by the same pattern.
          const itself = texts.findIndex(one => one instanceof BSONRegExp && one.pattern === pattern)
          if (itself >= 0 && ['x', 'o.p.x'].includes(path))
            wanted.splice(wanted.filter(id => id < itself).length, 0, itself)
          expect(await found({ [path]: { $regex: pattern } })).toEqual(wanted)
          expect(
            await found({
              $and: [{ [path]: { $regex: pattern } }, { $or: [{ [path]: new BSONRegExp(pattern) }] }],
            }),
          ).toEqual(wanted)
        }
    },
  )
})

describe('the data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plans-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const opened = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const mongo = await startEmbeddedMongo({ dataDir: folder })
    const client = await new MongoClient(mongo.uri).connect()
    const made = await work(client)
    await client.close()
    await mongo.stop()
    return made
  }
  const explained = (client: MongoClient) =>
    client.db('t').collection('rows').find({ g: 1 }).explain('queryPlanner')

  test('preserves the arrays of indexes; for data of earlier versions, all fields count as arrays', async () => {
    await opened(async client => {
      const rows = client.db('t').collection('rows')
      await rows.createIndex({ g: 1, 'a.b': -1 })
      await rows.insertOne({ g: [1, 2], a: { b: 1 } })
    })
    const kept = await opened(explained)
    expect(kept.queryPlanner.winningPlan.inputStage.multiKeyPaths).toEqual({ g: ['g'], 'a.b': [] })

    const store = new Store(join(folder, 'data.mdb'), true)
    const range = [Buffer.from([space.collection]), Buffer.from([space.collection + 1])] as const
    store.write(() => {
      for (const { key, value } of [...store.entries(...range)]) {
        const info = readDoc(value)
        for (const index of info.get('indexes') as Doc[]) expect(index.delete('arrays')).toBe(true)
        store.put(key, writeDoc(info))
      }
    })
    await store.close()
    const earlier = await opened(explained)
    const { isMultiKey, multiKeyPaths } = earlier.queryPlanner.winningPlan.inputStage
    expect(isMultiKey).toBe(true)
    expect(multiKeyPaths).toEqual({ g: ['g'], 'a.b': ['a', 'a.b'] })
  })
})

describe('a projection of top-level fields', () => {
  test('returns stored names and values of any kind unchanged, in their order', async () => {
    const { below, chance, pick, many } = randomOf(20_260)
    const names = ['a', 'ab', 'abc', 'b', 'é', 'éa', 'e\u0301', '漢字', 'search', 'ngrams', '']
    const values = [
      () => null,
      () => chance(0.5),
      () => new Int32(below(9)),
      () => Long.fromNumber(below(9)),
      () => new Double(below(9) / 4),
      () => 'text '.repeat(below(9)),
      () => many(below(5), () => new Int32(below(9))),
      () => ({ a: new Int32(below(9)), é: 'é' }),
      () => new ObjectId(),
      () => new Date(below(1_000_000)),
      () => new BSONRegExp('a', 'i'),
      () => Decimal128.fromString(`${below(9)}.5`),
      () => new MinKey(),
    ]
    const docs = many(100, () => {
      const shuffled = [...names].sort(() => below(3) - 1).slice(0, below(names.length + 1))
      return { _id: new ObjectId(), ...Object.fromEntries(shuffled.map(name => [name, pick(values)()])) }
    })
    const name = await server.holding(docs)
    const listed = names.filter(each => each !== '')
    for (let round = 0; round < 40; round++) {
      const kept = chance(0.5)
      const chosen = new Set(many(1 + below(4), () => pick(listed)))
      const id = chance(0.3) ? !kept : undefined
      const projection = {
        ...Object.fromEntries([...chosen].map(each => [each, Number(kept)])),
        ...(id !== undefined && { _id: Number(id) }),
      }
      const hasId = id ?? true
      const wanted = docs.map(doc =>
        Object.fromEntries(
          Object.entries(doc).filter(([each]) => (each === '_id' ? hasId : chosen.has(each) === kept)),
        ),
      )
      const found = await server.find(name, { projection, sort: { _id: 1 } })
      expect(found.map(exact)).toEqual(wanted.map(exact))
    }
  })
})
