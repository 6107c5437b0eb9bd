import {
  type BlogRecord,
  isRemovalNotice,
  MERGE_RULES,
  mergeRecords,
  naturalKey,
  observed,
  type PostRecord,
  RECORD_SCHEMAS,
  type RecordOf,
  removalSeen,
  SOURCES,
  type Source,
  type TelegramRecord,
  type TiktokRecord,
  witnessedAt,
} from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import cases from './merge-cases.json' with { type: 'json' }

const day = (n: number) => new Date(Date.UTC(2026, 10, n)).toISOString()
const by = (n: number, source = 'tiktok') => ({
  collector_metadata: { fetch_timestamp: day(n), source },
})
const video = (n: number, more: Partial<TiktokRecord> = {}, source = 'tiktok'): TiktokRecord => ({
  ...by(n, source),
  main: { video_id: '1' },
  ...more,
})
const article = (n: number, more: Partial<BlogRecord> = {}): BlogRecord => ({
  ...by(n, 'blog'),
  metadata: { canonical: 'https://a.example/1' },
  ...more,
})
const post = (n: number, more: Partial<TelegramRecord['telegram']>, source = 'telegram'): TelegramRecord => ({
  ...by(n, source),
  telegram: { post: { url: 'https://t.me/a/1' }, ...more },
})
const other = (n: number, more: Partial<PostRecord> = {}, source = 'import:zeeschuimer'): PostRecord => ({
  ...by(n, source),
  post: { platform: 'x', id: '1', type: 'post' },
  ...more,
})
/** Merges observations in order. */
const merged = <R extends RecordOf[Source]>(...records: R[]): R =>
  records.slice(1).reduce((held, record) => mergeRecords(held, observed(record)), observed(records[0] as R))
    .record
/** Merges two records in both orders and expects equal results. */
const both = <R extends RecordOf[Source]>(a: R, b: R): R => {
  const record = merged(a, b)
  expect(merged(b, a)).toEqual(record)
  return record
}
const hash = (digit: string) => digit.repeat(64)

interface MergeCase {
  name: string
  timed: boolean
  stored: RecordOf[Source] | null
  incoming: RecordOf[Source]
  expected: { status: string; record: RecordOf[Source] }
}

describe('rules', () => {
  const row = (field: string) => MERGE_RULES.findIndex(({ fields }) => fields.test(field))

  it('each have a row that a test below covers', () => {
    const fields = [
      'collector_metadata.fetch_timestamp',
      'context.removed.first_seen',
      'context.removed.last_seen',
      'context.edited',
      'stats.play_count',
      'context.media',
      'main.description',
    ]
    expect(fields.map(row)).toEqual(MERGE_RULES.map((_, n) => n))
  })

  it('fetch_timestamp: the latest, from any origin that states its time', () => {
    expect(both(video(1), video(3)).collector_metadata.fetch_timestamp).toBe(day(3))
    expect(both(video(1), video(3, {}, 'import:zeeschuimer')).collector_metadata).toEqual({
      fetch_timestamp: day(3),
      source: 'tiktok',
    })
    const untimed = observed(video(3, {}, 'import:rss'), false)
    for (const [a, b] of [
      [observed(video(1)), untimed],
      [untimed, observed(video(1))],
    ] as const)
      expect(mergeRecords(a, b).record.collector_metadata).toEqual(by(1).collector_metadata)
  })

  it('removed: the earliest and the latest time, with no other change by a removal notice', () => {
    const notice = (n: number) =>
      video(n, { context: { removed: { first_seen: day(n), last_seen: day(n) } } }, 'tiktok')
    const whole = video(1, { main: { video_id: '1', description: 'They hide it' }, stats: { play_count: 5 } })
    expect(isRemovalNotice(notice(4))).toBe(true)
    expect(isRemovalNotice({ ...whole, context: notice(4).context })).toBe(false)
    const removed = both(merged(whole, notice(4)), notice(6))
    expect(removed).toEqual({ ...whole, context: { removed: { first_seen: day(4), last_seen: day(6) } } })
    expect(removalSeen(removed)).toBe(day(4))
    expect(removalSeen(merged(removed, video(5)))).toBe(day(6))
    expect(removalSeen(merged(removed, video(7)))).toBeNull()
    expect(removalSeen(whole)).toBeNull()
  })

  it('edited: stays true', () => {
    expect(
      both(video(1, { context: { edited: true } }), video(2, { context: { edited: false } })),
    ).toMatchObject({
      context: { edited: true },
    })
  })

  it('counts: the latest value, including 0, from any origin that states its time', () => {
    const counted = video(1, { stats: { play_count: 9, digg_count: 8 }, author: { author_heart_count: 3 } })
    expect(both(counted, video(2, { stats: { play_count: 0, digg_count: null } })).stats).toEqual({
      play_count: 0,
      digg_count: 8,
    })
    const imported = video(2, { stats: { play_count: 12 }, author: { author_heart_count: 4 } }, 'import:4cat')
    expect(both(counted, imported)).toMatchObject({
      stats: { play_count: 12, digg_count: 8 },
      author: { author_heart_count: 4 },
    })
    const untimed = observed(imported, false)
    expect(mergeRecords(observed(counted), untimed).record.stats).toEqual(counted.stats)
    expect(mergeRecords(untimed, observed(counted)).record.stats).toEqual(counted.stats)
  })

  it('counts of posts: the latest of each name, and of an account, at most 32 names', () => {
    const counted = other(1, { metrics: { likes: 9, views: 80 }, author: { followers: 4, posts: 2 } })
    const later = other(2, { metrics: { likes: 7, shares: 0 }, author: { followers: 5, following: 1 } }, 'x')
    expect(both(counted, later)).toEqual({
      ...later,
      metrics: { likes: 7, views: 80, shares: 0 },
      author: { followers: 5, posts: 2, following: 1 },
    })
    const inContext = (n: number, views: number) => video(n, { context: { metrics: { views } } })
    expect(both(inContext(1, 5), inContext(2, 3)).context?.metrics).toEqual({ views: 3 })
    const many = (n: number) =>
      other(n, { metrics: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`n${n}_${i}`, i])) })
    const kept = both(many(1), many(2))
    expect(RECORD_SCHEMAS.post.safeParse(kept).error).toBeUndefined()
    const names = Object.keys(kept.metrics ?? {})
    expect([names.length, names.filter(name => name.startsWith('n2_')).length]).toEqual([32, 20])
    const held = mergeRecords(observed(many(2)), observed(many(1)))
    expect(mergeRecords(held, observed(many(1)))).toEqual({ ...held, changed: false })
  })

  it('spellings of one URL: that of the collector before those of imports, then the latest', () => {
    const spelled = (n: number, name: string, source?: string) =>
      post(n, { channel: { username: name }, post: { url: `https://t.me/${name}/1` } }, source)
    const [older, newer] = [spelled(1, 'News_desk', 'import:csv'), spelled(2, 'news_desk', 'import:4cat')]
    expect(both(older, newer)).toEqual(newer)
    expect(both(spelled(1, 'NEWS_DESK'), newer)).toEqual({ ...spelled(1, 'NEWS_DESK'), ...by(2, 'telegram') })
  })

  it('attachments and pictures: the collector before imports, then more hashes, then the latest', () => {
    const hashed = (...digits: string[]) =>
      digits.map(digit => ({
        type: 'image' as const,
        url: `https://cdn.example/${digit}`,
        sha256: hash(digit),
      }))
    const bare = [{ type: 'image' as const, url: 'https://cdn.example/x' }]
    expect(
      both(post(1, { attachments: hashed('a') }), post(2, { attachments: bare })).telegram.attachments,
    ).toEqual(hashed('a'))
    expect(
      both(post(1, { attachments: hashed('a') }), post(2, { attachments: hashed('b') })).telegram.attachments,
    ).toEqual(hashed('b'))
    const imported = post(2, { attachments: hashed('c') }, 'import:telegram')
    expect(both(post(1, { attachments: bare }), imported).telegram.attachments).toEqual(bare)
    const [known, bareImage] = [
      [{ type: 'image' as const, url: 'https://cdn.example/a', sha256: hash('a') }],
      [{ type: 'image' as const, url: 'https://cdn.example/b' }],
    ]
    expect(both(other(1, { media: known }), other(2, { media: bareImage })).media).toEqual(known)
    const looks = [{ url: 'https://cdn.example/y', phash: hash('d') }]
    expect(
      both(article(1, { context: { media: looks } }), article(2, { context: { media: [{ url: 'z' }] } }))
        .context,
    ).toEqual({ media: looks })
  })

  it('other fields: non-empty values, the collector before imports, then the latest', () => {
    const rich = video(1, {
      main: { video_id: '1', description: 'Clip', hashtags: ['gauge'], create_time: 1_763_000_000 },
      sound: { sound_name: 'tide' },
      classification: { suggested_words: ['tide'], diversification_labels: ['News'] },
    })
    const poor = video(2, {
      main: { video_id: '1', description: '', hashtags: [], create_time: null },
      sound: {},
      classification: { suggested_words: null, diversification_labels: ['Sea', 'News'] },
    })
    expect(both(rich, poor)).toEqual({
      ...rich,
      ...by(2),
      classification: { suggested_words: ['tide'], diversification_labels: ['Sea', 'News'] },
    })
    const file = video(
      3,
      { main: { video_id: '1', description: 'Clip #new' }, author: { author_nickname: 'Harbour' } },
      'import:zeeschuimer',
    )
    expect(both(rich, file)).toEqual({ ...rich, ...by(3), author: { author_nickname: 'Harbour' } })
  })

  it('image hashes: merged by URL, at most 5,000, the latest first', { tags: 'long' }, () => {
    const page = (n: number, imageHashes: Record<string, string>) => article(n, { imageHashes })
    expect(
      both(page(1, { 'https://a.b/$1': 'a', __proto_: 'b' }), page(2, { 'https://a.b/$1': 'c', x: 'd' }))
        .imageHashes,
    ).toEqual({ 'https://a.b/$1': 'c', __proto_: 'b', x: 'd' })
    const many = (n: number) =>
      page(n, Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${n}/${i}`, hash('a')])))
    const kept = Object.keys(merged(many(1), many(3), many(2)).imageHashes ?? {})
    expect(kept).toHaveLength(5_000)
    expect(kept.filter(key => key.startsWith('1/'))).toEqual([])
    expect(new Set(kept)).toEqual(new Set(Object.keys(merged(many(2), many(1), many(3)).imageHashes ?? {})))
  })

  it('an older observation only fills gaps; one of the same time changes nothing', () => {
    const now = video(2, { main: { video_id: '1', description: 'b' } })
    const older = video(1, { main: { video_id: '1', description: 'a', create_time: 7 } })
    const held = mergeRecords(observed(now), observed(older))
    expect(held).toMatchObject({ changed: true, record: { main: { description: 'b', create_time: 7 } } })
    expect(mergeRecords(held, observed(older))).toEqual({ ...held, changed: false })
    const same = video(2, { main: { video_id: '1', description: 'c' } })
    expect(mergeRecords(observed(now), observed(same))).toMatchObject({ changed: false, record: now })
  })
})

it.each(cases as unknown as MergeCase[])('$name', ({ timed, stored, incoming, expected }) => {
  const held = stored && mergeRecords(observed(stored), observed(incoming, timed))
  const status = !held ? 'created' : held.changed ? 'updated' : 'unchanged'
  expect({ status, record: held?.record ?? incoming }).toEqual(expected)
})

it('an observation of the collector is witnessed, one of an import is not', () => {
  const imported = observed(video(3, {}, 'import:4cat'))
  expect(witnessedAt(imported)).toBeNull()
  const held = mergeRecords(imported, observed(video(1)))
  expect(held.record.collector_metadata).toEqual({ fetch_timestamp: day(3), source: 'tiktok' })
  expect(witnessedAt(held)).toBe(Date.parse(day(1)))
})

it.each([
  ['https://t.me/News_Desk/12', 't.me/news_desk/12'],
  ['http://telegram.me/s/news_desk/12?single', 't.me/news_desk/12'],
  ['https://t.me/news_desk/5/12', 't.me/news_desk/12'],
  ['https://news_desk.t.me/12', 't.me/news_desk/12'],
  ['tg://resolve?domain=News_Desk&post=12', 't.me/news_desk/12'],
  ['https://t.me/c/1500000009/7', 't.me/c/1500000009/7'],
  ['https://t.me/c/-1001500000009/3/7', 't.me/c/1500000009/7'],
  ['https://t.me/joinchat/AbC', 'https://t.me/joinchat/AbC'],
  ['https://t.me.example/news_desk/12', 'https://t.me.example/news_desk/12'],
  ['no address', 'no address'],
])('the key of the channel post %s is %s', (url, key) => {
  expect(naturalKey.telegram(post(1, { post: { url } }))).toBe(key)
})

describe('any observations', () => {
  const texts = fc.option(fc.constantFrom('', 'a', 'b'), { nil: null })
  const count = fc.option(fc.nat(3), { nil: null })
  const list = fc.option(fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }), { nil: null })
  const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
  const picture = fc.record({
    url: texts,
    sha256: fc.option(fc.constantFrom(hash('a'), hash('b')), { nil: null }),
  })
  const context = some({
    edited: fc.boolean(),
    text: texts,
    links: list,
    forwarded_from: fc.option(some({ name: texts, url: texts }), { nil: null }),
    media: fc.option(fc.array(picture, { maxLength: 2 }), { nil: null }),
    stated_canonical: texts,
  })
  const shapes = {
    tiktok: some({
      main: some({ description: texts, hashtags: list, create_time: count }).map(main => ({
        ...main,
        video_id: '1',
      })),
      author: some({ author_id: texts, author_heart_count: count }),
      stats: some({ play_count: count, digg_count: count }),
      classification: some({ suggested_words: list, location_created: texts }),
      context,
    }).map(more => ({ main: { video_id: '1' }, ...more })),
    telegram: some({
      channel: some({ title: texts, username: texts }),
      attachments: fc.option(
        fc.array(
          picture.map(each => ({ ...each, type: 'image' as const })),
          { maxLength: 2 },
        ),
        { nil: null },
      ),
    }).map(telegram => ({ telegram: { ...telegram, post: { url: 'https://t.me/a/1' } } })),
    blog: some({
      metadata: some({
        title: texts,
        jsonld: fc.option(
          some({ author: fc.option(some({ name: texts, url: texts }), { nil: null }), keywords: list }),
          {
            nil: null,
          },
        ),
      }).map(metadata => ({ ...metadata, canonical: 'https://a.example/1' })),
      imageHashes: fc.dictionary(fc.constantFrom('https://a.b/1', '$x', 'y.z'), fc.constantFrom('a', 'b')),
      context,
    }).map(more => ({ metadata: { canonical: 'https://a.example/1' }, ...more })),
    post: some({
      author: some({ handle: texts, followers: count, verified: fc.boolean() }),
      relations: some({ repost_of: fc.option(some({ id: texts, author: texts }), { nil: null }) }),
      hashtags: list,
      media: fc.option(
        fc.array(
          picture.map(({ sha256 }) => ({ sha256, type: 'image' as const })),
          { maxLength: 2 },
        ),
        { nil: null },
      ),
      metrics: fc.dictionary(
        fc.integer({ min: 0, max: 39 }).map(n => `n${n}`),
        fc.nat(3),
        { maxKeys: 32, size: 'max' },
      ),
      extra: fc.option(fc.constantFrom('{}', '[]'), { nil: null }),
      context,
    }).map(more => ({ post: { platform: 'x', id: '1', type: 'post' as const }, ...more })),
  }
  interface Observation {
    record: RecordOf[Source]
    timed: boolean
  }
  /** Observations of one post at different times, from the collector and from imports. */
  const observations = (source: Source): fc.Arbitrary<Observation[]> =>
    fc
      .array(
        fc.tuple(
          shapes[source] as fc.Arbitrary<object>,
          fc.constantFrom<[string, boolean]>([source, true], ['import:a', true], ['import:b', false]),
          fc.boolean(),
        ),
        { minLength: 2, maxLength: 5 },
      )
      .map(all =>
        all.map(([content, [name, timed], removed], n) => {
          const at = n + 1
          const key = RECORD_SCHEMAS[source].parse({ ...by(1, name), ...content })
          const notice = { removed: { first_seen: day(at), last_seen: day(at) } }
          const record = {
            ...key,
            ...by(at, name),
            ...(removed && { context: { ...key.context, ...notice } }),
          }
          return { record: record as RecordOf[Source], timed }
        }),
      )
  const fold = (all: readonly Observation[]) =>
    all
      .slice(1)
      .reduce(
        (held, { record, timed }) => mergeRecords(held, observed(record, timed)),
        observed((all[0] as Observation).record, (all[0] as Observation).timed),
      ).record
  const paths = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, inner]) => paths(inner, `${path}/${key}`))
      : value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
        ? []
        : [path]

  it.each(SOURCES)(
    'of a %s post merge to the same valid record in any order and number, without losing a filled field',
    source => {
      fc.assert(
        fc.property(
          observations(source).chain(all =>
            fc.tuple(
              fc.constant(all),
              fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length, maxLength: 2 * all.length }),
            ),
          ),
          ([all, again]) => {
            const record = fold(all)
            expect(fold(again)).toEqual(record)
            expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
            const kept = new Set(paths(record))
            // Counts beyond their maximum number are dropped.
            const isLost = (path: string) => !kept.has(path) && !path.startsWith('/metrics/')
            for (const each of all) expect(paths(each.record).filter(isLost)).toEqual([])
          },
        ),
        propertyRuns(200),
      )
    },
  )
})
