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
const VIDEO_STATE = { itemInfo: { itemStruct: { id: '7423000000000000001', desc: 'Lights' } }, statusCode: 0 }
const next = 'https://www.tiktok.com/@night.watch/video/7423000000000000002'
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
    'a video whose absence is only stated in its page',
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
    'an article with status 410',
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
])('%s makes a removal notice', (_, url, html, status, key) => {
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
  ['a challenge page', video, '<title>Please wait...</title><p>Checking</p>', 200, sentenceOf('waiting')],
  [
    'a private video',
    video,
    state({ statusCode: 10216, statusMsg: 'item is private' }),
    200,
    sentenceOf('withheld'),
  ],
  [
    'a server error',
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

it('reads a page that a client-side navigation opened after an error', () => {
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

it('detects a removed post in a frame, and one whose URL returns plain text', () => {
  const url = 'https://t.me/open_eyes/12'
  const frame = `${url}?embed=1`
  const gone = '<div class="tgme_widget_message_error">Post not found</div>'
  const page = parsePage(`<iframe src="${frame}"></iframe>`, url, { [frame]: gone })
  expect(readPage({ document: page, url, time: TIME }).all).toMatchObject([{ context: { removed } }])
  const text = Object.defineProperty(parsePage('Not Found'), 'contentType', { value: 'text/plain' })
  const plain = { document: text, url: 'https://a.example/1', time: TIME, status: 404 }
  expect(readPage(plain).all).toMatchObject([{ context: { removed } }])
})

it('ignores a comment with the text of a removal', () => {
  const html = '<strong data-e2e="like-count">7</strong><p>Video currently unavailable in my country</p>'
  expect(read(video, html)).toMatchObject({ own: { stats: { digg_count: 7 } } })
})

it('reads the next video after a removed one, without a page load', () => {
  const html = `${state({ statusCode: 10204 })}<strong data-e2e="like-count">7</strong>`
  expect(read(next, html, { loadedUrl: video })).toMatchObject({
    own: { main: { video_id: '7423000000000000002' }, stats: { digg_count: 7 } },
  })
})

it('detects that the next video was removed, despite the state of the loaded video', () => {
  const html = `${state(VIDEO_STATE)}<p>Video currently unavailable</p>`
  expect(read(next, html, { loadedUrl: video }).own).toMatchObject({
    main: { video_id: '7423000000000000002' },
    context: { removed },
  })
  expect(read(video, html, { loadedUrl: next }).own).toMatchObject({ main: { description: 'Lights' } })
})

it.each([
  ['removes a parameter', 'https://a.example/gone?source=x', 'https://a.example/gone'],
  ['adds a parameter', 'https://a.example/gone', 'https://a.example/gone?lang=en'],
  ['sets a fragment', 'https://a.example/gone', 'https://a.example/gone#top'],
])('the HTTP status applies after a script %s', (_, loadedUrl, url) => {
  expect(read(url, '<main>Gone</main>', { status: 404, loadedUrl }).own).toMatchObject({
    context: { removed },
  })
})

it.each([
  ['path', 'https://a.example/1', 'https://a.example/2'],
  ['parameter', 'https://a.example/?p=1', 'https://a.example/?p=2'],
  ['route', 'https://a.example/#/1', 'https://a.example/#/2'],
])('the HTTP status does not apply to another %s', (_, loadedUrl, url) => {
  const html = '<html><head><title>Two</title></head><body><main>Two</main></body></html>'
  expect(read(url, html, { status: 404, loadedUrl })).toMatchObject({ own: { metadata: { title: 'Two' } } })
})

const ANUBIS = `<title>Making sure you&#39;re not a bot!</title><main><h1>Making sure you're not a bot!</h1>
  <p>Loading...</p><details><summary>Why am I seeing this?</summary><p>${'The server is protected. '.repeat(20)}</p>
  </details></main>`
it.each([
  ['waiting', ANUBIS],
  ['waiting', '<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>'],
  [
    'waiting',
    `<title>Attention Required! | Cloudflare</title><div><p>${'You are blocked. '.repeat(20)}</p></div>`,
  ],
  ['waiting', '<title>DDoS-Guard</title>'],
  [
    'waiting',
    '<title>One moment, please...</title><h1>Please wait while your request is being verified</h1>',
  ],
  ['nothingHere', '<title>Page not found – A Blog</title><main><p>Try a search.</p></main>'],
  ['nothingHere', '<title>404: This page could not be found.</title><h1>404</h1>'],
  ['nothingHere', '<title>A Blog</title><main><h1>Not Found</h1></main>'],
  [
    'nothingHere',
    `<title>404 Not Found</title><main>${'<a href="/1">An article of this blog</a>'.repeat(20)}</main>`,
  ],
] as const)('rejects an error page with status 200 (%s): %s', (kind, html) => {
  const url = 'https://a.example/1'
  expect(() => read(url, html, { status: 200, loadedUrl: url })).toThrow(sentenceOf(kind))
})

it.each([
  `<title>Just a moment...</title><article><p>${'A moment is long. '.repeat(20)}</p></article>`,
  `<title>404 Not Found</title><h1>404 Not Found</h1><p>${'The history of a number. '.repeat(20)}</p>`,
  '<title>404 Media</title><main><h1>404 Media</h1><p>News</p></main>',
  '<title>Not found wanting</title><main><p>A poem</p></main>',
])('reads an article with a title like an error: %s', html => {
  expect(read('https://a.example/1', html)).toMatchObject({ source: 'blog', own: { metadata: {} } })
})
