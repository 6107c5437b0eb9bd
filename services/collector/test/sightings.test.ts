import {
  collectorApi,
  notificationsInternal,
  personalDataInternal,
  type RecordContext,
  recordImportsApi,
  recordsInternal,
  type SightingRecord,
  type Source,
  sightingsInternal,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  blogArticle,
  type FixtureUser,
  newId,
  platformPost,
  type ServiceFixture,
  startServiceFixture,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient
/** Calls that the stub of the sightings service received since the last `deliver`. */
let calls: typeof delivered
/** Calls of the test's user during the last `deliver`. */
let delivered: { user_id: string; records: SightingRecord[]; removed: string[] }[]

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
  fixture.answer(sightingsInternal.putSightings, ({ body }) => {
    calls.push(body)
    return { done: true as const }
  })
  calls = []
  // Discards deliveries of earlier tests.
  await empty()
  calls = []
})

const outbox = () => service.mongo.collection('outbox')
const pending = () => outbox().find({ key: ana.id }).toArray()
const runNow = async () => {
  await outbox().updateMany({ lease: { $exists: false } }, { $set: { due_at: new Date(0) } })
  service.outbox.wake()
}
const empty = () =>
  vi.waitFor(
    async () => {
      await runNow()
      expect(await outbox().find({ kind: 'records.changed' }).toArray()).toEqual([])
    },
    { timeout: 100_000 },
  )

const ingest = async (source: Source, ...records: unknown[]) => {
  const { results } = await api.call(collectorApi.ingestRecords, { params: { source }, body: { records } })
  return results.map(result => ('id' in result ? result.id : result.error))
}
const ingestOne = async (source: Source, record: unknown) => String((await ingest(source, record))[0])
/** Returns a promise and the function that resolves it. */
const hold = () => {
  let release = () => {}
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  return { release, isReleased }
}
/** Waits until no delivery is pending. Resolves to the records that the sightings service received. */
const deliver = async (): Promise<SightingRecord[]> => {
  await empty()
  delivered = calls.splice(0).filter(({ user_id }) => user_id === ana.id)
  return delivered.flatMap(({ records }) => records)
}
const context: RecordContext = {
  posted_at: '2026-03-01T10:00:00+01:00',
  edited: false,
  text: 'The whole text',
  forwarded_from: { name: 'First', url: 'https://t.me/first/1' },
  links: ['https://a.example/1'],
  media: [{ url: 'https://cdn.example/1.jpg', sha256: 'ab'.repeat(32), phash: '01'.repeat(32) }],
}

describe('context of records', () => {
  it('is stored and returned as sent, for all sources, and found by its text', async () => {
    for (const [source, record] of [
      ['tiktok', tiktokPost()],
      ['telegram', telegramPost()],
      ['blog', blogArticle()],
      ['post', platformPost()],
    ] as const) {
      const id = await ingestOne(source, { ...record, context })
      const [stored] = await api.call(collectorApi.listRecords, {
        params: { source },
        query: { q: 'THE WHOLE' },
      })
      expect(stored).toEqual({ ...record, context, id })
    }
  })

  it('that is too long or has unknown fields is rejected; the batch’s other records are stored', async () => {
    const bad = [
      { text: 'x'.repeat(50_001) },
      { links: Array.from({ length: 201 }, () => 'https://a.example') },
      { media: Array.from({ length: 201 }, () => ({})) },
      { media: [{ sha256: 'ab' }] },
      { media: [{ phash: 'AB'.repeat(32) }] },
      { posted_at: 'yesterday' },
      { author: 'x' },
    ]
    const results = await ingest(
      'telegram',
      ...bad.map(each => ({ ...telegramPost(), context: each })),
      telegramPost(),
    )
    for (const refused of results.slice(0, -1)) expect(String(refused)).toMatch(/^context/)
    expect(results.at(-1)).toMatch(/^[0-9a-f]{24}$/)
    expect(await ingest('telegram', { ...telegramPost(), context: { text: 'x'.repeat(50_000) } })).toEqual([
      expect.stringMatching(/^[0-9a-f]{24}$/),
    ])
  })
})

describe('delivery to the sightings service', () => {
  it('sends account, URL, times and text of each source once', async () => {
    const video = await ingestOne('tiktok', tiktokPost({ create_time: 1_763_000_000, description: 'Look' }))
    const post = await ingestOne('telegram', { ...telegramPost(), context })
    const article = await ingestOne(
      'blog',
      blogArticle({
        canonical: 'https://www.blog.example.org/a',
        article_published_time: '2026-03-01T10:00:00Z',
        article_modified_time: '2026-03-05T10:00:00Z',
      }),
    )
    const records = new Map((await deliver()).map(record => [record.id, record]))
    expect(records.size).toBe(3)
    expect(records.get(video)).toMatchObject({
      account: 'night.watch',
      url: expect.stringMatching(/^https:\/\/www\.tiktok\.com\/@night\.watch\/video\/\d+$/),
      posted_at: '2025-11-13T02:13:20.000Z',
      claimed_at: '2025-11-13T02:13:20.000Z',
      text: 'Look',
    })
    expect(records.get(post)).toMatchObject({
      account: 'open_eyes',
      posted_at: context.posted_at,
      text: 'The whole text',
      forwarded_from: context.forwarded_from,
      links: context.links,
      media: [
        { sha256: 'ab'.repeat(32), phash: '01'.repeat(32) },
        { sha256: 'ab'.repeat(32), phash: null },
      ],
    })
    // The claimed time of its text is that of the change.
    expect(records.get(article)).toMatchObject({
      account: 'blog.example.org',
      posted_at: '2026-03-01T10:00:00Z',
      claimed_at: '2026-03-05T10:00:00Z',
      edited: true,
    })
    expect(await deliver()).toEqual([])
  })

  it('sends a post of another platform with its media and links; a repost is a forward of its original', async () => {
    const post = {
      ...platformPost({ title: 'The gauge', edited_at: '2025-11-14T02:13:20.000Z' }),
      relations: { quote_of: { url: 'https://x.com/a/status/1' } },
      media: [
        {
          type: 'image',
          url: 'https://cdn.example.org/a.jpg',
          sha256: 'cd'.repeat(32),
          phash: '01'.repeat(32),
        },
        { type: 'video', url: 'https://cdn.example.org/b.mp4' },
      ],
    }
    const { author: _, ...bare } = platformPost({ platform: 'mastodon', type: 'repost' })
    const original = { id: '7', url: 'https://social.example/@a/7', author: 'a@social.example' }
    const repost = { ...bare, author: { name: 'Quay' }, relations: { repost_of: original } }
    const [whole, again] = await ingest('post', post, repost)
    const records = new Map((await deliver()).map(record => [record.id, record]))
    expect(records.get(String(whole))).toMatchObject({
      source: 'post',
      account: 'night_desk (x)',
      url: post.post.url,
      posted_at: post.post.published_at,
      claimed_at: '2025-11-14T02:13:20.000Z',
      edited: true,
      text: `The gauge\n${post.post.text}`,
      forwarded_from: null,
      links: ['https://blog.example.org/numbers', 'https://x.com/a/status/1'],
      media: [{ sha256: 'cd'.repeat(32), phash: '01'.repeat(32) }],
    })
    expect(records.get(String(again))).toMatchObject({
      account: 'Quay (mastodon)',
      forwarded_from: { name: 'a@social.example', url: 'https://social.example/@a/7' },
      posted_at: repost.post.published_at,
      claimed_at: repost.post.published_at,
    })
  })

  it('sends when a record was imported, until the collector sees its post', async () => {
    const record = telegramPost()
    const imported = { fetch_timestamp: '2019-01-01T00:00:00.000Z', source: 'import:telegram' }
    const before = new Date().toISOString()
    const id = await ingestOne('telegram', { ...record, collector_metadata: imported })
    const [first] = await deliver()
    expect(first).toMatchObject({ id, fetched_at: imported.fetch_timestamp })
    expect(first?.imported_at && first.imported_at >= before).toBe(true)
    await ingest('telegram', record)
    const { fetch_timestamp } = record.collector_metadata
    const later = { fetch_timestamp: new Date().toISOString(), source: 'import:telegram' }
    await ingest('telegram', { ...record, collector_metadata: later, context: { text: 'More' } })
    // The time at which another file states to have seen it changes nothing.
    const seen = await deliver()
    expect(seen.at(-1)).toMatchObject({ id, fetched_at: fetch_timestamp, text: 'More' })
    for (const each of seen) expect(each).not.toHaveProperty('imported_at')
  })

  it('parses the times of articles as publishing software writes them; ignores those without a zone', async () => {
    const written = ['2026-03-01T10:00:00+0200', '2026-03-01 10:00Z', '2026-03-01T10:00:00', '2026-03-01']
    const ids = await ingest(
      'blog',
      ...written.map((article_published_time, n) =>
        blogArticle({
          canonical: `https://blog.example.org/${n}`,
          article_published_time,
          article_modified_time: '2026-03-05T10:00+0100',
        }),
      ),
    )
    const records = new Map((await deliver()).map(record => [record.id, record]))
    expect(ids.map(id => records.get(String(id))?.posted_at)).toEqual([
      '2026-03-01T10:00:00+02:00',
      '2026-03-01T10:00:00Z',
      null,
      null,
    ])
    for (const id of ids) expect(records.get(String(id))?.claimed_at).toBe('2026-03-05T10:00:00+01:00')
  })

  it('sends new versions and deletions, and nothing for unchanged records', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    await deliver()
    await ingest('telegram', record)
    expect(await deliver()).toEqual([])
    const later = new Date(Date.now() + 60_000).toISOString()
    await ingest('telegram', { ...record, collector_metadata: { fetch_timestamp: later, source: 'test' } })
    expect(await deliver()).toMatchObject([{ id, fetched_at: later }])
    await api.call(collectorApi.deleteRecord, { params: { source: 'telegram', id } })
    expect(await deliver()).toEqual([])
    expect(delivered).toMatchObject([{ user_id: ana.id, removed: [id] }])
    await deliver()
    expect(delivered).toEqual([])
  })

  it('sends a record again if it changes during the delivery', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    fixture.answer(sightingsInternal.putSightings, async ({ body }) => {
      calls.push(body)
      if (calls.length === 1)
        await api.call(collectorApi.shareRecords, {
          params: { source: 'telegram' },
          body: { ids: [id], shared: true, as: 'anonymous' },
        })
      return { done: true as const }
    })
    expect((await deliver()).map(({ shared }) => shared)).toEqual([null, 'anonymous'])
  })

  it('retracts records whose account is deleted during the delivery', async () => {
    const id = await ingestOne('telegram', telegramPost())
    fixture.answer(sightingsInternal.putSightings, async ({ body }) => {
      calls.push(body)
      if (calls.length === 1)
        await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
      return { done: true as const }
    })
    await deliver()
    expect(delivered.map(({ records, removed }) => [records.length, removed])).toEqual([
      [1, []],
      [0, [id]],
    ])
  })

  it('retries after a transient error; a rejected record does not block the others', async () => {
    const [first, bad, last] = await ingest('telegram', telegramPost(), telegramPost(), telegramPost())
    fixture.answer(sightingsInternal.putSightings, () => {
      throw new HttpError(503, 'Not now')
    })
    await runNow()
    await vi.waitFor(async () => expect(await pending()).toMatchObject([{ attempts: 2 }]), 10_000)
    expect(await service.mongo.collection('records').countDocuments({ sighted: false })).toBe(3)
    const taken: string[] = []
    fixture.answer(sightingsInternal.putSightings, ({ body }) => {
      if (body.records.some(({ id }) => id === bad)) throw new HttpError(422, 'unreadable')
      taken.push(...body.records.map(({ id }) => id))
      return { done: true as const }
    })
    await deliver()
    expect(taken.sort()).toEqual([first, last].sort())
    await deliver()
  })

  it('splits records of maximum size into calls that fit the body limit', { tags: 'long' }, async () => {
    const text = '\u0001'.repeat(50_000)
    const long = Array.from({ length: 60 }, () => ({ ...telegramPost(), context: { text } }))
    await ingest('telegram', ...long.slice(0, 30))
    await ingest('telegram', ...long.slice(30))
    expect(await deliver()).toHaveLength(60)
    expect(delivered.length).toBeGreaterThan(2)
  })

  it('is an outbox entry with only the user’s id, stored in the transaction of the change', async () => {
    const entry = { kind: 'records.changed', key: ana.id, payload: { id: ana.id } }
    // An entry stays until sightings answers.
    let holding = hold()
    fixture.answer(sightingsInternal.putSightings, async ({ body }) => {
      calls.push(body)
      await holding.isReleased
      return { done: true as const }
    })
    const expectEntry = async () => {
      expect(await pending()).toMatchObject([entry])
      holding.release()
      await deliver()
      holding = hold()
    }
    const id = await ingestOne('telegram', telegramPost())
    await expectEntry()
    const share = (ids: string[]) =>
      api.send('POST', '/telegram/data/share', { ids, shared: true, as: 'anonymous' })
    expect((await share([id, newId()])).status).toBe(404)
    expect(await pending()).toEqual([])
    await share([id])
    await expectEntry()
    await api.call(collectorApi.deleteRecord, { params: { source: 'telegram', id } })
    await expectEntry()
  })

  it('waits for the batches of an import that follow, unless other records change', async () => {
    const imported = () => ({
      ...tiktokPost(),
      collector_metadata: { fetch_timestamp: '2026-03-01T10:00:00.000Z', source: 'import:zeeschuimer' },
    })
    const stated = { format: 'zeeschuimer', file_name: 'a.ndjson', file_sha256: 'ab'.repeat(32), total: 4 }
    const { id: import_id } = await api.call(recordImportsApi.createRecordImport, { body: stated })
    const send = async (offset: number) => {
      const body = { records: [imported()], import_id, offset }
      const { results } = await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body })
      return results.map(result => 'id' in result && result.id)
    }
    // On a busy machine the import might pause.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = await send(0)
    await runNow()
    await expect.poll(pending).toMatchObject([{ attempts: 0, since: expect.any(Date) }])
    expect(calls).toEqual([])
    vi.useRealTimers()
    const second = await send(1)
    const other = await ingestOne('telegram', telegramPost())
    const sent = (await deliver()).map(({ id }) => id)
    expect(sent.sort()).toEqual([...first, ...second, other].sort())
    const third = await send(2)
    expect((await deliver()).map(({ id }) => id)).toEqual(third)
    const last = await send(3)
    expect((await deliver()).map(({ id }) => id)).toEqual(last)
  })

  it('resumes after a process was killed', async () => {
    const id = await ingestOne('telegram', telegramPost())
    await outbox().updateMany({ key: ana.id }, { $set: { lease: 'of a dead one', due_at: new Date(0) } })
    expect(await deliver()).toMatchObject([{ id }])
  })

  it('serves other users after ten batches of a user', { tags: 'long' }, async () => {
    const posts = (count: number) => ({ records: Array.from({ length: count }, () => telegramPost()) })
    const [held, other, large, small] = [
      await fixture.user(),
      await fixture.user(),
      await fixture.user(),
      await fixture.user(),
    ]
    const holds = new Map([held, other].map(({ id }) => [id, hold()]))
    fixture.answer(sightingsInternal.putSightings, async ({ body }) => {
      calls.push(body)
      await holds.get(body.user_id)?.isReleased
      if (body.user_id === small.id) holds.get(held.id)?.release()
      return { done: true as const }
    })
    const ingestOf = ({ token }: typeof held, count: number) =>
      apiClient(url, token).send('POST', '/telegram/data', posts(count))
    // Both concurrency slots are taken until all records are ingested.
    for (const user of [held, other]) await ingestOf(user, 1)
    await vi.waitFor(() => expect(calls).toHaveLength(2), 30_000)
    for (const [n, [user, count]] of (
      [
        [large, 500],
        [large, 100],
        [small, 1],
      ] as const
    ).entries()) {
      await ingestOf(user, count)
      await outbox().updateMany({ key: user.id }, { $set: { due_at: new Date(n + 1) } })
    }
    holds.get(other.id)?.release()
    // `empty` would change the due times of the entries, and thereby their order.
    await vi.waitFor(() => expect(calls.some(({ user_id }) => user_id === small.id)).toBe(true), 30_000)
    await empty()
    const order = calls.map(({ user_id }) => user_id)
    expect(order.slice(0, order.indexOf(small.id)).filter(user => user === large.id)).toHaveLength(10)
    expect(order.filter(user => user === large.id)).toHaveLength(12)
  })

  it('sends all records again on request', { tags: 'long' }, async () => {
    // The request applies to all users: thousands of records of earlier tests would be sent too.
    await service.mongo.collection('records').deleteMany({})
    const ids = await ingest('telegram', telegramPost(), telegramPost())
    await deliver()
    let after: string | null = null
    do after = (await fixture.internal(recordsInternal.redeliverRecords, { body: { after } })).next
    while (after !== null)
    expect((await deliver()).map(({ id }) => id).sort()).toEqual([...ids].sort())
  })
})

describe('sharing records', () => {
  const share = (ids: string[], more: object) =>
    api.send('POST', '/telegram/data/share', { ids, ...more }).then(({ status }) => status)
  const open = (ids: string[], user_id: string, excerpt = 0) =>
    fixture.internal(recordsInternal.openRecords, { body: { ids, user_id, excerpt } })

  it('makes a record readable by others while it is shared', async () => {
    const id = await ingestOne('telegram', { ...telegramPost(), context })
    const bob = await fixture.user('bob')
    expect(await open([id], bob.id)).toEqual([])
    expect(await open([id], ana.id, 12)).toEqual([
      { id, user_id: ana.id, shared: null, excerpt: 'The whole…', quotes: null },
    ])
    expect(await share([id], { shared: true, as: 'username' })).toBe(200)
    expect(await open([id], bob.id)).toMatchObject([{ id, user_id: ana.id, shared: 'username', excerpt: '' }])
    expect(await api.call(collectorApi.listShared, { params: { source: 'telegram' } })).toEqual([
      { id, shared: 'username' },
    ])
    expect(await deliver()).toMatchObject([{ id, shared: 'username' }])
    expect(await share([id], { shared: false })).toBe(200)
    expect(await open([id], bob.id)).toEqual([])
    expect(await deliver()).toMatchObject([{ id, shared: null }])
    expect(await api.call(collectorApi.listShared, { params: { source: 'telegram' } })).toEqual([])
  })

  it('reports whether readable records quote a text, or another record’s text', async () => {
    const post = telegramPost()
    const id = await ingestOne('telegram', {
      ...post,
      context: { ...context, text: 'They say: THE lake boils!' },
    })
    const other = await ingestOne('telegram', {
      ...telegramPost(),
      context: { ...context, text: 'the lake' },
    })
    const bob = await fixture.user('bob')
    const quotes = async (user_id: string, quoting: { text: string } | { record_id: string }) => {
      const body = { ids: [id, other], user_id, excerpt: 0, quoting }
      const opened = await fixture.internal(recordsInternal.openRecords, { body })
      return Object.fromEntries(opened.map(each => [each.id, each.quotes]))
    }
    expect(await quotes(ana.id, { text: 'The lake boils.' })).toEqual({ [id]: 'whole', [other]: 'part' })
    expect(await quotes(ana.id, { record_id: other })).toEqual({ [id]: 'whole', [other]: 'whole' })
    expect(await quotes(bob.id, { text: 'lake' })).toEqual({})
  })

  it('changes none if a record is another user’s, of another source or unknown; requires `as`', async () => {
    const id = await ingestOne('telegram', telegramPost())
    const video = await ingestOne('tiktok', tiktokPost())
    const anonymous = { shared: true, as: 'anonymous' }
    expect(await share([id, newId()], anonymous)).toBe(404)
    expect(await share([id, video], anonymous)).toBe(404)
    expect(await share([id], { shared: true })).toBe(422)
    expect(await share([], anonymous)).toBe(422)
    expect(await share(Array.from({ length: 501 }, newId), anonymous)).toBe(422)
    expect(await api.call(collectorApi.listShared, { params: { source: 'telegram' } })).toEqual([])
  })

  it('survives a newer version, is exported, and ends with the account', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    await share([id], { shared: true, as: 'anonymous' })
    const later = new Date(Date.now() + 60_000).toISOString()
    await ingest('telegram', { ...record, collector_metadata: { fetch_timestamp: later, source: 'test' } })
    expect(await open([id], newId())).toHaveLength(1)
    const exported = await fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
    expect(exported).toMatchObject([{ data: { shared: 'anonymous' } }])
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    expect(await open([id], newId())).toEqual([])
  })
})

it('delivers to sightings while notifications is down, and to notifications once it is back', async () => {
  let isDown = true
  const watched: string[] = []
  fixture.answer(notificationsInternal.receiveRecords, ({ body }) => {
    if (isDown) throw new HttpError(503, 'Not now')
    if (body.user_id === ana.id) watched.push(...body.records.map(({ id }) => id))
    return { done: true as const }
  })
  const ids = [await ingestOne('telegram', telegramPost()), await ingestOne('blog', blogArticle())]
  await empty()
  expect(
    calls.filter(({ user_id }) => user_id === ana.id).flatMap(({ records }) => records.map(({ id }) => id)),
  ).toEqual(expect.arrayContaining(ids))
  expect(watched).toEqual([])
  isDown = false
  await vi.waitFor(async () => {
    await runNow()
    expect(new Set(watched)).toEqual(new Set(ids))
  })
})
