// @vitest-environment node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '@iodine/contracts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { FAILURES, Failure, failureOf, sentenceOf, unsupportedReason } from '../src/shared/failures'
import { sendRequest } from '../src/shared/messages'
import { rejectUnsupported } from '../src/sources'

afterEach(() => vi.unstubAllGlobals())

/** Returns the sentence for a browser error. */
const sentenceFor = (text: string, name = 'Error', channel?: 'notReady') =>
  failureOf(Object.assign(new Error(text), { name }), channel).message

test('docs/extension.md lists exactly the failures', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/extension.md'), 'utf8')
  const rows = [...docs.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, kind, sentence]) => [kind, sentence])
  expect(Object.fromEntries(rows)).toEqual(FAILURES)
  expect(rows).toHaveLength(Object.keys(FAILURES).length)
})

test('each sentence names a remedy and no technical term', () => {
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
  ['Permission denied to access property "constructor"', 'unexpected'],
] as const)('translates "%s"', (text, kind) => expect(sentenceFor(text)).toBe(sentenceOf(kind)))

test('translates an error by its channel and name', () => {
  expect(
    sentenceFor('Could not establish connection. Receiving end does not exist.', 'Error', 'notReady'),
  ).toBe(sentenceOf('notReady'))
  expect(sentenceFor('The current transaction exceeded its quota limitations.', 'QuotaExceededError')).toBe(
    sentenceOf('storageFull'),
  )
})

test('keeps messages for users, and hides all others', () => {
  const server = Object.assign(new ApiError(409, 'x'), { message: 'This IOD already exists' })
  expect(failureOf(server).message).toBe('This IOD already exists')
  expect(failureOf(new Failure('pdf')).message).toBe(FAILURES.pdf)
  for (const odd of ['text', null, undefined, 7, {}]) expect(failureOf(odd).message).toBe(FAILURES.unexpected)
})

test.each<[string, () => unknown, string]>([
  [
    'is interrupted by the browser',
    () => Promise.reject(new Error('The message port closed before a response was received.')),
    FAILURES.interrupted,
  ],
  ['does not answer', async () => undefined, FAILURES.interrupted],
  ['returns an error', async () => ({ ok: false, error: FAILURES.signInFirst }), FAILURES.signInFirst],
])('rejects with a sentence if the background %s', async (_, sendMessage, sentence) => {
  vi.stubGlobal('chrome', { runtime: { sendMessage } })
  await expect(sendRequest('sendNow', {})).rejects.toThrow(
    new Failure('unexpected').constructor as typeof Failure,
  )
  await expect(sendRequest('sendNow', {})).rejects.toThrow(sentence)
})

test('rejects as updated in a script of an updated extension', async () => {
  vi.stubGlobal('chrome', {})
  await expect(sendRequest('sendNow', {})).rejects.toMatchObject({
    kind: 'updated',
    message: FAILURES.updated,
  })
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
])('returns why "%s" can’t be collected: %s', (address, kind) =>
  expect(unsupportedReason(address)).toBe(kind),
)

describe('unsupported documents', () => {
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
  ])('rejects %s with <%s>', (type, root, sentence) =>
    expect(() => rejectUnsupported({ document: document(type, root), url })).toThrow(sentence),
  )
  test.each([
    ['<?xml version="1.0"?>\n<!-- ours --><rss version="2.0">', FAILURES.feed],
    ['\n<feed xmlns="http://www.w3.org/2005/Atom">', FAILURES.feed],
    ['<feedback>no feed</feedback>', sentenceOf('file', { type: 'text/plain' })],
    ['an article on <rss>', sentenceOf('file', { type: 'text/plain' })],
  ])('rejects text/plain: %s', (text, sentence) =>
    expect(() => rejectUnsupported({ document: document('text/plain', 'html', text), url })).toThrow(
      sentence,
    ),
  )
  test.each(['text/html', 'application/xhtml+xml'])('accepts %s', type =>
    expect(() => rejectUnsupported({ document: document(type), url })).not.toThrow(),
  )
  test.each([
    ['https://web.telegram.org/k/#@open_eyes', 't.me/s/open_eyes'],
    ['https://web.telegram.org/a/#-100123', 't.me/s/CHANNEL'],
  ])('rejects the web app at %s and names %s', (url, page) =>
    expect(() => rejectUnsupported({ document: document('text/html'), url })).toThrow(
      sentenceOf('webApp', { page }),
    ),
  )
})
