import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbeddedMongo } from '../src/index.js'
import { Catalog } from '../src/storage/catalog.js'
import { Collection } from '../src/storage/collection.js'
import { Store } from '../src/storage/kv.js'

const folder = mkdtempSync(join(tmpdir(), 'build-'))
let store: Store
let collection: Collection

beforeAll(async () => {
  const server = await startEmbeddedMongo({ dataDir: folder })
  const client = await new MongoClient(server.uri).connect()
  const docs = client.db('t').collection('docs')
  await docs.insertMany(
    Array.from({ length: 60 }, (_, n) => ({ n: n - (n % 30 === 29 ? 1 : 0), g: [n % 7, n % 5, n], at: -n })),
  )
  await docs.createIndex({ g: 1, at: -1 })
  await client.close()
  await server.stop()
  store = new Store(folder, false)
  const catalog = Catalog.load(store)
  collection = new Collection(catalog.get('t', 'docs')!, store, catalog, new Map())
})
afterAll(async () => {
  await store?.close()
  rmSync(folder, { recursive: true })
})

const verified = () => {
  for (const work = collection.verify(); ; ) {
    const step = work.next()
    if (step.done) return step.value
  }
}

describe('an index of existing documents', () => {
  test.each([1, 2, 7, 60, 1_000])('is complete if %i entries are sorted in memory', most => {
    const index = collection.info.indexes.find(({ name }) => name === 'g_1_at_-1')!
    const before = verified()
    expect(before.errors).toEqual([])
    store.write(() => collection.clear([index], false))
    expect(verified().keysPerIndex.get(index.name)).toBe(0)
    store.write(() => collection.build(index, most))
    expect(verified()).toEqual(before)
  })

  test.each([1, 2, 7, 1_000])(
    'rejects duplicates if it is unique and %i entries are sorted in memory',
    most => {
      const index = collection.info.indexes.find(({ name }) => name === 'g_1_at_-1')!
      const unique = { ...index, id: 900, name: 'n_1', unique: true, key: new Map([['n', 1]]) as never }
      const ofN = { ...unique, paths: [['n']], directions: [1] }
      expect(() => store.write(() => collection.build(ofN, most))).toThrow('E11000 duplicate key')
    },
  )
})
