import {
  collectorApi,
  DETAILS,
  type IngestResult,
  NEVER_COLLECTED,
  SOURCES,
  type Source,
  type TiktokRecord,
} from '@iodine/contracts'
import { readConfig } from '@iodine/service-kit'
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
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let url: string
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  url = await fixture.listen(await createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps))
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})

const ingest = async (source: Source, records: unknown[], client = api): Promise<IngestResult[]> =>
  (await client.call(collectorApi.ingestRecords, { params: { source }, body: { records } })).results
const list = (source: Source, client = api) => client.call(collectorApi.listRecords, { params: { source } })
const statuses = (results: IngestResult[]) =>
  results.map(result => ('status' in result ? result.status : result.error))
const idOf = (result: IngestResult | undefined) => (result && 'id' in result ? result.id : '')
const at = (time: string) => ({ collector_metadata: { fetch_timestamp: time, source: 'test' } })

describe('searching', () => {
  const found = async (source: Source, q: string, more = '') => {
    const { body, headers } = await api.send(
      'GET',
      `/${source}/data?limit=2&q=${encodeURIComponent(q)}${more}`,
    )
    return [body.map(({ id }: { id: string }) => id), headers.get('x-total-count')]
  }

  it('finds only own records, by any of their texts, literally and case-insensitively', async () => {
    const bob = await fixture.user('bob')
    const mark = newId()
    const videos = [
      tiktokPost({ description: `They HIDE 100% (${mark})` }),
      tiktokPost({ hashtags: ['plain', `Cafe\u0301${mark}`] }),
      { ...tiktokPost(), sound: { sound_name: `Été ${mark}` } },
      tiktokPost({ description: 'nothing of it' }),
    ]
    const [first, second, third] = (await ingest('tiktok', videos)).map(idOf)
    await ingest('tiktok', [tiktokPost({ description: mark })], apiClient(url, bob.token))
    expect(await found('tiktok', `hide 100% (${mark.toUpperCase()})`)).toEqual([[first], '1'])
    expect(await found('tiktok', `CAFÉ${mark}`)).toEqual([[second], '1'])
    expect(await found('tiktok', `ÉTÉ ${mark}`)).toEqual([[third], '1'])
    expect(await found('tiktok', 'hide.100')).toEqual([[], '0'])
    const page = await api.send('GET', `/tiktok/data?limit=2&q=${mark}`)
    expect(await found('tiktok', mark)).toEqual([[third, second], '3'])
    const next = `&cursor=${page.headers.get('x-next-cursor')}`
    expect(await found('tiktok', mark, next)).toEqual([[first], '3'])
    expect((await api.send('GET', `/tiktok/data?q=${mark}`)).body).toHaveLength(3)
  })

  it('covers attachments, structured data and image hashes, but not the collector’s metadata', async () => {
    const mark = newId()
    const post = telegramPost()
    const attachments = [{ type: 'image', url: `https://cdn.example/${mark}.jpg`, sha256: null }]
    const noted = {
      collector_metadata: { fetch_timestamp: '2026-01-01T00:00:00.000Z', source: `by ${mark}` },
    }
    const [posted] = (
      await ingest('telegram', [
        { ...post, telegram: { ...post.telegram, attachments } },
        { ...telegramPost(), ...noted },
      ])
    ).map(idOf)
    const article = blogArticle()
    const metadata = { ...article.metadata, jsonld: { publisher: { name: `ACME ${mark}` } } }
    const imageHashes = { 'https://a.example/1': 'ff', [`https://a.$b.example/${mark}`]: 'ab' }
    const [named, hashed] = (
      await ingest('blog', [
        { ...article, metadata },
        { ...blogArticle(), imageHashes },
      ])
    ).map(idOf)
    expect(await found('telegram', `${mark}.JPG`)).toEqual([[posted], '1'])
    expect(await found('telegram', `by ${mark}`)).toEqual([[], '0'])
    expect(await found('blog', `acme ${mark}`)).toEqual([[named], '1'])
    expect(await found('blog', `a.$b.example/${mark}`)).toEqual([[hashed], '1'])
    const byDesk = { ...platformPost(), author: { handle: `desk_${mark}` }, extra: `{"$k":"only ${mark}"}` }
    const [written] = (await ingest('post', [byDesk])).map(idOf)
    expect(await found('post', `DESK_${mark}`)).toEqual([[written], '1'])
    expect(await found('post', `only ${mark}`)).toEqual([[], '0'])
  })

  it('runs one search of a user and source at a time; a newer one replaces a queued one', {
    tags: 'long',
  }, async () => {
    const description = 'They hide everything. '.repeat(400)
    for (let n = 0; n < 4; n++)
      await ingest(
        'tiktok',
        Array.from({ length: 250 }, () => tiktokPost({ description })),
      )
    const search = (more = '', client = api, source = 'tiktok') =>
      client.send('GET', `/${source}/data?q=nowhere${more}`)
    const bob = apiClient(url, (await fixture.user('bob')).token)
    const [own, others] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, (_, n) => search(n % 2 ? '&limit=5' : ''))),
      Promise.all([search('', bob), search('', api, 'blog'), api.send('GET', '/tiktok/data?limit=1')]),
    ])
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    const refused = own.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body, headers } of refused)
      expect([body, headers.get('retry-after')]).toEqual([{ detail: DETAILS.busy }, '1'])
    for (const { status, body } of own) if (status !== 429) expect([status, body]).toEqual([200, []])
    expect((await search()).body).toEqual([])
  })

  it('treats any text up to its limit literally', async () => {
    for (const q of ['.*', '(', '[a-', '\\', '$where', '^', ' ', '%', '\ud83d\ude00'])
      expect((await api.send('GET', `/blog/data?limit=1&q=${encodeURIComponent(q)}`)).status).toBe(200)
    expect((await api.send('GET', `/blog/data?q=${'x'.repeat(201)}`)).status).toBe(422)
  })
})

describe('values in records', () => {
  const contained = (values: string[], client = api) =>
    client.call(collectorApi.containedValues, { body: { values } })

  it('finds values in own records of all sources, in any case', async () => {
    const mark = newId()
    const bob = apiClient(url, (await fixture.user('bob')).token)
    await ingest('tiktok', [tiktokPost({ description: `They saw Lake${mark}, then the STRASSE ${mark}.` })])
    await ingest('blog', [blogArticle({ description: `At lake${mark}` })])
    await ingest('tiktok', [tiktokPost({ description: `bobs ${mark}` })], bob)
    const values = [`LAKE${mark}`, `straße ${mark}`, `bobs ${mark}`, ' ', mark, `ke${mark}`, `lake${mark}`]
    const both = ['tiktok', 'blog']
    expect(await contained(values)).toEqual([both, ['tiktok'], [], [], both, both, both])
    expect(await contained([`lake${mark}`, `bobs ${mark}`], bob)).toEqual([[], ['tiktok']])
  })

  it('finds what a search finds', { tags: 'long' }, async () => {
    const part = fc.array(
      fc.constantFrom('a', 'A', 'ß', 'ss', 'é', 'e\u0301', '.', '*', '(', ' ', '😀', 'İ'),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    const texts = fc.array(
      part.map(parts => parts.join('')),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(texts, texts, async (descriptions, values) => {
        const client = apiClient(url, (await fixture.user('eve')).token)
        await ingest(
          'telegram',
          descriptions.map(description => telegramPost({ description })),
          client,
        )
        const found = await contained(values, client)
        for (const [n, value] of values.entries()) {
          if (value.trim() === '') continue
          const { body } = await client.send('GET', `/telegram/data?q=${encodeURIComponent(value.trim())}`)
          if (body.length > 0) expect([value, found[n]]).toEqual([value, ['telegram']])
        }
      }),
      propertyRuns(10),
    )
  })

  it('refuses more than 10,000 values, or 1,000,000 characters', async () => {
    const send = async (values: unknown) => {
      const { status, body } = await api.send('POST', '/records/contained', { values })
      return [status, body.detail]
    }
    const many = 'values: must hold 1 to 10,000 values'
    expect(await send(Array(10_001).fill('a'))).toEqual([422, [many]])
    expect(await send([])).toEqual([422, [many]])
    expect(await send(Array(101).fill('a'.repeat(10_000)))).toEqual([
      422,
      ['values: must hold at most 1,000,000 characters together'],
    ])
    expect((await send(['a'.repeat(10_001)]))[0]).toBe(422)
    expect((await send(Array(10_000).fill('a')))[0]).toBe(200)
    expect((await send(Array(100).fill('a'.repeat(10_000))))[0]).toBe(200)
  })
})

describe('ingest', () => {
  it.each([
    ['tiktok', tiktokPost] as const,
    ['telegram', telegramPost] as const,
    ['blog', blogArticle] as const,
    ['post', platformPost] as const,
  ])('stores a %s record exactly as sent', async (source, make) => {
    const records = [make(), make(), make()]
    const results = await ingest(source, records)
    expect(statuses(results)).toEqual(['created', 'created', 'created'])
    const listed = await list(source)
    expect(listed).toEqual(records.map((record, n) => ({ id: idOf(results[n]), ...record })).reverse())
    expect(JSON.stringify(listed[0])).toBe(JSON.stringify({ id: idOf(results[2]), ...records[2] }))
  })

  it('stores image hashes with dots, dollar signs and empty strings as keys', async () => {
    const record = {
      ...blogArticle(),
      imageHashes: {
        'https://a.b/c.d.png?$x=1': 'aa',
        $where: 'bb',
        '': 'cc',
        'a.$b': 'dd',
        constructor: 'ee',
      },
    }
    expect(statuses(await ingest('blog', [record, { ...blogArticle(), imageHashes: {} }]))).toEqual([
      'created',
      'created',
    ])
    expect(await list('blog')).toMatchObject([{ imageHashes: {} }, { imageHashes: record.imageHashes }])
    const [empty] = await list('blog')
    expect(empty).toHaveProperty('imageHashes', {})
  })

  it('stores empty groups, nulls and the smallest record of each source', async () => {
    const now = at('2026-11-01T10:00:00Z')
    const records = {
      tiktok: { ...now, main: { video_id: '1', description: null, hashtags: [] }, author: {}, stats: {} },
      telegram: { ...now, telegram: { post: { url: 'https://t.me/x/1' }, attachments: null } },
      blog: { ...now, metadata: { og_url: 'https://x.example/', jsonld: { author: null, keywords: [] } } },
      post: { ...now, post: { platform: 'x', id: '1', type: 'post' }, author: {}, metrics: {}, media: null },
    }
    for (const source of SOURCES) {
      const [result] = await ingest(source, [records[source]])
      expect(await list(source)).toEqual([{ id: idOf(result), ...records[source] }])
    }
  })

  it('returns one result per record, in order; an invalid record affects no other', async () => {
    const good = Array.from({ length: 499 }, () => tiktokPost())
    const records: unknown[] = [...good]
    records.splice(250, 0, { ...tiktokPost(), main: { video_id: '', create_time: -1 }, extra: 1 })
    const results = await ingest('tiktok', records)
    expect(results[250]).toEqual({
      error: [
        'main.video_id: must not be empty',
        'main.create_time: must be 0 or more',
        'extra: is not a known field',
      ],
    })
    expect(statuses(results).filter(status => status === 'created')).toHaveLength(499)
    expect(await list('tiktok')).toHaveLength(499)
  })

  it.each([
    [null, /^record: /],
    ['text', /^record: /],
    [{}, /collector_metadata/],
    [{ ...tiktokPost(), ...at('yesterday') }, 'collector_metadata.fetch_timestamp: must be an ISO 8601 time'],
    [{ ...tiktokPost(), ...at('2026-02-30T00:00:00Z') }, /fetch_timestamp/],
    [{ ...tiktokPost(), stats: { play_count: 1.5 } }, /^stats\.play_count: /],
    [{ ...tiktokPost(), stats: { play_count: '7' } }, /^stats\.play_count: /],
    [{ ...tiktokPost(), stats: { views: 1 } }, 'stats.views: is not a known field'],
    [{ ...tiktokPost(), main: { video_id: 'x'.repeat(10_001) } }, /^main\.video_id: /],
    [{ ...tiktokPost(), main: { video_id: { $gt: '' } } }, /^main\.video_id: /],
    [{ ...tiktokPost(), main: { video_id: 'a\0b' } }, 'video_id: must not contain NUL'],
    [{ ...tiktokPost(), main: { video_id: '\ud800' } }, 'video_id: must be well-formed Unicode'],
    [telegramPost(), /main/],
  ])('names the invalid field of a record (%#)', async (record, fault) => {
    const results = await ingest('tiktok', [record, tiktokPost()])
    const { error } = results[0] as { error: string[] }
    expect(error.some(text => (typeof fault === 'string' ? text === fault : fault.test(text)))).toBe(true)
    expect(statuses(results)[1]).toBe('created')
  })

  it('rejects only the records with a prototype key or deep nesting', async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const body = `{"records":[{"__proto__":{"x":1}},${deep},${JSON.stringify(tiktokPost())}]}`
    const { status, body: answer } = await api.send('POST', '/tiktok/data', body)
    expect(status).toBe(200)
    expect(answer.results).toMatchObject([
      { error: [expect.any(String)] },
      { error: [expect.any(String)] },
      {
        status: 'created',
      },
    ])
  })

  it('requires a canonical or og_url for an article', async () => {
    const { canonical: _, ...metadata } = blogArticle().metadata
    const [without, empty, other] = await ingest('blog', [
      { ...blogArticle(), metadata },
      { ...blogArticle(), metadata: { ...metadata, canonical: '' } },
      { ...blogArticle(), metadata: { ...metadata, canonical: '', og_url: 'https://og.example/1' } },
    ])
    expect(without).toEqual({ error: ['metadata: canonical or og_url is required'] })
    expect(empty).toEqual(without)
    expect(other).toMatchObject({ status: 'created' })
  })

  it('accepts 1 to 500 records', async () => {
    const fault = { detail: ['records: must hold 1 to 500 records'] }
    expect((await api.send('POST', '/tiktok/data', { records: [] })).body).toEqual(fault)
    const many = Array.from({ length: 501 }, () => tiktokPost())
    expect((await api.send('POST', '/tiktok/data', { records: many })).body).toEqual(fault)
    expect((await api.send('POST', '/tiktok/data', { record: 1 })).status).toBe(422)
    expect((await api.send('POST', '/tiktok/data', {})).status).toBe(422)
    expect((await api.send('POST', '/tiktok/data', '{')).status).toBe(400)
  })

  it('accepts bodies of 16 MiB and rejects larger ones', { tags: 'long' }, async () => {
    const record = {
      ...tiktokPost(),
      classification: { suggested_words: Array(400).fill('x'.repeat(9_000)) },
    }
    const records = Array.from({ length: 4 }, (_, n) => ({ ...record, main: { video_id: `big ${n}` } }))
    const body = JSON.stringify({ records })
    expect(body.length).toBeGreaterThan(14_000_000)
    expect((await api.send('POST', '/tiktok/data', body)).status).toBe(200)
    expect(await list('tiktok')).toHaveLength(4)
    const { status } = await api.send('POST', '/tiktok/data', `${body}${' '.repeat(16_777_216)}`)
    expect(status).toBe(413)
  })

  it('rejects a record above the document limit and stores the others', { tags: 'long' }, async () => {
    const words = (count: number) => Array(count).fill('x'.repeat(10_000))
    const large = tiktokPost({ hashtags: words(1_000) })
    large.classification = { suggested_words: words(590) }
    const results = await ingest('tiktok', [large, tiktokPost()])
    expect(statuses(results)).toEqual([['record: is too large'], 'created'])
  })

  it('rejects more than 5,000 images without validating each', { tags: 'long' }, async () => {
    const hashes = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`i${n}`, 7]))
    const results = await ingest('blog', [{ ...blogArticle(), imageHashes: hashes(100_000) }, blogArticle()])
    expect(statuses(results)).toEqual([['imageHashes: must hold at most 5000 images'], 'created'])
  })
})

describe('repetition', () => {
  it('ignores versions of the same or an older time, merges newer ones, and keeps id and position', async () => {
    const old = { ...tiktokPost({ video_id: 'v' }), ...at('2026-11-01T10:00:00.000Z') }
    const [first] = await ingest('tiktok', [old])
    await ingest('tiktok', [tiktokPost()])
    const id = idOf(first)
    const again = { ...old, main: { video_id: 'v', description: 'changed' } }
    for (const time of ['2026-11-01T10:00:00.000Z', '2026-11-01T11:00:00+01:00', '2025-01-01T00:00:00Z'])
      expect(await ingest('tiktok', [{ ...again, ...at(time) }])).toEqual([{ id, status: 'unchanged' }])
    expect((await list('tiktok'))[1]).toEqual({ id, ...old })
    const newer = { ...again, ...at('2026-11-01T10:00:00.001Z') }
    expect(await ingest('tiktok', [newer])).toEqual([{ id, status: 'updated' }])
    const { hashtags, create_time } = old.main
    expect((await list('tiktok'))[1]).toEqual({
      id,
      ...newer,
      main: { ...newer.main, hashtags, create_time },
    })
  })

  it('keeps fields that a newer version lacks, and fills gaps from an older one', async () => {
    const whole = { ...tiktokPost({ video_id: 'rich' }), ...at('2026-11-02T10:00:00Z') }
    const [first] = await ingest('tiktok', [whole])
    const bare = { ...at('2026-11-03T09:00:00Z'), main: { video_id: 'rich', description: '' }, stats: {} }
    const grid = {
      ...at('2026-11-03T10:00:00Z'),
      main: { video_id: 'rich' },
      stats: { play_count: 91_000 },
      classification: { suggested_words: [] },
    }
    const older = { ...at('2026-11-01T10:00:00Z'), main: whole.main, context: { edited: true } }
    expect(statuses(await ingest('tiktok', [bare]))).toEqual(['updated'])
    expect(statuses(await ingest('tiktok', [grid, older, older]))).toEqual([
      'updated',
      'updated',
      'unchanged',
    ])
    expect(await list('tiktok')).toEqual([
      {
        ...whole,
        id: idOf(first),
        ...at('2026-11-03T10:00:00Z'),
        stats: { ...whole.stats, play_count: 91_000 },
        context: { edited: true },
      },
    ])
  })

  it('merges observations to the same record in any order, number and batches', async () => {
    const observation = fc.record({
      description: fc.constantFrom('', 'a', 'b'),
      play_count: fc.option(fc.nat(3), { nil: null }),
      source: fc.constantFrom('tiktok', 'import:file'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(observation, { minLength: 2, maxLength: 4 }).chain(all => {
          const video = newId()
          const records = all.map(({ description, play_count, source }, n) => ({
            collector_metadata: { fetch_timestamp: `2026-11-0${n + 1}T10:00:00Z`, source },
            main: { video_id: video, description },
            stats: { play_count },
          }))
          const twice = [...records, ...records]
          return fc.tuple(
            fc.constant(records),
            fc.shuffledSubarray(twice, { minLength: twice.length, maxLength: twice.length }),
          )
        }),
        async ([once, again]) => {
          const bob = apiClient(url, (await fixture.user('bob')).token)
          await ingest('tiktok', once, bob)
          const [{ id: _, ...expected } = { id: '' }] = await list('tiktok', bob)
          const carl = apiClient(url, (await fixture.user('carl')).token)
          for (const record of again) await ingest('tiktok', [record], carl)
          expect(await list('tiktok', carl)).toEqual([{ ...expected, id: expect.any(String) }])
        },
      ),
      propertyRuns(8),
    )
  })

  it('keeps the fields of all concurrent observations in one record', async () => {
    const fields = ['title', 'description', 'generator', 'og_title', 'og_image', 'twitter_site'] as const
    const parts = fields.map((field, n) => ({
      ...at(`2026-11-0${6 - n}T10:00:00Z`),
      metadata: { canonical: 'https://race.example/1', [field]: field },
    }))
    await Promise.all(parts.map(part => ingest('blog', [part])))
    expect(await list('blog')).toMatchObject([
      { metadata: Object.fromEntries(fields.map(field => [field, field])) },
    ])
  })

  it('replaces a fetch time in the future with now, so that later versions follow', async () => {
    const begun = Date.now()
    const ahead = { ...tiktokPost({ video_id: 'ahead' }), ...at('2031-01-01T00:00:00Z') }
    const soon = new Date(begun + 60_000).toISOString()
    await ingest('tiktok', [ahead, { ...tiktokPost({ video_id: 'soon' }), ...at(soon) }])
    const [{ collector_metadata: near }, { collector_metadata: far }] = (await list('tiktok')) as unknown as [
      TiktokRecord,
      TiktokRecord,
    ]
    expect(near.fetch_timestamp).toBe(soon)
    expect(Date.parse(far.fetch_timestamp)).toBeGreaterThanOrEqual(begun)
    expect(Date.parse(far.fetch_timestamp)).toBeLessThanOrEqual(Date.now())
    const later = { ...tiktokPost({ video_id: 'ahead', description: 'later' }), ...at(soon) }
    expect(statuses(await ingest('tiktok', [later]))).toEqual(['updated'])
    expect((await list('tiktok'))[1]).toMatchObject({ main: { description: 'later' } })
  })

  it('stores a removal notice in a stored post only, and changes nothing else', async () => {
    const notice = (main: object, time: string) => ({
      ...at(time),
      main,
      context: { removed: { first_seen: time, last_seen: time } },
    })
    const whole = { ...tiktokPost({ video_id: 'gone' }), ...at('2026-11-02T10:00:00Z') }
    await ingest('tiktok', [whole])
    const results = await ingest('tiktok', [
      notice({ video_id: 'gone' }, '2026-11-05T10:00:00Z'),
      notice({ video_id: 'gone' }, '2026-11-04T10:00:00Z'),
      notice({ video_id: 'never' }, '2026-11-04T10:00:00Z'),
    ])
    expect(statuses(results)).toEqual(['updated', 'updated', [NEVER_COLLECTED]])
    const removed = { first_seen: '2026-11-04T10:00:00Z', last_seen: '2026-11-05T10:00:00Z' }
    expect(await list('tiktok')).toEqual([{ ...whole, id: idOf(results[0]), context: { removed } }])
  })

  it('identifies an article by its URL without fragment and tracking, but with a single-page route', async () => {
    const addresses = [
      'https://a.example/1?id=7&utm_source=x#top',
      'https://A.example/1?id=7',
      'https://a.example/#/1',
      'https://a.example/#/2',
      'https://a.example/#!2',
      'https://a.example/',
    ]
    const results = await ingest(
      'blog',
      addresses.map(canonical => ({ ...at('2026-11-02T10:00:00Z'), metadata: { canonical } })),
    )
    expect(statuses(results)).toEqual(['created', 'unchanged', ...Array(4).fill('created')])
  })

  it('merges records of one key within a batch in order', async () => {
    const version = (time: string, description: string) => ({
      ...tiktokPost({ video_id: 'same', description }),
      ...at(time),
    })
    const results = await ingest('tiktok', [
      version('2026-11-01T10:00:00Z', 'a'),
      tiktokPost(),
      version('2026-11-01T12:00:00Z', 'b'),
      version('2026-11-01T11:00:00Z', 'c'),
    ])
    expect(statuses(results)).toEqual(['created', 'created', 'updated', 'unchanged'])
    expect(new Set([0, 2, 3].map(n => idOf(results[n]))).size).toBe(1)
    const same = (await list('tiktok')).filter(record => record.id === idOf(results[0]))
    expect(same).toMatchObject([{ main: { description: 'b' } }])
  })

  it('distinguishes long natural keys, users and sources', async () => {
    const long = `https://blog.example.org/${'a'.repeat(9_900)}`
    const articles = [blogArticle({ canonical: `${long}1` }), blogArticle({ canonical: `${long}2` })]
    expect(statuses(await ingest('blog', [...articles, ...articles]))).toEqual([
      'created',
      'created',
      'unchanged',
      'unchanged',
    ])
    const bo = apiClient(url, (await fixture.user('bo')).token)
    expect(statuses(await ingest('blog', articles, bo))).toEqual(['created', 'created'])
  })

  it('stores one copy of 20 concurrent replays', { tags: 'long' }, async () => {
    const batch = Array.from({ length: 100 }, () => telegramPost())
    const all = await Promise.all(Array.from({ length: 20 }, () => ingest('telegram', batch)))
    const listed = await list('telegram')
    expect(listed).toHaveLength(100)
    const ids = new Set(listed.map(({ id }) => id))
    for (const results of all) expect(new Set(results.map(idOf))).toEqual(ids)
    expect(all.flat().filter(result => 'status' in result && result.status === 'created')).toHaveLength(100)
    const page = await api.send('GET', '/telegram/data?limit=1')
    expect(page.headers.get('x-total-count')).toBe('100')
  })

  it('stores the newest of 20 concurrent versions', { tags: 'long' }, async () => {
    const versions = Array.from({ length: 20 }, (_, n) => ({
      ...tiktokPost({ video_id: 'race', description: `version ${n}` }),
      ...at(`2026-11-01T10:00:${String(n).padStart(2, '0')}Z`),
    }))
    const results = await Promise.all(versions.map(version => ingest('tiktok', [version])))
    expect(results.flat().filter(result => 'status' in result && result.status === 'created')).toHaveLength(1)
    expect(await list('tiktok')).toMatchObject([{ main: { description: 'version 19' } }])
  })
})

describe('lists and deletion', () => {
  it('pages newest first with the total, and streams the whole list', async () => {
    const batches = [Array.from({ length: 30 }, () => tiktokPost()), [tiktokPost()], [tiktokPost()]]
    for (const batch of batches) await ingest('tiktok', batch)
    const whole = await list('tiktok')
    expect(whole.map(record => (record as { main: { video_id: string } }).main.video_id)).toEqual(
      batches
        .flat()
        .map(record => record.main.video_id)
        .reverse(),
    )
    const seen: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await api.send('GET', `/tiktok/data/?limit=7${cursor && `&cursor=${cursor}`}`)
      expect(page.headers.get('x-total-count')).toBe('32')
      seen.push(...page.body)
      cursor = page.headers.get('x-next-cursor')
    }
    expect(seen).toEqual(whole)
    expect(await list('blog')).toEqual([])
  })

  it('deletes only own records', async () => {
    const [result] = await ingest('blog', [blogArticle(), blogArticle()])
    const id = idOf(result)
    const bo = apiClient(url, (await fixture.user('bo')).token)
    const missing = { status: 404, body: { detail: 'Not found' } }
    expect(await bo.send('DELETE', `/blog/data/${id}`)).toMatchObject(missing)
    expect(await api.send('DELETE', `/tiktok/data/${id}`)).toMatchObject(missing)
    expect(await api.send('DELETE', '/blog/data/nonsense')).toMatchObject(missing)
    expect(await api.send('DELETE', `/blog/data/${newId()}`)).toMatchObject(missing)
    expect(await api.send('DELETE', `/blog/data/${id}/`)).toMatchObject({ status: 200, body: { id } })
    expect(await api.send('DELETE', `/blog/data/${id}`)).toMatchObject(missing)
    const page = await api.send('GET', '/blog/data?limit=10')
    expect([page.body.length, page.headers.get('x-total-count')]).toEqual([1, '1'])
    expect(await list('blog', bo)).toEqual([])
  })

  it('deletes and counts a record once on 20 concurrent requests', async () => {
    const [result] = await ingest('blog', [blogArticle(), blogArticle()])
    const path = `/blog/data/${idOf(result)}`
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.send('DELETE', path)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
    expect((await api.send('GET', '/blog/data?limit=1')).headers.get('x-total-count')).toBe('1')
  })

  it('stores a deleted record again under a new id', async () => {
    const record = blogArticle()
    const [before] = await ingest('blog', [record])
    await api.call(collectorApi.deleteRecord, { params: { source: 'blog', id: idOf(before) } })
    const [after] = await ingest('blog', [record])
    expect(after).toMatchObject({ status: 'created' })
    expect(idOf(after)).not.toBe(idOf(before))
  })
})

describe('authorization', () => {
  it('lets a collector token ingest only', async () => {
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    expect(statuses(await ingest('tiktok', [tiktokPost()], collector))).toEqual(['created'])
    expect((await collector.send('GET', '/tiktok/data')).status).toBe(403)
    expect((await collector.send('DELETE', `/tiktok/data/${newId()}`)).status).toBe(403)
    for (const method of ['GET', 'POST'])
      expect((await apiClient(url).send(method, '/tiktok/data')).status).toBe(401)
  })

  it('accepts three sources', async () => {
    expect((await api.send('GET', '/myspace/data')).status).toBe(404)
    expect((await api.send('POST', '/myspace/data', { records: [{}] })).status).toBe(404)
    expect((await api.send('PUT', '/tiktok/data', {})).status).toBe(404)
  })
})
