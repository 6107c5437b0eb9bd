import { isRemovalNotice, RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'
import { expect, it } from 'vitest'
import { sentenceOf } from '../src/shared/failures'
import { readPage } from '../src/sources'
import { parsePage, TIME } from './fixtures'

const video = 'https://www.tiktok.com/@night.watch/video/7423000000000000001'
const state = (detail: object) =>
  `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify({
    __DEFAULT_SCOPE__: { 'webapp.video-detail': detail },
  })}</script>`
const read = (url: string, html: string, load: { status?: number; loadedUrl?: string } = {}) =>
  readPage({ document: parsePage(html), url, time: TIME, ...load })
const removed = { first_seen: TIME, last_seen: TIME }

it.each<[string, string, string, number, object]>([
  [
    'a video that does not exist',
    video,
    state({ statusCode: 10204, statusMsg: "item doesn't exist" }),
    200,
    { main: { video_id: '7423000000000000001' } },
  ],
  [
    'a video whose page says so alone',
    video,
    '<main><p>Video currently unavailable</p></main>',
    200,
    { main: { video_id: '7423000000000000001' } },
  ],
  [
    'a post of a channel',
    'https://t.me/open_eyes/12',
    '<div class="tgme_widget_message_error">Post not found</div>',
    200,
    { telegram: { post: { id: '12', url: 'https://t.me/open_eyes/12' } } },
  ],
  [
    'an article that is gone',
    'https://a.example/1?utm_source=x',
    '<title>Gone</title><main>Gone</main>',
    410,
    { metadata: { canonical: 'https://a.example/1' } },
  ],
  [
    'an article that is not found',
    'https://a.example/1',
    '<link rel="canonical" href="https://a.example/">',
    404,
    { metadata: { canonical: 'https://a.example/1' } },
  ],
])('%s was removed: the record says only that', (_, url, html, status, key) => {
  const { source, own, all } = read(url, html, { status, loadedUrl: url })
  expect(own).toEqual({
    collector_metadata: { fetch_timestamp: TIME, source },
    context: { removed },
    ...key,
  })
  expect(all).toEqual([own])
  expect(isRemovalNotice(own as RecordOf[Source])).toBe(true)
  expect(RECORD_SCHEMAS[source as Source].safeParse(own).error).toBeUndefined()
})

it.each<[string, string, string, number, string]>([
  [
    'a page that asks to wait',
    video,
    '<title>Please wait...</title><p>Checking</p>',
    200,
    sentenceOf('waiting'),
  ],
  [
    'a private video',
    video,
    state({ statusCode: 10216, statusMsg: 'item is private' }),
    200,
    sentenceOf('withheld'),
  ],
  [
    'an error of the server',
    'https://a.example/1',
    '<main>Oops</main>',
    503,
    sentenceOf('siteError', { status: 503 }),
  ],
  [
    'a page that needs a sign-in',
    'https://a.example/1',
    '<main>No</main>',
    403,
    sentenceOf('siteError', { status: 403 }),
  ],
  [
    'a removed post without a number',
    'https://t.me/open_eyes',
    '<div class="tgme_widget_message_error">Post not found</div>',
    200,
    sentenceOf('removed'),
  ],
])('%s makes no record', (_, url, html, status, sentence) => {
  expect(() => read(url, html, { status, loadedUrl: url })).toThrow(sentence)
})

it('a page that scripts moved on from an error is another one', () => {
  const found = read(
    'https://a.example/2',
    '<html><head><title>Two</title></head><body><main>Two</main></body></html>',
    {
      status: 404,
      loadedUrl: 'https://a.example/1',
    },
  )
  expect(found).toMatchObject({ own: { metadata: { title: 'Two' } } })
})

it('a removed post in a frame was removed, and so was one whose address answers as text', () => {
  const url = 'https://t.me/open_eyes/12'
  const frame = `${url}?embed=1`
  const gone = '<div class="tgme_widget_message_error">Post not found</div>'
  const page = parsePage(`<iframe src="${frame}"></iframe>`, url, { [frame]: gone })
  expect(readPage({ document: page, url, time: TIME }).all).toMatchObject([{ context: { removed } }])
  const text = Object.defineProperty(parsePage('Not Found'), 'contentType', { value: 'text/plain' })
  const plain = { document: text, url: 'https://a.example/1', time: TIME, status: 404 }
  expect(readPage(plain).all).toMatchObject([{ context: { removed } }])
})

it('a comment that says so removes no video', () => {
  const html = '<strong data-e2e="like-count">7</strong><p>Video currently unavailable in my country</p>'
  expect(read(video, html)).toMatchObject({ own: { stats: { digg_count: 7 } } })
})
