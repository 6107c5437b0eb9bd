import type { Document } from 'mongodb'
import { expect, test } from 'vitest'
import { type Random, randomOf } from './random.js'
import { exact, useServer } from './support.js'

const server = useServer()

const long = 'm'.repeat(2100)

const scalar = (random: Random): unknown =>
  random.pick<unknown>([null, 1, 2, 3, 'a', 'b', `${long}1`, `${long}2`, [], [1, 2], [{ b: 1 }]])

const element = (random: Random): unknown =>
  random.chance(0.4)
    ? scalar(random)
    : {
        ...(random.chance(0.7) && { b: scalar(random) }),
        ...(random.chance(0.5) && { c: random.below(4) }),
      }

const elements = (random: Random) => random.many(random.below(4), () => element(random))

const document = (random: Random): Document => ({
  ...(random.chance(0.9) && { a: random.chance(0.9) ? elements(random) : scalar(random) }),
  ...(random.chance(0.8) && { d: random.chance(0.1) ? elements(random) : random.below(4) }),
  n: random.below(4),
})

const paths = ['a', 'a.b', 'a.c', 'a.0', 'a.1.b', 'a.b.0', 'd', 'n']

const index = (random: Random, number: number): Document => {
  const key: Document = {}
  for (const path of random.many(1 + random.below(3), () => random.pick(paths))) key[path] = 1
  return {
    key,
    name: `i${number}`,
    ...random.pick<Document>([
      {},
      {},
      { sparse: true },
      { unique: true },
      { unique: true, sparse: true },
      { partialFilterExpression: { n: { $gt: 1 } } },
      { partialFilterExpression: { a: { $exists: true } } },
      { partialFilterExpression: { 'a.b': { $gt: 1 } } },
      { partialFilterExpression: { $and: [{ n: 2 }] } },
    ]),
  }
}

const change = (random: Random): Document => {
  const some = elements(random)
  return {
    ...random.pick<Document>([
      { $push: { a: element(random) } },
      { $push: { a: { $each: some } } },
      { $push: { a: { $each: some, $position: random.below(3) } } },
      { $push: { a: { $each: some, $slice: -4 } } },
      { $push: { d: random.below(4) } },
      { $push: { 'a.0.b': random.below(4) } },
      { $addToSet: { a: { $each: some } } },
      { $pull: { a: element(random) } },
      { $pop: { a: random.pick([1, -1]) } },
      { $set: { [`a.${random.below(5)}`]: element(random) } },
      { $set: { a: random.chance(0.5) ? some : scalar(random) } },
    ]),
    ...(random.chance(0.3) && { $inc: { n: random.pick([1, -1]) } }),
  }
}

test('index entries equal those of the whole documents after random changes of arrays', {
  timeout: 120_000,
}, async () => {
  let changed = 0
  for (let run = 0; run < 40; run++) {
    const random = randomOf(run)
    const name = `append${run}`
    const specs = random.many(1 + random.below(3), () => run).map((_, i) => index(random, i))
    for (const spec of specs) await server.failure({ createIndexes: name, indexes: [spec] })
    // Duplicate keys and parallel arrays are rejected individually; the other documents stay.
    await server.failure({
      insert: name,
      ordered: false,
      documents: random.many(8, () => 0).map((_, i) => ({ _id: i, ...document(random) })),
    })
    const updates = random.many(60, () => ({ q: { _id: random.below(8) }, u: change(random) }))
    const reply = await server
      .client()
      .db('semantics')
      .collection(name)
      .bulkWrite(
        updates.map(({ q, u }) => ({ updateOne: { filter: q as Document, update: u } })),
        { ordered: false },
      )
      .catch((error: Document) => error.result)
    changed += reply.modifiedCount
    const { errors } = await server.run({ validate: name })
    expect(errors, `run ${run}: ${exact(specs)}`).toEqual([])
    await server.run({ drop: name })
  }
  expect(changed).toBeGreaterThan(300)
})

test('a unique index rejects an appended element of another document only', async () => {
  const name = await server.holding([
    { _id: 1, a: ['x'] },
    { _id: 2, a: ['y'] },
  ])
  await server.run({ createIndexes: name, indexes: [{ key: { a: 1 }, name: 'a', unique: true }] })
  const push = (_id: number, ...$each: string[]) =>
    server.failure({ update: name, updates: [{ q: { _id }, u: { $push: { a: { $each } } } }] })
  expect((await push(1, 'z', 'y')).code).toBe(11000)
  expect((await push(1, 'x', 'z')).code).toBe(0)
  expect((await push(2, 'z')).code).toBe(11000)
  expect(await server.find(name, { filter: { a: 'z' }, projection: { a: 1, _id: 0 } })).toEqual([
    { a: ['x', 'x', 'z'] },
  ])
  await server.run({ update: name, updates: [{ q: { _id: 1 }, u: { $set: { a: ['x'] } } }] })
  expect((await push(2, 'z')).code).toBe(0)
  expect((await server.run({ validate: name })).errors).toEqual([])
})
