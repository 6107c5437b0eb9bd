import { Decimal128, type Document, Double, Long, MaxKey, MinKey, ObjectId } from 'mongodb'
import { expect, test } from 'vitest'
import { type Random, randomOf } from './random.js'
import { exact, plain, useServer } from './support.js'

const server = useServer()

/** A full run executes 25,000 queries (README.md); `npm test` runs a few seconds of it. */
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

/** Returns an equivalent query whose expressions no index can serve, and whose literal patterns are not optimized. */
const unplanned = (filter: Document): Document => ({
  ...Object.fromEntries(
    Object.entries(filter).map(([path, one]) => [
      path,
      typeof one?.$regex === 'string' ? { ...one, $regex: `(?:${one.$regex})` } : one,
    ]),
  ),
  ...(filter.$expr && { $expr: { $or: [filter.$expr] } }),
  ...(filter.$or && { $or: filter.$or.map(unplanned) }),
  ...(filter.$and && { $and: filter.$and.map(unplanned) }),
})

/** Returns the results of a query with indexes and with a scan, in their order. */
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

test(`queries through random indexes equal a scan (${wanted} queries)`, {
  timeout: 120_000 + wanted * 150,
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
    // Documents with parallel arrays are rejected individually (171); the others stay.
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
        // Sorting by parallel arrays is rejected.
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

/** Documents and queries of lists: equalities, then a range and a sort, then conditions without an index. */
const listed = {
  /** Few values, so that queries find several documents. Numbers of several types are equal. */
  small: (random: Random): unknown =>
    random.pick([
      () => random.below(4),
      () => random.below(4),
      () => new Double(random.below(3)),
      () => Long.fromNumber(random.below(3)),
      () => Decimal128.fromString(random.pick(['0', '1.0', '1.5', '2'])),
      () => random.pick(['a', 'ab', 'b', '']),
      () => random.pick(['a', 'ab', 'b']),
      () => random.pick([null, true, new Double(Number.NaN), new Date(0), { x: 1 }]),
    ])(),
  text: (random: Random) =>
    random
      .many(random.below(12), () => random.pick(['a', 'b', 'c', '.', '-', '(', 'é', '\u{1F600}', ' ']))
      .join(''),
  document: (random: Random, arrays: number): Document => {
    const { small, text } = listed
    const doc: Document = { t: random.chance(0.9) ? new Date(random.below(12)) : small(random) }
    if (random.chance(0.9))
      doc.g = random.chance(0.8) ? random.many(random.below(5), () => small(random)) : small(random)
    for (const name of ['c', 's'])
      if (random.chance(0.95))
        doc[name] = random.chance(arrays) ? random.many(2, () => small(random)) : small(random)
    // Parallel arrays are rejected.
    if (Array.isArray(doc.g)) for (const name of ['c', 's']) if (Array.isArray(doc[name])) doc[name] = 1
    if (random.chance(0.9)) doc.x = random.chance(0.9) ? text(random) : random.pick([[text(random), 'ab'], 5])
    const inside = () => ({ x: text(random) })
    if (random.chance(0.8)) doc.o = random.chance(0.8) ? inside() : random.pick([[inside()], 'ab'])
    return doc
  },
  index: (random: Random, number: number): Document => {
    const paths = random.pick([
      ['g'],
      ['g'],
      ['c', 's'],
      ['c', 's'],
      ['c'],
      ['c', 'g'],
      ['g', 'c'],
      ['s', 'g'],
    ])
    const forward = random.chance(0.5) ? 1 : -1
    const key: Document = {}
    for (const path of paths) key[path] = random.pick([1, -1])
    key.t = forward
    if (random.chance(0.9)) key._id = random.chance(0.9) ? forward : -forward
    const spec: Document = { key, name: `i${number}` }
    const kind = random.below(8)
    if (kind === 0) spec.sparse = true
    if (kind === 1) spec.partialFilterExpression = { c: { $exists: true } }
    if (kind === 2 && '_id' in key && !paths.includes('g')) spec.unique = true
    return spec
  },
  some: (random: Random): unknown =>
    random.pick([
      () => listed.small(random),
      () => listed.small(random),
      () => ({ $in: random.many(1 + random.below(4), () => listed.small(random)) }),
      () => ({ $in: random.many(1 + random.below(4), () => listed.small(random)) }),
      () => ({ [random.pick(['$gt', '$gte', '$lt', '$lte'])]: listed.small(random) }),
      () => ({ $gt: random.below(3), $lte: random.below(4) }),
    ])(),
  literal: (random: Random) =>
    random.pick(['a', 'ab', 'b', 'é', '\u{1F600}', '\\.', '-', '\\(', 'a\\-', ' ', 'c\\x2d', 'bé']),
  residual: (random: Random): Document =>
    random.pick<() => Document>([
      () => ({ x: { $regex: listed.literal(random) } }),
      () => ({ 'o.x': { $regex: listed.literal(random) } }),
      () => ({
        $or: [{ x: { $regex: listed.literal(random) } }, { 'o.x': { $regex: listed.literal(random) } }],
      }),
      () => ({ c: { $ne: listed.small(random) } }),
      () => ({ $or: [{ t: { $lt: new Date(random.below(12)) } }, { _id: { $lt: random.below(60) } }] }),
      () => ({ g: listed.some(random) }),
    ])(),
  filter: (random: Random, { key }: Document): Document => {
    const made: Document = {}
    const paths = random.chance(0.7)
      ? Object.keys(key).filter(path => path.length === 1 && path !== 't')
      : random.pick([['g'], ['c', 's'], ['c', 'g'], ['s'], []])
    for (const path of paths) made[path] = listed.some(random)
    if (random.chance(0.4))
      made.t = { [random.pick(['$gt', '$gte', '$lt', '$lte'])]: new Date(random.below(12)) }
    const left = random.many(random.pick([0, 0, 1, 1, 2]), () => listed.residual(random))
    return left.length > 0 ? { $and: [made, ...left] } : made
  },
  sort: (random: Random, { key }: Document): Document => {
    const forward = random.chance(0.5) ? 1 : -1
    // Mostly sorts that the index may provide: its fields, some of them reordered or left out.
    const names = Object.keys(key).filter(name => name.length > 1 || name === 't')
    if (random.chance(0.3)) names.unshift(Object.keys(key)[0]!)
    if (random.chance(0.4) && !names.includes(Object.keys(key)[1]!)) names.unshift(Object.keys(key)[1]!)
    if (random.chance(0.7) && '_id' in key)
      return Object.fromEntries(names.map(name => [name, key[name] * forward]))
    return random.pick([
      () => ({ t: forward, _id: forward }),
      () => ({ t: forward, _id: forward }),
      () => ({ t: forward, _id: -forward }),
      () => ({ s: forward, t: forward, _id: forward }),
      () => ({ c: random.pick([1, -1]), t: forward, _id: forward }),
      () => ({ g: random.pick([1, -1]), t: forward, _id: forward }),
      () => ({ [Object.keys(key)[0]!]: forward, _id: forward }),
    ])()
  },
}

test(`lists through compound indexes equal a scan, in its order (${wanted} queries)`, {
  tags: 'long',
  timeout: 120_000 + wanted * 150,
}, async () => {
  const random = randomOf(seed + 2)
  let asked = 0
  /** Number of runs of each kind of plan. */
  const ran = {
    'sort behind a multikey field': 0,
    merge: 0,
    'merge behind a multikey field': 0,
    'rest of a condition': 0,
    'literal pattern': 0,
    'count without documents': 0,
    'count of multikey keys without documents': 0,
  }
  for (let round = 0; asked < wanted; round++) {
    const name = `lists${round}`
    const arrays = random.pick([0, 0, 0.2])
    const specs = random.many(1 + random.below(3), () => round).map((_, i) => listed.index(random, i))
    for (const spec of specs) await server.failure({ createIndexes: name, indexes: [spec] })
    let id = 0
    const insert = (count: number) =>
      server.run({
        insert: name,
        ordered: false,
        documents: random.many(count, () => ({ _id: id++, ...listed.document(random, arrays) })),
      })
    await insert(60)
    for (let i = 0; i < 80 && asked < wanted; i++) {
      asked++
      if (random.chance(0.05)) await insert(2)
      if (random.chance(0.05))
        await server.failure({
          update: name,
          updates: [{ q: { g: listed.small(random) }, u: { $set: listed.document(random, arrays) } }],
        })
      if (random.chance(0.03))
        await server.run({ delete: name, deletes: [{ q: { _id: random.below(id) }, limit: 1 }] })
      const near = random.pick(specs)
      const filter = listed.filter(random, near)
      const sort = listed.sort(random, near)
      const page = random.chance(0.3) ? { limit: 1 + random.below(5), skip: random.below(3) } : {}
      const told = `seed ${seed}, ${name}: ${exact(specs)} ${exact(filter)} ${exact(sort)} ${exact(page)}`
      const projection = { _id: 1 }
      const scanned = await server.find(name, {
        filter: unplanned(filter),
        sort,
        hint: { $natural: 1 },
        projection,
        ...page,
      })
      const indexed = await server.find(name, { filter, sort, projection, ...page })
      expect(
        indexed.map(row => plain(row._id)),
        told,
      ).toEqual(scanned.map(row => plain(row._id)))

      const explained = async (command: Document) => {
        const { queryPlanner, executionStats } = await server.run({
          explain: command,
          verbosity: 'executionStats',
        })
        const text = JSON.stringify(queryPlanner?.winningPlan ?? {})
        return {
          docs: plain(executionStats?.totalDocsExamined),
          found: plain(executionStats?.nReturned),
          sorts: text.includes('"SORT"'),
          merges: text.includes('"SORT_MERGE"'),
          byIndex: text.includes('"IXSCAN"'),
          multikey: text.includes('"isMultiKey":true'),
        }
      }
      const plan = await explained({ find: name, filter, sort, ...page })
      if (plan.byIndex) {
        if (plan.merges) ran.merge++
        if (plan.merges && plan.multikey) ran['merge behind a multikey field']++
        if (!plan.sorts && plan.multikey) ran['sort behind a multikey field']++
        if (!('limit' in page) && plan.docs > plan.found) ran['rest of a condition']++
        if (exact(filter).includes('$regex')) ran['literal pattern']++
      }
      if (random.chance(0.5)) {
        const all = await server.find(name, { filter: unplanned(filter), hint: { $natural: 1 }, projection })
        const counted = await server.run({ count: name, query: filter })
        expect(plain(counted.n), told).toBe(all.length)
        const most = 1 + random.below(20)
        const [row] = await server.aggregate(name, [{ $match: filter }, { $limit: most }, { $count: 'n' }])
        expect(plain(row?.n ?? 0), told).toBe(Math.min(most, all.length))
        const count = await explained({ count: name, query: filter })
        if (count.byIndex && count.docs === 0 && count.found > 0) {
          ran['count without documents']++
          if (count.multikey) ran['count of multikey keys without documents']++
        }
      }
    }
    expect((await server.run({ validate: name })).errors, `seed ${seed}, ${name}`).toEqual([])
    await server.run({ drop: name })
  }
  console.log(
    `list fuzz: ${asked} queries equal; ${Object.entries(ran)
      .map(([kind, times]) => `${kind}: ${times}`)
      .join(', ')}`,
  )
  // Each kind of plan must have run, so that the equal results cover it.
  for (const [kind, times] of Object.entries(ran)) expect(times, kind).toBeGreaterThan(wanted / 100)
})

test('distinct values and projected fields are equal with and without an index', async () => {
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
 * Returns the sort fields of the rows, with numbers as JS numbers: equal numbers of different types have no fixed
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
