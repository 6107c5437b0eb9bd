import {
  collectorApi,
  personalDataInternal,
  type RecordContext,
  recordsInternal,
  type SightingRecord,
  type Source,
  sightingsInternal,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type BedUser,
  blogArticle,
  newId,
  type ServiceBed,
  startServiceBed,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let bed: ServiceBed
let service: StoreService
let url: string
let ana: BedUser
let api: ApiClient
/** What the sightings service was told, and since the last `tell`. */
let heard: typeof told
let told: { user_id: string; records: SightingRecord[]; removed: string[] }[]

beforeAll(async () => {
  bed = await startServiceBed()
  service = await createApp(readConfig(collectorConfigSchema, bed.env), bed.deps)
  url = await bed.listen(service)
})
afterAll(() => bed?.stop())
beforeEach(async () => {
  ana = await bed.user('ana')
  api = apiClient(url, ana.token)
  bed.answer(sightingsInternal.putSightings, ({ body }) => {
    heard.push(body)
    return { done: true as const }
  })
  heard = []
  // What tests before left.
  await empty()
  heard = []
})

const outbox = () => service.mongo.collection('outbox')
const waiting = () => outbox().find({ key: ana.id }).toArray()
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
    { timeout: 30_000 },
  )

const ingest = async (source: Source, ...records: unknown[]) => {
  const { results } = await api.call(collectorApi.ingestRecords, { params: { source }, body: { records } })
  return results.map(result => ('id' in result ? result.id : result.error))
}
const ingestOne = async (source: Source, record: unknown) => String((await ingest(source, record))[0])
/** A promise, and what resolves it. */
const hold = () => {
  let release = () => {}
  const isReleased = new Promise<void>(resolve => {
    release = resolve
  })
  return { release, isReleased }
}
/** Waits until nothing is pending. Resolves to the records that sightings received. */
const tell = async (): Promise<SightingRecord[]> => {
  await empty()
  told = heard.splice(0).filter(({ user_id }) => user_id === ana.id)
  return told.flatMap(({ records }) => records)
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
  it('is stored and answered as sent, in all sources, and found by its text', async () => {
    for (const [source, record] of [
      ['tiktok', tiktokPost()],
      ['telegram', telegramPost()],
      ['blog', blogArticle()],
    ] as const) {
      const id = await ingestOne(source, { ...record, context })
      const [stored] = await api.call(collectorApi.listRecords, {
        params: { source },
        query: { q: 'THE WHOLE' },
      })
      expect(stored).toEqual({ ...record, context, id })
    }
  })

  it('refuses one that is too long or has other fields, and takes the batch’s others', async () => {
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

describe('telling the sightings service', () => {
  it('says of each source who posted what, when and where, once', async () => {
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
    const records = new Map((await tell()).map(record => [record.id, record]))
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
    // Its text is claimed since the change, not since it appeared.
    expect(records.get(article)).toMatchObject({
      account: 'blog.example.org',
      posted_at: '2026-03-01T10:00:00Z',
      claimed_at: '2026-03-05T10:00:00Z',
      edited: true,
    })
    expect(await tell()).toEqual([])
  })

  it('reads the times of articles as publishing software writes them, and none without a zone', async () => {
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
    const records = new Map((await tell()).map(record => [record.id, record]))
    expect(ids.map(id => records.get(String(id))?.posted_at)).toEqual([
      '2026-03-01T10:00:00+02:00',
      '2026-03-01T10:00:00Z',
      null,
      null,
    ])
    for (const id of ids) expect(records.get(String(id))?.claimed_at).toBe('2026-03-05T10:00:00+01:00')
  })

  it('tells new versions and deletions, and nothing while nothing has changed', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    await tell()
    await ingest('telegram', record)
    expect(await tell()).toEqual([])
    const later = new Date(Date.now() + 60_000).toISOString()
    await ingest('telegram', { ...record, collector_metadata: { fetch_timestamp: later, source: 'test' } })
    expect(await tell()).toMatchObject([{ id, fetched_at: later }])
    await api.call(collectorApi.deleteRecord, { params: { source: 'telegram', id } })
    expect(await tell()).toEqual([])
    expect(told).toMatchObject([{ user_id: ana.id, removed: [id] }])
    await tell()
    expect(told).toEqual([])
  })

  it('goes on owing a record that changes while it is told', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    bed.answer(sightingsInternal.putSightings, async ({ body }) => {
      heard.push(body)
      if (heard.length === 1)
        await api.call(collectorApi.shareRecords, {
          params: { source: 'telegram' },
          body: { ids: [id], shared: true, as: 'anonymous' },
        })
      return { done: true as const }
    })
    expect((await tell()).map(({ shared }) => shared)).toEqual([null, 'anonymous'])
  })

  it('takes back what is deleted with its account while it is told', async () => {
    const id = await ingestOne('telegram', telegramPost())
    bed.answer(sightingsInternal.putSightings, async ({ body }) => {
      heard.push(body)
      if (heard.length === 1) await bed.internal(personalDataInternal.forgetUser, { params: { id: ana.id } })
      return { done: true as const }
    })
    await tell()
    expect(told.map(({ records, removed }) => [records.length, removed])).toEqual([
      [1, []],
      [0, [id]],
    ])
  })

  it('goes on owing what was not taken, and keeps a refused record from holding up the others', async () => {
    const [first, bad, last] = await ingest('telegram', telegramPost(), telegramPost(), telegramPost())
    bed.answer(sightingsInternal.putSightings, () => {
      throw new HttpError(503, 'Not now')
    })
    await runNow()
    await vi.waitFor(async () => expect(await waiting()).toMatchObject([{ attempts: 2 }]), 10_000)
    expect(await service.mongo.collection('records').countDocuments({ sighted: false })).toBe(3)
    const taken: string[] = []
    bed.answer(sightingsInternal.putSightings, ({ body }) => {
      if (body.records.some(({ id }) => id === bad)) throw new HttpError(422, 'unreadable')
      taken.push(...body.records.map(({ id }) => id))
      return { done: true as const }
    })
    await tell()
    expect(taken.sort()).toEqual([first, last].sort())
    await tell()
  })

  it('splits records of maximum size into calls that a body holds', { tags: 'long' }, async () => {
    const text = '\u0001'.repeat(50_000)
    const long = Array.from({ length: 60 }, () => ({ ...telegramPost(), context: { text } }))
    await ingest('telegram', ...long.slice(0, 30))
    await ingest('telegram', ...long.slice(30))
    expect(await tell()).toHaveLength(60)
    expect(told.length).toBeGreaterThan(2)
  })

  it('is work of the outbox with the user’s id alone, stored with the change', async () => {
    const entry = { kind: 'records.changed', key: ana.id, payload: { id: ana.id } }
    // An entry stays until sightings answers.
    let holding = hold()
    bed.answer(sightingsInternal.putSightings, async ({ body }) => {
      heard.push(body)
      await holding.isReleased
      return { done: true as const }
    })
    const expectEntry = async () => {
      expect(await waiting()).toMatchObject([entry])
      holding.release()
      await tell()
      holding = hold()
    }
    const id = await ingestOne('telegram', telegramPost())
    await expectEntry()
    const share = (ids: string[]) =>
      api.send('POST', '/telegram/data/share', { ids, shared: true, as: 'anonymous' })
    expect((await share([id, newId()])).status).toBe(404)
    expect(await waiting()).toEqual([])
    await share([id])
    await expectEntry()
    await api.call(collectorApi.deleteRecord, { params: { source: 'telegram', id } })
    await expectEntry()
  })

  it('goes on where a killed process left it', async () => {
    const id = await ingestOne('telegram', telegramPost())
    await outbox().updateMany({ key: ana.id }, { $set: { lease: 'of a dead one', due_at: new Date(0) } })
    expect(await tell()).toMatchObject([{ id }])
  })

  it('lets others have their turn after ten batches of a user', { tags: 'long' }, async () => {
    const posts = (count: number) => ({ records: Array.from({ length: count }, () => telegramPost()) })
    const [held, other, large, small] = [
      await bed.user(),
      await bed.user(),
      await bed.user(),
      await bed.user(),
    ]
    const holds = new Map([held, other].map(({ id }) => [id, hold()]))
    bed.answer(sightingsInternal.putSightings, async ({ body }) => {
      heard.push(body)
      await holds.get(body.user_id)?.isReleased
      if (body.user_id === small.id) holds.get(held.id)?.release()
      return { done: true as const }
    })
    const ingestOf = ({ token }: typeof held, count: number) =>
      apiClient(url, token).send('POST', '/telegram/data', posts(count))
    // Both slots are taken until all is handed in.
    for (const user of [held, other]) await ingestOf(user, 1)
    await vi.waitFor(() => expect(heard).toHaveLength(2), 30_000)
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
    // `empty` changes when entries are due, and with it their order.
    await vi.waitFor(() => expect(heard.some(({ user_id }) => user_id === small.id)).toBe(true), 30_000)
    await empty()
    const order = heard.map(({ user_id }) => user_id)
    expect(order.slice(0, order.indexOf(small.id)).filter(user => user === large.id)).toHaveLength(10)
    expect(order.filter(user => user === large.id)).toHaveLength(12)
  })

  it('tells all records again when it is asked to', { tags: 'long' }, async () => {
    const ids = await ingest('telegram', telegramPost(), telegramPost())
    await tell()
    let after: string | null = null
    do after = (await bed.internal(recordsInternal.resightRecords, { body: { after } })).next
    while (after !== null)
    expect((await tell()).map(({ id }) => id).sort()).toEqual([...ids].sort())
  })
})

describe('sharing records', () => {
  const share = (ids: string[], more: object) =>
    api.send('POST', '/telegram/data/share', { ids, ...more }).then(({ status }) => status)
  const open = (ids: string[], user_id: string, excerpt = 0) =>
    bed.internal(recordsInternal.openRecords, { body: { ids, user_id, excerpt } })

  it('opens a record to others from the moment that it is shared until that is undone', async () => {
    const id = await ingestOne('telegram', { ...telegramPost(), context })
    const bob = await bed.user('bob')
    expect(await open([id], bob.id)).toEqual([])
    expect(await open([id], ana.id, 12)).toEqual([
      { id, user_id: ana.id, shared: null, excerpt: 'The whole…', quotes: null },
    ])
    expect(await share([id], { shared: true, as: 'username' })).toBe(200)
    expect(await open([id], bob.id)).toMatchObject([{ id, user_id: ana.id, shared: 'username', excerpt: '' }])
    expect(await api.call(collectorApi.listShared, { params: { source: 'telegram' } })).toEqual([
      { id, shared: 'username' },
    ])
    expect(await tell()).toMatchObject([{ id, shared: 'username' }])
    expect(await share([id], { shared: false })).toBe(200)
    expect(await open([id], bob.id)).toEqual([])
    expect(await tell()).toMatchObject([{ id, shared: null }])
    expect(await api.call(collectorApi.listShared, { params: { source: 'telegram' } })).toEqual([])
  })

  it('says of readable records whether their texts quote some words, or another record’s text', async () => {
    const post = telegramPost()
    const id = await ingestOne('telegram', {
      ...post,
      context: { ...context, text: 'They say: THE lake boils!' },
    })
    const other = await ingestOne('telegram', {
      ...telegramPost(),
      context: { ...context, text: 'the lake' },
    })
    const bob = await bed.user('bob')
    const quotes = async (user_id: string, quoting: { text: string } | { record_id: string }) => {
      const body = { ids: [id, other], user_id, excerpt: 0, quoting }
      const opened = await bed.internal(recordsInternal.openRecords, { body })
      return Object.fromEntries(opened.map(each => [each.id, each.quotes]))
    }
    expect(await quotes(ana.id, { text: 'The lake boils.' })).toEqual({ [id]: 'whole', [other]: 'part' })
    expect(await quotes(ana.id, { record_id: other })).toEqual({ [id]: 'whole', [other]: 'whole' })
    expect(await quotes(bob.id, { text: 'lake' })).toEqual({})
  })

  it('changes none if one is not the caller’s, of another source or unknown; and asks how', async () => {
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

  it('stays when a newer version arrives, goes with the record, and is in the export', async () => {
    const record = telegramPost()
    const id = await ingestOne('telegram', record)
    await share([id], { shared: true, as: 'anonymous' })
    const later = new Date(Date.now() + 60_000).toISOString()
    await ingest('telegram', { ...record, collector_metadata: { fetch_timestamp: later, source: 'test' } })
    expect(await open([id], newId())).toHaveLength(1)
    const exported = await bed.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
    expect(exported).toMatchObject([{ data: { shared: 'anonymous' } }])
    await bed.internal(personalDataInternal.forgetUser, { params: { id: ana.id } })
    expect(await open([id], newId())).toEqual([])
  })
})
