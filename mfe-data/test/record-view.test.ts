import type { Stored } from '@iodine/contracts'
import { suggestCategory } from '@iodine/known-iods'
import { formatDateTime } from '@iodine/ui'
import { describe, expect, test } from 'vitest'
import type { FieldValue } from '../src/model/record-fields'
import { presentRecord, quoteOf, type RecordView, selectValue, valuesOf } from '../src/model/record-view'
import { article, otherPost, post, video } from './fixtures'

const shown = (view: RecordView) =>
  Object.fromEntries(
    view.groups.flatMap(({ title, fields }) =>
      fields.map(({ label, values }) => [`${title} ${label}`, values.map(({ text }) => text).join('|')]),
    ),
  )

test('presents a short video', () => {
  const view = presentRecord('tiktok', video({ video_id: '71', create_time: 1_763_000_000 }))
  expect(view).toMatchObject({
    title: '@night.watch',
    originalUrl: null,
    iodSource: 'https://www.tiktok.com/@night.watch/video/71',
    sourceType: 'TIKTOK',
    collectedFrom: 'tiktok',
  })
  expect(shown(view)).toMatchObject({
    'Video Description': 'They hide the numbers from us',
    'Video Hashtags': 'truth',
    'Video Created': formatDateTime('2025-11-13T02:13:20Z'),
    'Author Followers': '34,000',
    'Author Hearts': '',
  })
  expect(view.groups.map(group => group.title)).toEqual(['Video', 'Author'])
  expect(valuesOf(view)).toEqual(expect.arrayContaining(['34000', '2025-11-13T02:13:20Z']))
})

test('presents a repost of another platform, with its account, counts, media and original', () => {
  const record: Stored<'post'> = {
    ...otherPost({ type: 'repost', edited_at: '2025-11-14T02:13:20.000Z' }),
    within: { type: 'board', name: 'Maps', url: 'https://boards.example/maps' },
    relations: { repost_of: { id: '7', url: 'https://x.com/a/status/7', author: 'a' }, thread_id: '5' },
    location: { name: 'Port Lanternay', latitude: 49.123456 },
    extra: '{"hidden":"field"}',
  }
  const view = presentRecord('post', record)
  expect(view).toMatchObject({
    title: 'Night Desk',
    sourceType: 'POST',
    originalUrl: record.post.url,
    iodSource: record.post.url,
    isImported: true,
  })
  expect(shown(view)).toMatchObject({
    'Repost Platform': 'x',
    'Repost Text': record.post.text,
    'Repost Posted': formatDateTime('2025-11-13T02:13:20Z'),
    'Author Handle': 'night_desk',
    'Author Followers': '4,300',
    'Repost of Author': 'a',
    'Repost Thread ID': '5',
    'On a board Name': 'Maps',
    'Location Latitude': '49.123456',
    'Stats Views': '4,500',
    'Pictures and videos Alternative text': 'A chart',
  })
  expect(view.groups.map(({ title }) => title)).not.toContain('Quote of')
  expect(view.attachments).toMatchObject([{ type: 'image', url: { values: [{ pointer: '/media/0/url' }] } }])
  expect(valuesOf(view)).not.toContain('{"hidden":"field"}')
  const category = (label: string) => {
    const field = view.groups.flatMap(({ fields }) => fields).find(each => each.label === label)
    return field && suggestCategory(field.path, field.values[0]?.iodValue ?? '')
  }
  expect(['Handle', 'Hashtags', 'Mentions', 'Views', 'Text'].map(category)).toEqual([
    'USERNAME',
    'HASHTAGS',
    'USERNAME',
    'SENTENCE',
    'SENTENCE',
  ])
  expect(presentRecord('telegram', post())).toMatchObject({ isImported: false })
})

test('presents a comment without an account, and context of any source', () => {
  const { author: _, ...comment } = otherPost({ type: 'comment' })
  expect(presentRecord('post', comment).title).toBe('Post')
  const context = {
    in_reply_to: 'https://t.me/open_eyes/8',
    edited_at: '2025-11-14T02:13:20.000Z',
    transcript: 'they switched it off',
    screen_text: 'OFF',
    metrics: { views: 1_500, reactions_total: 4 },
  }
  expect(shown(presentRecord('telegram', { ...post(), context }))).toMatchObject({
    'Context Reply to': context.in_reply_to,
    'Context Edited': formatDateTime(context.edited_at),
    'Context Spoken text': context.transcript,
    'Context Text on screen': 'OFF',
    'Context Views': '1,500',
    'Context Reactions total': '4',
  })
})

test('presents the page context of a post, each value with its pointer in the record', () => {
  const context = {
    posted_at: '2026-11-20T08:00:00+00:00',
    edited: true,
    text: 'The whole text',
    forwarded_from: { name: 'Other', url: 'https://t.me/other/7' },
    links: ['https://a.example/', 'https://b.example/'],
    media: [
      { url: 'https://cdn.example/1.jpg' },
      { url: 'https://cdn.example/2.jpg', phash: '0f'.repeat(32) },
    ],
  }
  const view = presentRecord('telegram', { ...post(), context })
  expect(shown(view)).toMatchObject({
    'Context (edited) Posted': formatDateTime('2026-11-20T08:00:00Z'),
    'Context (edited) Text': 'The whole text',
    'Context (edited) Forwarded from': 'Other',
    'Context (edited) Links': 'https://a.example/|https://b.example/',
    'Context (edited) Pictures': 'https://cdn.example/1.jpg|https://cdn.example/2.jpg',
  })
  const looks = view.groups.at(-1)?.fields.find(({ label }) => label === 'Perceptual hash')
  expect(looks?.values.map(({ pointer }) => pointer)).toEqual(['/context/media/1/phash'])
  expect(presentRecord('telegram', post()).groups.map(({ title }) => title)).not.toContain('Context')
})

test('omits a context text that the card already contains', () => {
  const record = post()
  const text = record.telegram.post.description
  const view = presentRecord('telegram', { ...record, context: { text, edited: true, posted_at: 'once' } })
  expect(Object.keys(shown(view))).not.toContain('Context (edited) Text')
  expect(shown(view)).toMatchObject({ 'Post Description': text, 'Context (edited) Posted': 'once' })
})

test('presents a channel post with its attachments', () => {
  const view = presentRecord('telegram', post())
  expect(view).toMatchObject({ title: 'Open Eyes', originalUrl: 'https://t.me/open_eyes/9' })
  expect(
    view.attachments.map(({ type, url, sha256 }) => [type, url.values.length, sha256.values.length]),
  ).toEqual([
    ['image', 1, 1],
    ['document', 1, 0],
  ])
  expect(valuesOf(view)).toContain('ab'.repeat(32))
})

test('presents an article: links only http(s) URLs, and skips blank and object values', () => {
  const view = presentRecord('blog', article())
  expect(view).toMatchObject({
    originalUrl: 'https://blog.example.org/a',
    iodSource: 'https://blog.example.org/a',
  })
  expect(shown(view)).toMatchObject({
    'Article Title': '<img src=x onerror=alert(1)>',
    'Structured data Author': 'J. Doe',
    'Structured data Publisher': '',
    'Structured data Keywords': 'hidden',
  })
  expect(view.imageHashes.map(({ url, hash }) => [url.values[0]?.text, hash.values[0]?.text])).toEqual([
    ['https://blog.example.org/a.b$c.png', 'f0e1'],
  ])
  const hostile = article()
  hostile.metadata.canonical = 'javascript:alert(1)'
  expect(presentRecord('blog', hostile)).toMatchObject({ originalUrl: null, iodSource: null })
})

test('presents a record with only the required fields', () => {
  const { id, collector_metadata } = video()
  const view = presentRecord('tiktok', { id, collector_metadata, main: { video_id: '7' } })
  expect(view).toMatchObject({ title: 'Short video', originalUrl: null, iodSource: null })
  expect(view.groups).toHaveLength(1)
})

test('suggests the category of an IOD by the path of its field', () => {
  const suggested = (view: RecordView) =>
    Object.fromEntries(
      view.groups.flatMap(({ title, fields }) =>
        fields.flatMap(({ label, path, values }) =>
          values.map(({ iodValue }) => [`${title} ${label}`, suggestCategory(path, iodValue)]),
        ),
      ),
    )
  const short = {
    ...video({ description: '#first thing said' }),
    stats: { play_count: 9_000 },
    sound: { sound_name: 'original sound' },
  }
  expect(suggested(presentRecord('tiktok', short))).toMatchObject({
    'Video Description': 'HASHTAGS',
    'Video Hashtags': 'HASHTAGS',
    'Author Unique ID': 'USERNAME',
    'Author Followers': 'SENTENCE',
    'Stats Plays': 'SENTENCE',
    'Sound Name': 'FULL_NAME',
  })
  const message = post()
  message.telegram.post.description = 'read it on http://a.example'
  expect(suggested(presentRecord('telegram', message))).toMatchObject({
    'Channel Username': 'USERNAME',
    'Channel Title': 'TITLE',
    'Post Author': 'USERNAME',
    'Post Description': 'URL',
    'Post URL': 'URL',
  })
  const page = article()
  page.metadata = {
    ...page.metadata,
    description: 'Plain words',
    generator: 'made at lake.com',
    og_site_name: 'Night Blog',
    jsonld: { author: null, publisher: { name: 'Lake Press' }, keywords: ['mirrors'] },
  }
  expect(suggested(presentRecord('blog', page))).toMatchObject({
    'Article Description': 'SENTENCE',
    'Article Canonical': 'URL',
    'Article Generator': 'URL',
    'Open Graph Site name': 'FULL_NAME',
    'Structured data Publisher': 'COMPANY',
    'Structured data Keywords': 'KEYWORDS',
  })
})

describe('the pointer of a value', () => {
  /** Resolves a JSON pointer in the record (RFC 6901). */
  const at = (record: unknown, pointer: string) =>
    pointer
      .split('/')
      .slice(1)
      .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((found, key) => (found as Record<string, unknown>)[key], record)
  const valuesIn = (view: RecordView) =>
    [
      ...view.groups.flatMap(({ fields }) => fields),
      ...view.attachments.flatMap(({ url, sha256 }) => [url, sha256]),
      ...view.imageHashes.flatMap(({ url, hash }) => [url, hash]),
    ].flatMap(({ values }) => values)

  test.each([
    ['tiktok', video({ hashtags: ['', 'truth', 'x~y/z'] })],
    ['telegram', post()],
    ['blog', article()],
  ] as const)('points to the value that the IOD quotes: %s', (source, record) => {
    const found = valuesIn(presentRecord(source, record)).filter(({ pointer }) => pointer !== null)
    expect(found.length).toBeGreaterThan(3)
    for (const { pointer, iodValue } of found) expect(String(at(record, pointer ?? ''))).toBe(iodValue)
  })

  test('counts hidden items of a list, and escapes keys', () => {
    const pointers = (source: 'tiktok' | 'blog', record: Parameters<typeof presentRecord>[1]) =>
      valuesIn(presentRecord(source, record)).map(({ pointer }) => pointer)
    expect(pointers('tiktok', video({ hashtags: ['', 'truth'] }))).toContain('/main/hashtags/1')
    expect(pointers('blog', article())).toContain('/imageHashes/https:~1~1blog.example.org~1a.b$c.png')
  })

  test('is null for times, for URLs that are keys, and for long keys', () => {
    const times = presentRecord('tiktok', video({ create_time: 1_763_000_000 })).groups[0]?.fields
    expect(times?.find(({ label }) => label === 'Created')?.values[0]?.pointer).toBeNull()
    const long = article()
    long.imageHashes = { [`https://blog.example.org/${'a'.repeat(600)}`]: 'f0e1' }
    const [image] = presentRecord('blog', long).imageHashes
    expect([image?.url.values[0]?.pointer, image?.hash.values[0]?.pointer]).toEqual([null, null])
  })

  test('becomes the quote of a value; null becomes none', () => {
    const view = presentRecord('tiktok', video())
    const number = view.groups[1]?.fields.find(({ label }) => label === 'Followers')
    const [followers] = number?.values ?? []
    expect(quoteOf(view, selectValue('author.author_follower_count', followers as FieldValue))).toEqual({
      record: { source: 'tiktok', id: view.id },
      role: 'record',
      pointer: '/author/author_follower_count',
      start: 0,
      end: 5,
      exact: '34000',
    })
    expect(quoteOf(view, { path: 'main.create_time', value: 'x', range: null })).toBeNull()
  })
})

describe('the header of a card', () => {
  test('shows the site that a clone names as its original, and that a post was seen removed', () => {
    const clone = article()
    clone.metadata = { canonical: 'https://mirror.example.net/1', og_url: 'https://www.paper.example.com/1' }
    clone.context = {
      stated_canonical: 'https://paper.example.com/1',
      removed: { first_seen: '2026-11-21T10:00:00Z', last_seen: '2026-11-22T10:00:00Z' },
    }
    const view = presentRecord('blog', clone)
    expect(view).toMatchObject({
      names: 'paper.example.com',
      removedAt: '2026-11-21T10:00:00Z',
      originalUrl: 'https://mirror.example.net/1',
    })
    expect(view.groups.flatMap(({ fields }) => fields).map(({ label }) => label)).toContain(
      'Stated canonical URL',
    )
    clone.collector_metadata.fetch_timestamp = '2026-11-23T10:00:00Z'
    expect(presentRecord('blog', clone)).not.toHaveProperty('removedAt')
    expect(presentRecord('blog', article())).not.toHaveProperty('names')
  })
})
