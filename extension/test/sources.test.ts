import { LIMITS, RECORD_SCHEMAS } from '@iodine/contracts'
import { describe, expect, it } from 'vitest'
import { imagesOf, isTiktokList, readPage, readTiktokList, sourceOf } from '../src/sources'
import { pagesOf, parsePage, readOrRefused, SOURCES, TIME, tiktokLists } from './fixtures'

describe.each(SOURCES)('a %s page', source => {
  const pages = pagesOf(source)

  it('is covered by a dozen fixtures', () => expect(pages.length).toBeGreaterThanOrEqual(12))

  it.each(pages.map(page => [page.name, page] as const))(
    'reads %s as expected',
    (_, { html, url, frames, own, all, refused }) => {
      const found = readOrRefused({ document: parsePage(html, url, frames), url, time: TIME })
      expect({ own: found.own ?? null, all: found.all }).toEqual({ own, all })
      if (found.refused !== undefined) expect(found.refused).toContain(refused ?? 'no refusal')
      for (const record of found.all) expect(RECORD_SCHEMAS[source].safeParse(record).error).toBeUndefined()
    },
  )
})

it.each(tiktokLists().map(list => [list.name, list] as const))('reads the list %s as expected', (_, list) => {
  expect(isTiktokList(list.url)).toBe(true)
  const records = readTiktokList(list.body, TIME)
  expect(records).toEqual(list.all)
  for (const record of records) expect(RECORD_SCHEMAS.tiktok.safeParse(record).error).toBeUndefined()
})

it.each([
  'https://www.tiktok.com/api/preload/item_list/',
  'https://www.tiktok.com/api/user/detail/',
  'https://evil.example/api/post/item_list/',
  'https://tiktok.com.evil.example/api/post/item_list/',
  'not an address',
])('does not treat a response of %s as a list of posts', address => expect(isTiktokList(address)).toBe(false))

it.each([
  ['https://www.tiktok.com/@a/video/1', 'tiktok'],
  ['https://m.tiktok.com/', 'tiktok'],
  ['https://nottiktok.com/', 'blog'],
  ['https://t.me/s/open_eyes', 'telegram'],
  ['https://not-t.me/s/open_eyes', 'blog'],
  ['http://blog.example.org/a', 'blog'],
  ['file:///etc/passwd', undefined],
  ['chrome://extensions', undefined],
  ['', undefined],
])('%s belongs to %s', (address, source) => expect(sourceOf(address)).toBe(source))

it('lists the URL of each picture of an article once', () => {
  const page = pagesOf('blog').find(({ name }) => name === 'images')!
  expect(imagesOf({ document: parsePage(page.html), url: page.url })).toEqual([
    'https://blog.example.org/a.png',
    'https://blog.example.org/lazy.png',
    'https://cdn.example.net/b.jpg?x=1&y=2',
  ])
})

it('cuts a long text before the limit after a whole character', () => {
  const words = 'x'.repeat(LIMITS.contextTextMax - 4)
  const document = parsePage(`<main>${words}👩‍👩‍👧 and so on</main>`)
  const { own } = readPage({ document, url: 'https://blog.example.org/', time: TIME })
  expect(own?.context?.text).toBe(words)
})

it('reads hostile attributes in linear time', () => {
  const html = `<main><h1>A</h1><img srcset="${'a'.repeat(40_000)}"><img srcset="${'1'.repeat(9_000)}"></main>`
  const started = performance.now()
  readPage({ document: parsePage(html), url: 'https://blog.example.org/', time: TIME })
  const style = `background-image:url(${' '.repeat(40_000)}`
  const post = `<div class="tgme_widget_message" data-post="a/1"><a class="tgme_widget_message_photo_wrap" style="${style}"></a></div>`
  readPage({ document: parsePage(post), url: 'https://t.me/s/open_eyes', time: TIME })
  expect(performance.now() - started).toBeLessThan(2_000)
})

it('reads 3 MB of state', () => {
  const [video] = pagesOf('tiktok').filter(({ name }) => name === 'video')
  const ballast = JSON.stringify({ words: Array.from({ length: 60_000 }, (_, n) => `${n} `.repeat(9)) })
  const html = video!.html.replace('"__DEFAULT_SCOPE__": {', `"__DEFAULT_SCOPE__": {"ballast": ${ballast},`)
  expect(html.length).toBeGreaterThan(3_000_000)
  const found = readPage({ document: parsePage(html), url: video!.url, time: TIME })
  expect(found.all).toEqual(video!.all)
})
