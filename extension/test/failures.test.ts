// @vitest-environment node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '@iodine/contracts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { FAILURES, Failure, failureOf, refusalOf, sentenceOf } from '../src/shared/failures'
import { ask } from '../src/shared/messages'
import { refuseOthers } from '../src/sources'

afterEach(() => vi.unstubAllGlobals())

/** The sentence that stands in place of an error of the browser's. */
const told = (text: string, name = 'Error', channel?: 'notReady') =>
  failureOf(Object.assign(new Error(text), { name }), channel).message

test('docs/extension.md lists every failure, and no other', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/extension.md'), 'utf8')
  const rows = [...docs.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, kind, sentence]) => [kind, sentence])
  expect(Object.fromEntries(rows)).toEqual(FAILURES)
  expect(rows).toHaveLength(Object.keys(FAILURES).length)
})

test('each sentence says what to do, in words of people', () => {
  for (const [kind, sentence] of Object.entries(FAILURES)) {
    expect(sentence, kind).toMatch(/[:;,]|^Sign in|^Enter/)
    expect(sentence, kind).not.toMatch(/\.$|undefined|exception|IndexedDB|listener|receiving end/i)
  }
})

test.each([
  ['Could not establish connection. Receiving end does not exist.', 'interrupted'],
  ['The message port closed before a response was received.', 'interrupted'],
  [
    'A listener indicated an asynchronous response by returning true, but the message channel closed before a response was received',
    'interrupted',
  ],
  ['Extension context invalidated.', 'updated'],
  ["Cannot read properties of undefined (reading 'sendMessage')", 'updated'],
  ['Encountered full disk while opening backing store for indexedDB.open.', 'storageFull'],
  ['Internal error opening backing store for indexedDB.open.', 'storageBroken'],
  ['Cannot access a chrome:// URL', 'browserPage'],
  ['Cannot access a chrome-extension:// URL of different extension', 'browserPage'],
  [
    'Cannot access contents of url "file:///etc/hosts". Extension manifest must request permission',
    'localFile',
  ],
  ['The extensions gallery cannot be scripted.', 'extensionStore'],
  ['This page cannot be scripted due to an ExtensionsSettings policy.', 'policy'],
  [
    'Cannot access contents of url "https://a.example/". Extension manifest must request permission to access this host.',
    'noPermission',
  ],
  [
    'Cannot access contents of the page. Extension manifest must request permission to access the respective host.',
    'noPermission',
  ],
  ['Missing host permission for the tab', 'noPermission'],
  ['Frame with ID 0 is showing error page', 'notLoaded'],
  ['No tab with id: 7.', 'pageGone'],
  ['The tab was closed.', 'pageGone'],
  ['Frame with ID 0 was removed.', 'pageGone'],
  [
    'The page keeping the extension port is moved into back/forward cache, so the message channel is closed.',
    'interrupted',
  ],
  ['Message length exceeded maximum allowed length.', 'tooMuch'],
  ['Message exceeded maximum allowed size of 64MiB.', 'tooMuch'],
  ["Cannot read properties of null (reading 'body')", 'unexpected'],
] as const)('people are not told "%s"', (text, kind) => expect(told(text)).toBe(sentenceOf(kind)))

test('the same words mean another thing of a page', () => {
  expect(told('Could not establish connection. Receiving end does not exist.', 'Error', 'notReady')).toBe(
    sentenceOf('notReady'),
  )
  expect(told('The current transaction exceeded its quota limitations.', 'QuotaExceededError')).toBe(
    sentenceOf('storageFull'),
  )
})

test('what is a sentence already stays, and nothing else is shown', () => {
  const server = Object.assign(new ApiError(409, 'x'), { message: 'This IOD already exists' })
  expect(failureOf(server).message).toBe('This IOD already exists')
  expect(failureOf(new Failure('pdf')).message).toBe(FAILURES.pdf)
  for (const odd of ['text', null, undefined, 7, {}]) expect(failureOf(odd).message).toBe(FAILURES.unexpected)
})

test.each<[string, () => unknown, string]>([
  [
    'is ended by the browser while it works',
    () => Promise.reject(new Error('The message port closed before a response was received.')),
    FAILURES.interrupted,
  ],
  ['does not answer', async () => undefined, FAILURES.interrupted],
  ['has another sentence', async () => ({ ok: false, error: FAILURES.signInFirst }), FAILURES.signInFirst],
])('a background that %s', async (_, sendMessage, sentence) => {
  vi.stubGlobal('chrome', { runtime: { sendMessage } })
  await expect(ask('sendNow', {})).rejects.toThrow(new Failure('unexpected').constructor as typeof Failure)
  await expect(ask('sendNow', {})).rejects.toThrow(sentence)
})

test('a script whose extension was updated', async () => {
  vi.stubGlobal('chrome', {})
  await expect(ask('sendNow', {})).rejects.toMatchObject({ kind: 'updated', message: FAILURES.updated })
})

test.each([
  ['https://blog.example.org/', undefined],
  ['http://localhost:8080/', undefined],
  ['', 'noAddress'],
  ['chrome://extensions/', 'browserPage'],
  ['edge://settings', 'browserPage'],
  ['about:addons', 'browserPage'],
  ['view-source:https://blog.example.org/', 'browserPage'],
  ['chrome-extension://abc/popup.html', 'browserPage'],
  ['file:///home/ana/page.html', 'localFile'],
  ['https://chromewebstore.google.com/detail/x', 'extensionStore'],
  ['https://chrome.google.com/webstore/detail/x', 'extensionStore'],
  ['https://addons.mozilla.org/firefox/', 'extensionStore'],
])('what can be collected at "%s": %s', (address, kind) => expect(refusalOf(address)).toBe(kind))

describe('documents that are no pages', () => {
  const document = (contentType: string, localName = 'html', textContent = '') =>
    ({ contentType, documentElement: { localName, textContent } }) as unknown as Document
  const url = 'https://blog.example.org/'
  test.each([
    ['application/rss+xml', 'rss', FAILURES.feed],
    ['text/xml', 'rss', FAILURES.feed],
    ['application/atom+xml', 'feed', FAILURES.feed],
    ['application/xml', 'RDF', FAILURES.feed],
    ['image/svg+xml', 'svg', FAILURES.svg],
    ['application/pdf', 'html', FAILURES.pdf],
    ['image/png', 'html', sentenceOf('file', { type: 'image/png' })],
    ['application/json', 'html', sentenceOf('file', { type: 'application/json' })],
    ['text/xml', 'invoice', sentenceOf('file', { type: 'text/xml' })],
  ])('%s with <%s>', (type, root, sentence) =>
    expect(() => refuseOthers({ document: document(type, root), url })).toThrow(sentence),
  )
  test.each([
    ['<?xml version="1.0"?>\n<!-- ours --><rss version="2.0">', FAILURES.feed],
    ['\n<feed xmlns="http://www.w3.org/2005/Atom">', FAILURES.feed],
    ['<feedback>no feed</feedback>', sentenceOf('file', { type: 'text/plain' })],
    ['an article on <rss>', sentenceOf('file', { type: 'text/plain' })],
  ])('shown as text: %s', (text, sentence) =>
    expect(() => refuseOthers({ document: document('text/plain', 'html', text), url })).toThrow(sentence),
  )
  test.each(['text/html', 'application/xhtml+xml'])('%s is one', type =>
    expect(() => refuseOthers({ document: document(type), url })).not.toThrow(),
  )
  test.each([
    ['https://web.telegram.org/k/#@open_eyes', 't.me/s/open_eyes'],
    ['https://web.telegram.org/a/#-100123', 't.me/s/CHANNEL'],
  ])('the web app at %s is none: the way is %s', (url, page) =>
    expect(() => refuseOthers({ document: document('text/html'), url })).toThrow(
      sentenceOf('webApp', { page }),
    ),
  )
})
