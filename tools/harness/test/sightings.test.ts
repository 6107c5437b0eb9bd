import {
  accountsInternal,
  collectorApi,
  coordinationApi,
  evidenceApi,
  iodsApi,
  type SharedAs,
  sightingsApi,
} from '@iodine/contracts'
import { type Connection, connectMongo } from '@iodine/service-kit'
import { blogArticle, iodInput, NO_LIMITS, newId, type SignedInUser, telegramPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
let stored: Connection
let ana: SignedInUser
let bo: SignedInUser

beforeAll(async () => {
  app = await startTestApp({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
  ;[ana, bo] = [await app.signUp(), await app.signUp()]
  const { MONGODB_URI, MONGODB_PREFIX } = app.parts.sightings.env
  stored = await connectMongo(MONGODB_URI ?? '', `${MONGODB_PREFIX}_sightings`)
})
afterAll(async () => {
  await stored?.close()
  await app?.stop()
})

const collect = async ({ api }: SignedInUser, description: string): Promise<string> => {
  const { results } = await api.call(collectorApi.ingestRecords, {
    params: { source: 'telegram' },
    body: { records: [telegramPost({ description })] },
  })
  const [result] = results
  return result && 'id' in result ? result.id : expect.unreachable()
}
const search = ({ api }: SignedInUser, text: string, scope: 'own' | 'shared' = 'own') =>
  api.call(sightingsApi.searchSightings, { body: { text, scope, limit: 200 } })
const share = ({ api }: SignedInUser, ids: string[], as?: SharedAs) =>
  api.call(collectorApi.shareRecords, {
    params: { source: 'telegram' },
    body: as ? { ids, shared: true, as } : { ids, shared: false },
  })
const unique = () => `Witness ${newId()} saw silver dust above the reservoir of ${newId()}`

it('finds a collected record, for others only while it is shared, until its account is deleted', async () => {
  const text = unique()
  const id = await collect(ana, text)
  const found = async (user: SignedInUser, scope: 'own' | 'shared') => (await search(user, text, scope)).items
  await expect
    .poll(() => found(ana, 'own'), { timeout: 30_000 })
    .toMatchObject([{ id, own: true, account: 'open_eyes', excerpt: text, shared: null }])
  expect(await found(bo, 'shared')).toEqual([])

  await share(ana, [id], 'username')
  await expect
    .poll(() => found(bo, 'shared'), { timeout: 30_000 })
    .toMatchObject([{ own: false, excerpt: text, shared: 'username', shared_by: ana.username }])
  expect(await found(bo, 'own')).toEqual([])
  await share(ana, [id], 'anonymous')
  expect(await found(bo, 'shared')).toMatchObject([{ shared: 'anonymous', shared_by: null }])
  await share(ana, [id])
  expect(await found(bo, 'shared')).toEqual([])

  await share(ana, [id], 'username')
  await ana.api.call(sightingsApi.setCounting, { body: { counted: true } })
  await app.peers.call('auth', accountsInternal.deleteAccount, { body: { email: ana.email } })
  await expect.poll(() => found(bo, 'shared'), { timeout: 30_000 }).toEqual([])
  const holds = async (name: string) =>
    JSON.stringify(await stored.collection(name).find().toArray()).includes(ana.id)
  for (const { name } of (await stored.db?.listCollections().toArray()) ?? [])
    await expect.poll(() => holds(name), { timeout: 30_000 }).toBe(false)
})

it('does not find a deleted record or a changed text', { tags: 'long' }, async () => {
  const [text, changed] = [unique(), unique()]
  const article = blogArticle({ canonical: `https://blog.example.org/${newId()}` })
  const hand = (body: string, fetched: Date) =>
    bo.api.call(collectorApi.ingestRecords, {
      params: { source: 'blog' },
      body: {
        records: [
          {
            ...article,
            collector_metadata: { fetch_timestamp: fetched.toISOString(), source: 'test' },
            context: { text: body, posted_at: '2026-03-01T10:00:00Z' },
          },
        ],
      },
    })
  const { results } = await hand(text, new Date())
  const matches = async (of: string) =>
    (await search(bo, of)).items.map(({ matches: how, posted_claimed, edited }) => [
      how.includes('exact'),
      posted_claimed,
      edited,
    ])
  await expect.poll(() => matches(text), { timeout: 30_000 }).toEqual([[true, true, false]])
  await hand(changed, new Date(Date.now() + 60_000))
  await expect.poll(() => matches(changed), { timeout: 30_000 }).toEqual([[true, false, true]])
  expect((await matches(text)).filter(([exact]) => exact)).toEqual([])
  const [result] = results
  const id = result && 'id' in result ? result.id : ''
  await bo.api.call(collectorApi.deleteRecord, { params: { source: 'blog', id } })
  await expect.poll(() => matches(changed), { timeout: 30_000 }).toEqual([])
})

it('treats a clone of an article as content of its own host in Origins, evidence and co-shares, and its removal too', {
  tags: 'long',
}, async () => {
  const text = unique()
  const path = `/2026/${newId()}`
  const [original, clone] = [`https://paper.example.com${path}`, `https://mirror.example.net${path}`]
  /** Returns the record of a page whose head names the original. */
  const page = (canonical: string, posted_at: string) => ({
    collector_metadata: { fetch_timestamp: new Date().toISOString(), source: 'blog' },
    metadata: { title: 'Silver dust', canonical, og_url: original },
    context: { posted_at, text, ...(canonical !== original && { stated_canonical: original }) },
  })
  const hand = async (...records: object[]) => {
    const params = { source: 'blog' } as const
    const { results } = await bo.api.call(collectorApi.ingestRecords, { params, body: { records } })
    return results.map(result => ('id' in result ? result.id : expect.unreachable()))
  }
  const ids = await hand(page(clone, '2026-03-01T10:00:00Z'), page(original, '2026-03-01T10:00:20Z'))
  const removed = { first_seen: new Date().toISOString(), last_seen: new Date().toISOString() }
  const gone = { collector_metadata: page(clone, '').collector_metadata, metadata: { canonical: clone } }
  expect(await hand({ ...gone, context: { removed } })).toEqual(ids.slice(0, 1))
  const found = async () => (await search(bo, text)).items
  await expect.poll(found, { timeout: 30_000 }).toMatchObject([
    { account: 'mirror.example.net', url: clone, names: original, removed_at: expect.any(String) },
    { account: 'paper.example.com', url: original },
  ])
  const { first, items } = await search(bo, text)
  expect(first).toMatchObject({ account: 'mirror.example.net' })
  expect(items[1]).not.toHaveProperty('names')

  const iod = await bo.api.call(iodsApi.createIod, { body: iodInput({ value: text, category: 'SENTENCE' }) })
  const quote = { role: 'record', pointer: '/context/text', start: 0, end: text.length, exact: text } as const
  const record = { source: 'blog', id: ids[0] as string } as const
  expect(
    await bo.api.call(evidenceApi.addEvidence, { params: { id: iod.id }, body: { ...quote, record } }),
  ).toMatchObject({ url: clone })

  const { id } = await bo.api.call(coordinationApi.createRun, {
    body: { kinds: ['text'], window_s: 60, min_participation: 1, scope: 'own' },
  })
  const params = { id }
  await expect
    .poll(() => bo.api.call(coordinationApi.getRun, { params }), { timeout: 30_000 })
    .toMatchObject({ state: 'done' })
  const { edges } = await bo.api.call(coordinationApi.getNetwork, { params })
  expect(edges.map(({ a, b }) => [a, b].sort())).toContainEqual([
    'blog mirror.example.net',
    'blog paper.example.com',
  ])
})
