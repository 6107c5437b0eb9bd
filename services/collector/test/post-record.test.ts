import {
  LIMITS,
  naturalKey,
  type PostRecord,
  postRecord,
  RECORD_SCHEMAS,
  SOURCES,
  telegramRecord,
} from '@iodine/contracts'
import { hostileTexts, platformPost, recordFullOf, telegramPost } from '@iodine/test-kit'
import { describe, expect, it } from 'vitest'

const whole: PostRecord = {
  ...platformPost({ title: 'Title', edited_at: '2025-11-14T02:13:20.000Z' }),
  within: { type: 'group', id: '77', name: 'Harbours', url: 'https://gab.com/groups/77' },
  relations: {
    in_reply_to: { id: '1', url: 'https://x.com/a/status/1', author: 'a' },
    quote_of: { id: '2' },
    repost_of: { author: 'b' },
    thread_id: '1',
  },
  location: { name: 'Port Lanternay', country: 'FR', latitude: 49.25, longitude: -1.5 },
  extra: '{"$type":"app.bsky.feed.post"}',
  context: {
    metrics: { forwards: 3 },
    in_reply_to: 'https://t.me/lanternay_example/10',
    edited_at: '2025-11-14T02:13:20.000Z',
    transcript: 'they switched it off',
    screen_text: 'OFF',
    extra: '[]',
  },
}
const faultOf = (change: object): string | undefined => {
  const { error } = postRecord.safeParse({ ...whole, ...change })
  return error && `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
}
const post = (fields: object) => ({ post: { ...whole.post, ...fields } })

describe('a post of another platform', () => {
  it('has any of its fields, and only the id, the platform and the type of necessity', () => {
    expect(postRecord.parse(whole)).toEqual(whole)
    const { collector_metadata } = whole
    const least = { collector_metadata, post: { platform: '9gag', id: 'a1', type: 'video' } }
    expect(postRecord.parse(least)).toEqual(least)
    for (const missing of ['platform', 'id', 'type'])
      expect(faultOf(post({ [missing]: undefined }))).toBeDefined()
  })

  it.each([
    [
      'a platform in upper case',
      post({ platform: 'X' }),
      'post.platform: must have 1 to 40 of a-z, 0-9, . and -',
    ],
    [
      'a long platform',
      post({ platform: 'x'.repeat(41) }),
      'post.platform: must have 1 to 40 of a-z, 0-9, . and -',
    ],
    ['an empty id', post({ id: '' }), 'post.id: must not be empty'],
    ['a long id', post({ id: '1'.repeat(501) }), 'post.id: must have at most 500 characters'],
    ['a long text', post({ text: 'a'.repeat(65_537) }), 'post.text: must have at most 65536 characters'],
    ['another type', post({ type: 'story' }), undefined],
    ['a script as its URL', post({ url: 'javascript:alert(1)' }), 'post.url: must be an http(s) URL'],
    [
      'a path of an export',
      { media: [{ type: 'image', url: 'files/a.jpg' }] },
      'media.0.url: must be an http(s) URL',
    ],
    [
      'a long URL',
      { links: [`https://a.example/${'a'.repeat(2_000)}`] },
      'links.0: must have at most 2000 characters',
    ],
    ['no language', post({ language: 'no language' }), 'post.language: must be a BCP 47 language tag'],
    [
      'a time without a zone',
      post({ published_at: '2025-11-13T02:13:20' }),
      'post.published_at: must be an ISO 8601 time',
    ],
    ['a negative count', { metrics: { likes: -1 } }, 'metrics.likes: must be 0 or more'],
    ['a rounded count', { metrics: { likes: 2 ** 53 } }, undefined],
    ['a count with another name', { metrics: { 'likes.$': 1 } }, undefined],
    [
      'too many counts',
      { metrics: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`n${n}`, n])) },
      'metrics: must hold at most 32 counts',
    ],
    ['other fields that are no JSON', { extra: '{' }, 'extra: must be JSON'],
    [
      'too many other fields',
      { extra: JSON.stringify('é'.repeat(8_192)) },
      'extra: must have at most 16384 bytes',
    ],
    ['other fields as an object', { extra: {} }, undefined],
    ['a place outside the Earth', { location: { latitude: 91 } }, undefined],
    ['an unknown field', { likes: 1 }, undefined],
  ])('does not have %s', (_, change, fault) => {
    expect(faultOf(change)).toEqual(fault ?? expect.any(String))
  })

  it('has text, ids and names of any script up to their limits', () => {
    const long = post({ text: '🌊'.repeat(LIMITS.postTextMax), id: '京'.repeat(LIMITS.postNameMax) })
    expect(faultOf(long)).toBeUndefined()
  })
})

it('the other sources have the common context too', () => {
  const record = { ...telegramPost(), context: whole.context }
  expect(telegramRecord.parse(record)).toEqual(record)
})

it('a post is identified by its platform and id, in which case matters', () => {
  expect(naturalKey.post(platformPost({ platform: 'instagram', id: 'DQthEXAMPL0' }))).toBe(
    'instagram:DQthEXAMPL0',
  )
})

it.each(SOURCES)('the schema of %s accepts any text in every text field', source => {
  for (const text of hostileTexts(200).filter(each => each.trim() !== ''))
    expect(RECORD_SCHEMAS[source].safeParse(recordFullOf(text)[source]).error, text).toBeUndefined()
})
