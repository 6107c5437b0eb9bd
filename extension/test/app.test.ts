// @vitest-environment node
import 'fake-indexeddb/auto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, createApp } from '../src/background/app'
import { type Database, openDatabase, writeSetting } from '../src/background/database'

const ID = 'abcdefghijklmnopabcdefghijklmnop'
const OWN = `chrome-extension://${ID}/`
const SITE = 'https://blog.example.org/post'
const TOKEN = 'the token that nobody else may see'

type Sender = chrome.runtime.MessageSender
const ownPage = { id: ID, url: `${OWN}popup.html` } as Sender
const content = { id: ID, url: SITE, frameId: 0, tab: { id: 7 } } as Sender

const session: Record<string, unknown> = {}
let app: App
let database: Database
beforeAll(async () => {
  vi.stubGlobal('chrome', {
    runtime: { id: ID, getURL: (path: string) => OWN + path },
    alarms: { create: () => {}, clear: async () => true },
    storage: {
      session: { get: async () => session, set: async (values: object) => Object.assign(session, values) },
    },
    scripting: { insertCSS: async () => {} },
  })
  // Any request to the server fails the test.
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no request was expected')))
  database = await openDatabase('app')
  await writeSetting(database, 'account', {
    server: 'https://iodine.example.org',
    userId: 'a'.repeat(24),
    name: '@ana',
    token: TOKEN,
  })
  app = createApp(database)
})
afterAll(() => {
  database.close()
  vi.unstubAllGlobals()
})

const PAGES_ALONE = [
  'status',
  'signIn',
  'signOut',
  'setServer',
  'setReading',
  'setSealing',
  'markSite',
  'collect',
  'keep',
  'sendNow',
]

test.each([
  ...PAGES_ALONE,
  'retryRefused',
  'discardRefused',
  'discardOthers',
  'retryCaptures',
  'discardCaptures',
  'constructor',
  '__proto__',
])('a script in a web page may not ask for %s', name => expect(app.handle({ name }, content)).toBeUndefined())

test.each<[string, Partial<Sender>]>([
  ['another extension', { id: 'ponmlkjihgfedcbaponmlkjihgfedcba' }],
  ['a frame within the page', { frameId: 3 }],
  ['a page without a tab', { tab: undefined as never }],
  ['a page whose address only begins like ours', { url: `https://${ID}/popup.html`, frameId: 1 }],
])('%s is not answered', (_, difference) => {
  for (const name of ['hello', 'lookup', 'captured', 'status'])
    expect(app.handle({ name, values: ['x'], captured: [] }, { ...content, ...difference })).toBeUndefined()
})

test.each([undefined, null, 'status', 7, {}, { name: 5 }, { name: { toString: () => 'status' } }])(
  'what is no message is not answered: %j',
  message => expect(app.handle(message, ownPage)).toBeUndefined(),
)

const captured = [
  {
    source: 'blog',
    record: {
      collector_metadata: { fetch_timestamp: '2026-11-21T10:00:00.000Z', source: 'blog' },
      metadata: { canonical: SITE },
    },
  },
]

test('a page on which nothing was switched on can have nothing collected, looked up or created', async () => {
  expect(await app.handle({ name: 'captured', captured }, content)).toEqual({
    ok: false,
    error: 'Not collecting here',
  })
  expect(await app.handle({ name: 'lookup', values: ['x'] }, content)).toMatchObject({ ok: false })
  const iod = { value: 'x', category: 'SENTENCE', description: '' }
  expect(await app.handle({ name: 'createIod', iod }, content)).toMatchObject({ ok: false })
  expect(await app.handle({ name: 'hello' }, content)).toEqual({
    ok: true,
    value: { keeping: false, marking: false, sealing: true },
  })
  expect(await database.count('records')).toBe(0)
})

test('a tab that keeps collecting hands in its own site’s kind alone, and only there', async () => {
  session.keeping = { 7: 'https://blog.example.org' }
  const foreign = { ...captured[0], source: 'tiktok' }
  expect(await app.handle({ name: 'captured', captured: [foreign, ...captured] }, content)).toEqual({
    ok: true,
    value: null,
  })
  expect((await database.getAll('records')).map(({ source }) => source)).toEqual(['blog'])
  const elsewhere = { ...content, url: 'https://evil.example.org/' }
  expect(await app.handle({ name: 'captured', captured }, elsewhere)).toMatchObject({ ok: false })
})

test('the token is in no answer', async () => {
  for (const [name, sender] of [
    ['status', ownPage],
    ['hello', content],
  ] as const) {
    const answer = await app.handle({ name }, sender)
    expect(answer?.ok).toBe(true)
    expect(JSON.stringify(answer)).not.toContain(TOKEN)
  }
})

test.each([
  ['http://iodine.example.org', /starts with https/],
  ['javascript:alert(1)', /starts with https/],
  ['https://user:word@iodine.example.org', /address alone/],
  ['https://iodine.example.org/api', /address alone/],
  ['', /starts with https/],
])('%s is no server to send a token to', async (server, reason) => {
  const answer = await app.handle({ name: 'setServer', server }, ownPage)
  expect(answer).toEqual({ ok: false, error: expect.stringMatching(reason) })
})
