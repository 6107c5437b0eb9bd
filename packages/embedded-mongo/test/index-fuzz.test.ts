import { Decimal128, type Document, Double, Long, MaxKey, MinKey, ObjectId } from 'mongodb'
import { expect, test } from 'vitest'
import { type Random, randomOf } from './random.js'
import { exact, plain, useServer } from './support.js'

const server = useServer()

/** A full run makes 25,000 queries (README.md); `npm test` runs a few seconds of it. */
const wanted = Number(process.env.FUZZ_QUERIES ?? 250)
const seed = Number(process.env.FUZZ_SEED ?? 20261121)

const long = 'm'.repeat(2100)

const scalar = (random: Random): unknown => {
  switch (random.below(16)) {
    case 0:
      return null
    case 1:
      return new Double(random.below(5) + random.pick([0, 0.5]))
    case 2:
      return Long.fromNumber(random.below(5))
    case 3:
      return Decimal128.fromString(`${random.below(5)}.${random.pick(['0', '5', '25'])}`)
    case 4:
    case 5:
      return random.pick([
        '',
        'a',
        'ab',
        'abc',
        'b',
        'B',
        'a\0b',
        'é',
        '\u{1F600}',
        `${long}${random.below(2)}`,
      ])
    case 6:
      return random.chance(0.5)
    case 7:
      return new Date(random.below(4))
    case 8:
      return new ObjectId(`00000000000000000000000${random.below(4)}`)
    case 9:
      return random.pick([
        new MinKey(),
        new MaxKey(),
        new Double(Number.NaN),
        new Double(Number.POSITIVE_INFINITY),
        Long.fromString('9007199254740993'),
      ])
    case 10:
      return { x: random.below(3) }
    default:
      return random.below(6)
  }
}

const value = (random: Random, depth = 0): unknown => {
  const kind = random.below(10)
  if (kind === 0) return random.many(random.below(4), () => value(random, depth + 1))
  if (kind === 1 && depth < 2) return inner(random, depth + 1)
  if (kind === 2 && depth < 2)
    return random.many(random.below(3), () =>
      random.chance(0.8) ? inner(random, depth + 1) : scalar(random),
    )
  return scalar(random)
}

const inner = (random: Random, depth: number): Document => {
  const doc: Document = {}
  if (random.chance(0.7)) doc.b = value(random, depth + 1)
  if (random.chance(0.7)) doc.c = value(random, depth + 1)
  return doc
}

const document = (random: Random): Document => {
  const doc: Document = {}
  for (const name of ['a', 'd', 'e']) if (random.chance(0.85)) doc[name] = value(random)
  if (random.chance(0.9)) doc.n = random.below(8)
  return doc
}

const paths = ['a', 'a.b', 'a.c', 'd', 'e', 'n', 'd.b']

const clause = (random: Random): unknown => {
  const ranges = ['$gt', '$gte', '$lt', '$lte']
  switch (random.below(14)) {
    case 0:
      return { $in: random.many(1 + random.below(4), () => value(random)) }
    case 1:
    case 2:
      return { [random.pick(ranges)]: scalar(random) }
    case 3:
    case 4:
      return {
        [random.pick(['$gt', '$gte'])]: scalar(random),
        [random.pick(['$lt', '$lte'])]: scalar(random),
      }
    case 5:
      return { $exists: random.chance(0.7) }
    case 6:
      return {
        $elemMatch: {
          [random.pick(['b', 'c'])]: scalar(random),
          ...(random.chance(0.5) && { c: { [random.pick(ranges)]: scalar(random) } }),
        },
      }
    case 7:
      return { $elemMatch: { [random.pick(ranges)]: scalar(random) } }
    case 8:
      return {
        $regex: random.pick(['^a', '^ab', '^', 'b', '^m+']),
        ...(random.chance(0.2) && { $options: 'i' }),
      }
    case 9:
      return { [random.pick(['$ne', '$not'])]: random.chance(0.5) ? { $gt: scalar(random) } : null }
    case 10:
      return { $all: random.many(1 + random.below(2), () => scalar(random)) }
    default:
      return value(random)
  }
}

const query = (random: Random, depth = 0): Document => {
  const made: Document = {}
  for (const path of random.many(1 + random.below(3), () => random.pick(paths))) {
    const one = clause(random)
    const not = typeof one === 'object' && one !== null && '$not' in one && one.$not === null
    made[path] = not ? null : one
  }
  if (depth === 0 && random.chance(0.15)) made.$or = random.many(2, () => query(random, 1))
  if (depth === 0 && random.chance(0.1)) made.$and = random.many(2, () => query(random, 1))
  if (random.chance(0.15)) {
    const equals = { $eq: [`$${random.pick(paths)}`, { $literal: value(random) }] }
    return { ...(random.chance(0.3) && made), $expr: equals }
  }
  return made
}

const index = (random: Random, number: number): Document => {
  const key: Document = {}
  for (const path of random.many(1 + random.below(3), () => random.pick(paths)))
    key[path] = random.pick([1, -1])
  const spec: Document = { key, name: `i${number}` }
  const kind = random.below(7)
  if (kind === 0) spec.sparse = true
  else if (kind === 1)
    spec.partialFilterExpression = random.pick([
      { n: { $gt: 3 } },
      { a: { $exists: true } },
      { d: { $lte: 3 } },
      { n: 2 },
    ])
  return spec
}

const change = (random: Random): Document =>
  random.pick([
    () => ({ $set: { [random.pick(['a', 'd', 'e', 'n'])]: value(random) } }),
    () => ({ $unset: { [random.pick(['a', 'd', 'n'])]: 1 } }),
    () => ({ $set: { [random.pick(['a', 'd'])]: random.many(2, () => inner(random, 1)) } }),
    () => ({ $max: { n: random.below(9) } }),
  ])()

/** The same query, with expressions written so that no index can serve them. */
const unplanned = (filter: Document): Document => ({
  ...filter,
  ...(filter.$expr && { $expr: { $or: [filter.$expr] } }),
  ...(filter.$or && { $or: filter.$or.map(unplanned) }),
  ...(filter.$and && { $and: filter.$and.map(unplanned) }),
})

/** The results of a query with indexes and with a scan, in its order. */
const both = async (name: string, filter: Document, sort: Document) => {
  const projection =
    Object.keys(sort).length > 0
      ? { projection: { ...Object.fromEntries(Object.keys(sort).map(path => [path, 1])), _id: 1 } }
      : { projection: { _id: 1 } }
  const indexed = await server.find(name, { filter, sort, ...projection })
  const scanned = await server.find(name, {
    filter: unplanned(filter),
    sort,
    hint: { $natural: 1 },
    ...projection,
  })
  return { indexed, scanned }
}

const idsOf = (rows: Document[]) => rows.map(row => plain(row._id)).sort((a, b) => a - b)

test(`queries through random indexes find what a scan finds (${wanted} queries)`, {
  timeout: 600_000,
}, async () => {
  const random = randomOf(seed)
  let asked = 0
  let byIndex = 0
  let explained = 0
  let checked = 0
  for (let round = 0; asked < wanted; round++) {
    const name = `fuzz${round}`
    await server.run({ create: name })
    const specs = random.many(1 + random.below(4), () => round).map((_, i) => index(random, i))
    const late = random.chance(0.3)
    if (!late) for (const spec of specs) await server.failure({ createIndexes: name, indexes: [spec] })
    let id = 0
    // Documents with parallel arrays are refused one by one (171); the others stay.
    const insert = async (count: number) =>
      server.run({
        insert: name,
        ordered: false,
        documents: random.many(count, () => ({ _id: id++, ...document(random) })),
      })
    await insert(40)
    if (late) for (const spec of specs) await server.failure({ createIndexes: name, indexes: [spec] })
    for (let i = 0; i < 60 && asked < wanted; i++) {
      const action = random.below(10)
      if (action === 0) await insert(3)
      if (action === 1)
        await server.run({
          update: name,
          updates: [{ q: { n: random.below(8) }, u: change(random), multi: true }],
        })
      if (action === 2)
        await server.run({ delete: name, deletes: [{ q: { _id: random.below(id) }, limit: 1 }] })
      if (action === 3)
        await server.failure({
          update: name,
          updates: [{ q: { _id: random.below(id) }, u: { ...document(random) }, upsert: true }],
        })
      const filter = query(random)
      const sort: Document = {}
      if (random.chance(0.5))
        for (const path of random.many(1 + random.below(2), () => random.pick(['n', 'd', 'a', 'e'])))
          sort[path] = random.pick([1, -1])
      asked++
      const found = await both(name, filter, sort).catch((error: Document) => error)
      if (!('indexed' in found)) {
        // Sorting by parallel arrays is refused.
        expect(plain(found.code)).toBe(171)
        continue
      }
      const { indexed, scanned } = found
      const told = `seed ${seed}, ${name}: ${exact(specs)} ${exact(filter)} ${exact(sort)}`
      expect(idsOf(indexed), told).toEqual(idsOf(scanned))
      expect(new Set(idsOf(indexed)).size, told).toBe(indexed.length)
      if (Object.keys(sort).length > 0) {
        expect(exact({ keys: sortKeys(indexed, sort) }), told).toBe(exact({ keys: sortKeys(scanned, sort) }))
      }
      if (asked % 10 === 0) {
        explained++
        const plan = exact(
          (await server.run({ explain: { find: name, filter, sort }, verbosity: 'queryPlanner' }))
            .queryPlanner.winningPlan,
        )
        if (plan.includes('IXSCAN')) byIndex++
      }
    }
    const validated = await server.run({ validate: name })
    expect(validated.errors, `seed ${seed}, ${name}`).toEqual([])
    expect(validated.valid).toBe(true)
    for (const entries of Object.values(validated.keysPerIndex)) checked += plain(entries)
    await server.run({ drop: name })
  }
  console.log(
    `index fuzz: ${asked} queries equal, about ${Math.round((100 * byIndex) / explained)} % through an index, ${checked} index entries exact`,
  )
  expect(byIndex).toBeGreaterThan(0)
})

test('distinct values and kept fields are the same with an index and without', async () => {
  const random = randomOf(seed + 1)
  const short = () => {
    for (;;) {
      const one = scalar(random)
      if (typeof one !== 'string' || one.length < 100) return one
    }
  }
  for (let round = 0; round < 10; round++) {
    const name = `distinct${round}`
    const documents: Document[] = random.many(60, () => ({ n: random.below(3), e: random.below(9) }))
    for (const [_id, doc] of documents.entries()) {
      doc._id = _id
      if (random.chance(0.9)) doc.a = round % 5 === 0 ? scalar(random) : short()
    }
    await server.run({ insert: name, documents })
    const key = { n: random.pick([1, -1]), a: random.pick([1, -1]) }
    await server.run({
      createIndexes: name,
      indexes: [
        { key, name: 'na' },
        { key: { a: 1 }, name: 'a' },
      ],
    })
    for (const query of [{ n: 1 }, {}, { n: 7 }, { n: 1, e: 2 }]) {
      const values = async (hint?: Document) => {
        const reply = await server.run({ distinct: name, key: 'a', query, ...(hint && { hint }) })
        return (reply.values as unknown[]).map(one => exact({ one: loose(one) })).sort()
      }
      expect(await values(), `seed ${seed + 1}, ${name}: ${exact(query)}`).toEqual(
        await values({ $natural: 1 }),
      )
    }
    const kept = await server.find(name, { filter: {}, sort: { _id: 1 }, projection: { a: 1, e: true } })
    const whole = await server.find(name, { filter: {}, sort: { _id: 1 } })
    expect(kept.map(exact)).toEqual(whole.map(({ n, ...rest }) => exact(rest)))
    await server.run({ drop: name })
  }
})

/**
 * The sort fields of the rows, with numbers as JS numbers: equal numbers of different types have no fixed
 * order. Undefined if a field is an array, which sorts by an element: no index serves such a sort.
 */
const sortKeys = (rows: Document[], sort: Document): unknown[] | undefined => {
  const keys = rows.map(row => Object.keys(sort).map(path => row[path] ?? null))
  return keys.flat().some(Array.isArray) ? undefined : keys.map(key => key.map(loose))
}

const loose = (found: unknown): unknown => {
  if (typeof found !== 'object' || found === null || found instanceof Date) return found
  if (Array.isArray(found)) return found.map(loose)
  if (!('_bsontype' in found))
    return Object.fromEntries(Object.entries(found).map(([name, one]) => [name, loose(one)]))
  return /Int32|Double|Long|Decimal128/.test(String(found._bsontype)) ? Number(String(found)) : found
}
