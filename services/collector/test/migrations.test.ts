import { collectorApi } from '@iodine/contracts'
import { connectMongo, hashOf, readConfig } from '@iodine/service-kit'
import { apiClient, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await startServiceFixture()
})
afterAll(() => fixture.stop())

it('recomputes the keys of articles, merges records with equal keys, and resets fetch times in the future', async () => {
  const mongo = await connectMongo(fixture.mongo.url, `${fixture.env.MONGODB_PREFIX}_collector`)
  const [ana, bob] = [await fixture.user('ana'), await fixture.user('bob')]
  const records = mongo.collection('records')
  const article = (user: { id: string }, day: number, canonical: string, more: object = {}) => {
    const fetched_at = new Date(Date.UTC(2026, 10, day))
    const data = {
      collector_metadata: { fetch_timestamp: fetched_at.toISOString(), source: 'blog' },
      metadata: { canonical, ...more },
    }
    return {
      _id: new Types.ObjectId(),
      user_id: new Types.ObjectId(user.id),
      source: 'blog',
      // The key of earlier versions: the unnormalized URL.
      key: hashOf(canonical),
      fetched_at,
      created_at: fetched_at,
      data,
      bytes: Buffer.byteLength(JSON.stringify(data)),
      sighted: true,
    }
  }
  const plain = 'https://news.example/1'
  const [first, second, tracked, routed, others] = [
    { ...article(ana, 1, plain, { title: 'One', description: 'whole' }), shared: 'username' },
    {
      ...article(ana, 2, `${plain}#comments`, { title: 'One, changed', description: '' }),
      shared: 'anonymous',
    },
    article(ana, 3, `${plain}?utm_source=letter&id=2`),
    article(ana, 4, 'https://app.example/#/a/1'),
    article(bob, 5, `${plain}?fbclid=9`),
  ]
  const frozen = { ...article(bob, 6, 'https://news.example/frozen'), fetched_at: new Date('2031-01-01') }
  const capture = new Types.ObjectId()
  const start = async () => createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps)
  try {
    await records.insertMany([first, second, tracked, routed, others, frozen])
    await mongo
      .collection('captures')
      .insertOne({ _id: capture, user_id: second.user_id, record_id: second._id })
    const used = { records: 4, blog: 4, record_bytes: 10_000 }
    await mongo
      .collection<{ _id: string; [field: string]: unknown }>('usage')
      .insertOne({ _id: ana.id, used, day: '', checked_at: new Date() })
    for (let run = 1; run <= 2; run++) {
      await mongo.collection('migrations').deleteMany({})
      await (await start()).close()
    }
    const now = await records.find({ user_id: first.user_id }).sort({ _id: 1 }).toArray()
    expect(now.map(({ _id, key }) => [String(_id), key])).toEqual([
      [String(first._id), hashOf(plain)],
      [String(tracked._id), hashOf(`${plain}?id=2`)],
      [String(routed._id), routed.key],
    ])
    expect(now[0]).toMatchObject({
      fetched_at: second.fetched_at,
      created_at: first.created_at,
      data: { metadata: { title: 'One, changed', description: 'whole' } },
      shared: 'anonymous',
      sighted: false,
    })
    expect(now.map(({ sighted }) => sighted)).toEqual([false, false, false])
    const entries = await mongo.collection('outbox').find({ kind: 'records.changed' }).toArray()
    expect(entries.map(({ key, payload }) => [key, payload.id]).sort()).toEqual(
      [ana, bob].map(({ id }) => [id, id]).sort(),
    )
    expect(await mongo.collection('removals').findOne({ _id: second._id })).toMatchObject({
      user_id: second.user_id,
    })
    expect(await mongo.collection('captures').findOne({ _id: capture })).toMatchObject({
      record_id: first._id,
    })
    expect(
      await mongo.collection<{ _id: string; [field: string]: unknown }>('usage').findOne({ _id: ana.id }),
    ).toMatchObject({
      used: { records: 3, blog: 3, record_bytes: 10_000 + now[0]?.bytes - first.bytes - second.bytes },
    })
    const app = await start()
    const api = apiClient(await fixture.listen(app), bob.token)
    const again = { ...others.data, metadata: { canonical: plain, title: 'New' } }
    const later = {
      collector_metadata: { fetch_timestamp: new Date().toISOString(), source: 'blog' },
      metadata: frozen.data.metadata,
    }
    const { results } = await api.call(collectorApi.ingestRecords, {
      params: { source: 'blog' },
      body: { records: [again, later] },
    })
    expect(results).toEqual([
      { id: String(others._id), status: 'updated' },
      { id: String(frozen._id), status: 'updated' },
    ])
  } finally {
    await mongo.close()
  }
})

it('keeps two records of one key separate if merging would exceed the size limit', {
  tags: 'long',
}, async () => {
  const mongo = await connectMongo(fixture.mongo.url, `${fixture.env.MONGODB_PREFIX}_collector`)
  const { id } = await fixture.user('cleo')
  const canonical = 'https://news.example/large'
  const large = (address: string, field: string) => {
    const fetched_at = new Date('2026-11-01')
    return {
      _id: new Types.ObjectId(),
      user_id: new Types.ObjectId(id),
      source: 'blog',
      key: hashOf(address),
      fetched_at,
      created_at: fetched_at,
      data: {
        collector_metadata: { fetch_timestamp: fetched_at.toISOString(), source: 'blog' },
        metadata: { canonical: address, [field]: 'x'.repeat(8 * 1024 * 1024) },
      },
      sighted: true,
    }
  }
  try {
    const records = mongo.collection('records')
    const two = [large(canonical, 'title'), large(`${canonical}?fbclid=9`, 'description')]
    await records.insertMany(two)
    await mongo.collection('migrations').deleteMany({})
    await (await createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps)).close()
    const kept = await records.find({ user_id: new Types.ObjectId(id) }).toArray()
    expect(kept.map(({ _id }) => String(_id)).sort()).toEqual(two.map(({ _id }) => String(_id)).sort())
  } finally {
    await mongo.close()
  }
})
