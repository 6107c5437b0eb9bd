// @vitest-environment node
import 'fake-indexeddb/auto'
import { canonicalJson } from '@iodine/evidence'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type App, createApp } from '../src/background/app'
import { type Database, openDatabase, readSetting, writeSetting } from '../src/background/database'
import { readEnded, readKeeping, writeEnded, writeKeeping } from '../src/background/tabs'
import { sentenceOf } from '../src/shared/failures'
import type { Status, TabStatus } from '../src/shared/messages'

const ID = 'abcdefghijklmnopabcdefghijklmnop'
const OWN = `chrome-extension://${ID}/`
const SITE = 'https://blog.example.org/post'
const TOKEN = 'the token that nobody else may see'

type Sender = chrome.runtime.MessageSender
const ownPage = { id: ID, url: `${OWN}popup.html` } as Sender
const content = { id: ID, url: SITE, frameId: 0, tab: { id: 7 } } as Sender

type Collect = { ticket: string; what: string; sealing: boolean }
/** Handles an order as the content script does. */
let page: (order: Collect) => Promise<unknown>
let tab: object
let picture: (...given: unknown[]) => Promise<string>

const session: Record<string, unknown> = {}
const local: Record<string, unknown> = {}
const areaOf = (values: Record<string, unknown>) => ({
  get: async () => values,
  set: async (more: object) => Object.assign(values, more),
})
/** The shown badge and tooltip of the tab. */
const icon: Record<string, unknown> = {}
const show = async (values: object) => void Object.assign(icon, values)
/** Stub of `executeScript`. */
let inject: () => Promise<unknown>
/** Returns whether the user permits a pattern. */
let permits = (_: string) => false
let app: App
let database: Database
/** Timers of the app, which would retry after the tests. */
const timers: NodeJS.Timeout[] = []
const clearTimers = () => {
  for (const timer of timers.splice(0)) clearTimeout(timer)
}
beforeAll(async () => {
  const start = setTimeout
  vi.stubGlobal('setTimeout', (...given: Parameters<typeof setTimeout>) => {
    const timer = start(...given)
    timers.push(timer)
    return timer
  })
  vi.stubGlobal('chrome', {
    runtime: {
      id: ID,
      getURL: (path: string) => OWN + path,
      getManifest: () => ({ version: '1.2.3' }),
      getPlatformInfo: async () => ({}),
    },
    tabs: {
      get: async () => tab,
      captureVisibleTab: (...given: unknown[]) => picture(...given),
      sendMessage: (_: number, order: Collect) => page(order),
    },
    alarms: { create: () => {}, clear: async () => true },
    storage: { session: areaOf(session), local: areaOf(local) },
    action: { setBadgeText: show, setBadgeBackgroundColor: show, setTitle: show },
    permissions: { contains: async ({ origins }: { origins: string[] }) => origins.every(permits) },
    scripting: {
      executeScript: () => inject(),
      getRegisteredContentScripts: async () => [],
    },
  })
  inject = async () => []
  // An unexpected request fails the test.
  vi.stubGlobal('fetch', () => Promise.reject(new Error('unexpected request')))
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
  clearTimers()
  database.close()
  // The stubs stay: pending requests may set another timer.
})

const PAGES_ALONE = [
  'status',
  'signIn',
  'signOut',
  'setServer',
  'setReading',
  'setSealing',
  'found',
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
])('a script in a web page may not request %s', name => expect(app.handle({ name }, content)).toBeUndefined())

test.each<[string, Partial<Sender>]>([
  ['another extension', { id: 'ponmlkjihgfedcbaponmlkjihgfedcba' }],
  ['a frame within the page', { frameId: 3 }],
  ['a page without a tab', { tab: undefined as never }],
  [
    'a page whose URL only resembles that of an extension page',
    { url: `https://${ID}/popup.html`, frameId: 1 },
  ],
])('rejects messages of %s', (_, difference) => {
  for (const name of ['hello', 'scan', 'captured', 'status'])
    expect(app.handle({ name, texts: ['x'], captured: [] }, { ...content, ...difference })).toBeUndefined()
})

test.each([undefined, null, 'status', 7, {}, { name: 5 }, { name: { toString: () => 'status' } }])(
  'ignores an invalid message: %j',
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

test('rejects all requests of a page without an enabled feature', async () => {
  expect(await app.handle({ name: 'captured', captured }, content)).toEqual({
    ok: false,
    error: sentenceOf('notCollecting'),
  })
  expect(await app.handle({ name: 'scan', texts: ['x'] }, content)).toMatchObject({ ok: false })
  const path = `/dashboard/iods/${'a'.repeat(24)}`
  expect(await app.handle({ name: 'openApp', path }, content)).toMatchObject({ ok: false })
  const iod = { value: 'x', category: 'SENTENCE', description: '' }
  expect(await app.handle({ name: 'createIod', iod }, content)).toMatchObject({ ok: false })
  expect(await app.handle({ name: 'hello' }, content)).toEqual({
    ok: true,
    value: { keeping: false, marking: false, sealing: true },
  })
  expect(await database.count('records')).toBe(0)
})

test('accepts records of a collecting tab only for its origin and source', async () => {
  local.keeping = { 7: 'https://blog.example.org' }
  const foreign = { ...captured[0], source: 'tiktok' }
  expect(await app.handle({ name: 'captured', captured: [foreign, ...captured] }, content)).toEqual({
    ok: true,
    value: null,
  })
  expect((await database.getAll('records')).map(({ source }) => source)).toEqual(['blog'])
  const elsewhere = { ...content, url: 'https://evil.example.org/' }
  expect(await app.handle({ name: 'captured', captured }, elsewhere)).toMatchObject({ ok: false })
})

const parts = (fields: object = {}) => ({
  url: SITE,
  dom: '<p>Mirrors</p>',
  text: 'Mirrors heat lakes',
  pictures: [],
  unread: 0,
  ...fields,
})
const collected = (fields: object = {}) => [{ captured: captured[0], page: parts(fields) }]
const answers = (message: object, from: Sender = content) => app.handle(message, from)
/** Collects the page. Resolves once its captures are made. */
const collect = async (input: object = {}) => {
  const answer = await app.handle({ name: 'collect', tabId: 7, what: 'own', ...input }, ownPage)
  const beingMade = async () => {
    const status = await app.handle({ name: 'status' }, ownPage)
    const { captures } = (status as { value: Status }).value
    return captures.waiting - (await database.count('captures'))
  }
  await expect.poll(beingMade).toBe(0)
  return answer
}
const manifests = async () => (await database.getAll('captures')).map(({ manifest }) => manifest)

describe('collecting, with captures', () => {
  beforeEach(async () => {
    for (const store of ['records', 'captures', 'blobs', 'quotes'] as const) await database.clear(store)
    tab = { active: true, url: SITE, windowId: 3 }
    picture = async () => `data:image/jpeg;base64,${btoa('drawn')}`
    page = ({ ticket }) => answers({ name: 'collected', ticket, collected: collected() }) as Promise<unknown>
  })

  test('captures a collected page, with the record in the form in which it is sent', async () => {
    expect(await collect()).toEqual({
      ok: true,
      value: { queued: 1, invalid: [] },
    })
    const [manifest] = await manifests()
    expect(manifest).toMatchObject({ url: SITE, source: 'blog', trigger: 'collect' })
    expect(manifest?.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'record', 'screenshot'])
    const sent = (await database.getAll('blobs')).find(({ sha256 }) => sha256 === manifest?.blobs[2]?.sha256)
    expect(new TextDecoder().decode(sent?.bytes)).toBe(
      canonicalJson((await database.getAll('records'))[0]?.record),
    )
  })

  test('captures a page that is collected again with the first record and its time', async () => {
    await collect()
    const later = structuredClone(captured[0])
    if (later) later.record.collector_metadata.fetch_timestamp = '2026-11-21T11:00:00.000Z'
    page = ({ ticket }) =>
      answers({
        name: 'collected',
        ticket,
        collected: [{ captured: later, page: parts() }],
      }) as Promise<unknown>
    await collect()
    const hashes = (await manifests()).map(manifest => manifest?.blobs[2])
    expect(hashes[1]).toEqual(hashes[0])
  })

  test.each(['waiting', 'withheld'] as const)('shows why a page has no post: %s', async kind => {
    page = async () => ({ url: SITE, failure: sentenceOf(kind) })
    expect(await collect()).toEqual({ ok: false, error: sentenceOf(kind) })
    expect([await database.count('records'), await database.count('captures')]).toEqual([0, 0])
  })

  test('marks the record of a removed page, and shows that the record stays', async () => {
    const removal = {
      source: 'blog',
      record: {
        collector_metadata: { fetch_timestamp: '2026-11-22T10:00:00.000Z', source: 'blog' },
        metadata: { canonical: SITE },
        context: {
          removed: { first_seen: '2026-11-22T10:00:00.000Z', last_seen: '2026-11-22T10:00:00.000Z' },
        },
      },
    }
    const gone = async ({ ticket }: Collect) => {
      await answers({ name: 'collected', ticket, collected: [{ captured: removal }] })
      return { url: SITE }
    }
    const absenceOf = async () => {
      page = gone
      return ((await collect()) as { value: { absence: string } }).value.absence
    }
    expect(await absenceOf()).toBe(sentenceOf('removed'))
    await database.clear('records')
    page = ({ ticket }) => answers({ name: 'collected', ticket, collected: collected() }) as Promise<unknown>
    await collect()
    expect(await absenceOf()).toBe('This post was removed; your record of Nov 21, 2026 is kept')
    const [{ record } = { record: undefined }] = await database.getAll('records')
    expect(record).toMatchObject({
      collector_metadata: { fetch_timestamp: '2026-11-21T10:00:00.000Z' },
      context: { removed: { first_seen: '2026-11-22T10:00:00.000Z' } },
    })
  })

  test.each<[string, (order: Collect) => unknown]>([
    [
      'without the order’s ticket',
      () => answers({ name: 'collected', ticket: 'guessed', collected: collected() }),
    ],
    ['without a ticket', () => answers({ name: 'collected', collected: collected() })],
    [
      'from another tab',
      ({ ticket }) =>
        answers({ name: 'collected', ticket, collected: collected() }, {
          ...content,
          tab: { id: 8 },
        } as Sender),
    ],
    [
      'from a frame',
      ({ ticket }) =>
        answers({ name: 'collected', ticket, collected: collected() }, { ...content, frameId: 2 }),
    ],
    [
      'from a page of another source',
      ({ ticket }) =>
        answers(
          { name: 'collected', ticket, collected: collected() },
          { ...content, url: 'https://t.me/s/x' },
        ),
    ],
  ])('ignores an answer %s', async (_, answer) => {
    page = async order => answer(order)
    expect(await collect()).toEqual({ ok: false, error: sentenceOf('nothingHere') })
    expect(await database.count('captures')).toBe(0)
  })

  test('names the channel’s page if a Telegram page has no post', async () => {
    const url = 'https://t.me/open_eyes/12?single'
    tab = { active: true, url, windowId: 3 }
    page = async () => ({ url })
    const error = sentenceOf('nothingInChannel', { page: 't.me/s/open_eyes' })
    expect(await collect()).toEqual({ ok: false, error })
  })

  test('rejects Keep collecting on an unsupported page', async () => {
    local.keeping = {}
    page = async () => ({ url: SITE, failure: sentenceOf('webApp', { page: 't.me/s/open_eyes' }) })
    expect(await app.handle({ name: 'keep', tabId: 7, on: true }, ownPage)).toMatchObject({
      ok: false,
      error: expect.stringContaining('web app'),
    })
    expect(local.keeping).toEqual({})
  })

  test('accepts a ticket once, and only during its order', async () => {
    let kept = ''
    page = async ({ ticket }) => {
      kept = ticket
      await answers({ name: 'collected', ticket, collected: collected() })
      expect(await answers({ name: 'collected', ticket, collected: collected() })).toMatchObject({
        ok: false,
      })
    }
    await collect()
    expect(await answers({ name: 'collected', ticket: kept, collected: collected() })).toMatchObject({
      ok: false,
    })
    expect(await database.count('captures')).toBe(1)
  })

  test('makes no capture of a page that states another URL than the browser', async () => {
    page = ({ ticket }) =>
      answers({
        name: 'collected',
        ticket,
        url: 'https://bank.example.org/',
        collected: collected({ url: 'https://bank.example.org/' }),
      }) as Promise<unknown>
    expect(await collect()).toMatchObject({ ok: true, value: { queued: 1 } })
    expect(await database.count('records')).toBe(1)
    expect(await database.count('captures')).toBe(0)
    expect(await app.handle({ name: 'status' }, ownPage)).toMatchObject({
      value: {
        captures: { leftOut: `The last page has no capture: ${sentenceOf('addressChanged')}.` },
      },
    })
  })

  test.each([
    ['after a client-side navigation', 'https://blog.example.org/next', 'https://blog.example.org/next', 1],
    [
      'of the page that its tab shows in the meantime',
      'https://bank.example.org/',
      'https://bank.example.org/',
      0,
    ],
    ['of its load, if its tab shows another page in the meantime', 'https://bank.example.org/', SITE, 1],
  ])('compares the URL of an answer: %s', async (_, ofTab, stated, made) => {
    const from = { ...content, tab: { id: 7, url: ofTab } } as Sender
    page = ({ ticket }) =>
      answers({ name: 'collected', ticket, collected: collected({ url: stated }) }, from) as Promise<unknown>
    expect(await collect()).toMatchObject({ ok: true, value: { queued: 1 } })
    expect((await manifests()).map(manifest => manifest?.url)).toEqual(made ? [stated] : [])
  })

  test.each<[string, () => void]>([
    [
      'is not in front',
      () => {
        tab = { active: false, url: SITE, windowId: 3 }
      },
    ],
    [
      'shows another URL afterwards',
      () => {
        picture = async () => {
          tab = { active: true, url: 'https://other.example.org/', windowId: 3 }
          return `data:image/jpeg;base64,${btoa('drawn')}`
        }
      },
    ],
    [
      'showed another URL before',
      () => {
        tab = { active: true, url: 'https://blog.example.org/other', windowId: 3 }
      },
    ],
    [
      'does not permit a screenshot',
      () => {
        picture = () => Promise.reject(new Error('The activeTab permission is not in effect'))
      },
    ],
    [
      'returns another media type',
      () => {
        picture = async () => 'data:text/html;base64,PGI+'
      },
    ],
  ])('captures a tab without a screenshot if it %s', async (_, arrange) => {
    arrange()
    expect(await collect()).toMatchObject({ ok: true })
    expect((await manifests())[0]?.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'record'])
  })

  test('captures several posts one by one, without a screenshot', async () => {
    const second = structuredClone(captured[0])
    if (second) second.record.metadata.canonical = 'https://blog.example.org/other'
    page = ({ ticket }) =>
      answers({
        name: 'collected',
        ticket,
        collected: [...collected(), { captured: second, page: { problem: 'the page does not show it' } }],
      }) as Promise<unknown>
    expect(await collect({ what: 'all' })).toMatchObject({ value: { queued: 2 } })
    expect(await database.count('captures')).toBe(1)
    expect((await manifests())[0]?.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'record'])
  })

  test('reports captures that the browser interrupted, and keeps their records', async () => {
    let release = () => {}
    picture = () =>
      new Promise(resolve => {
        release = () => resolve('')
      })
    await app.handle({ name: 'collect', tabId: 7, what: 'own' }, ownPage)
    await vi.waitFor(async () =>
      expect(await readSetting(database, 'leftOut')).toContain(sentenceOf('captureStopped')),
    )
    expect(await database.count('records')).toBe(1)
    // Compare a new background on the same database with this one.
    const leftOutOf = async (of: App) =>
      ((await of.handle({ name: 'status' }, ownPage)) as { value: Status }).value.captures.leftOut
    expect(await leftOutOf(createApp(database))).toContain(sentenceOf('captureStopped'))
    expect(await leftOutOf(app)).toBe('')
    await vi.waitFor(() => release())
    await vi.waitFor(async () => expect(await database.count('captures')).toBe(1))
    await vi.waitFor(async () => expect(await readSetting(database, 'leftOut')).toBeUndefined())
  })

  test('collects a record with invalid page parts', async () => {
    for (const broken of [{ problem: 'the page is too long' }, { pictures: 5 }, { text: 5 }, null]) {
      await database.clear('records')
      page = ({ ticket }) =>
        answers({
          name: 'collected',
          ticket,
          collected: [{ captured: captured[0], page: broken && { url: SITE, ...broken } }],
        }) as Promise<unknown>
      expect(await collect()).toMatchObject({ ok: true, value: { queued: 1 } })
    }
    expect(await database.count('captures')).toBe(0)
  })

  test('requests only records and makes no capture while captures are switched off', async () => {
    await app.handle({ name: 'setSealing', on: false }, ownPage)
    page = ({ ticket, sealing }) => {
      expect(sealing).toBe(false)
      return answers({ name: 'collected', ticket, collected: collected() }) as Promise<unknown>
    }
    picture = () => Promise.reject(new Error('unexpected screenshot'))
    expect(await collect()).toMatchObject({ ok: true, value: { queued: 1 } })
    expect(await database.count('captures')).toBe(0)
    await app.handle({ name: 'setSealing', on: true }, ownPage)
  })

  test('makes no capture for Keep collecting', async () => {
    local.keeping = { 7: 'https://blog.example.org' }
    const [item] = captured
    await answers({
      name: 'captured',
      captured: [{ ...item, page: parts() }],
      collected: collected(),
      page: parts(),
    })
    expect(await database.count('records')).toBe(1)
    expect(await database.count('captures')).toBe(0)
  })

  test('rejects a quote from a page that is not marked', async () => {
    const quoted = { page: parts(), place: { start: 0, end: 7, exact: 'Mirrors' } }
    for (const name of ['createIod', 'quoteIod'])
      expect(
        await answers({ name, iod: { value: 'Mirrors', category: 'SENTENCE', description: '' }, quoted }),
      ).toEqual({ ok: false, error: sentenceOf('notMarking') })
    expect(await database.count('captures')).toBe(0)
  })
})

test('keeps the identifying query in the source URL of a created IOD', async () => {
  const bodies: { source: string }[] = []
  const noRequest = fetch
  vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
    bodies.push(JSON.parse(body as string))
    return Response.json({ detail: 'Not now' }, { status: 503 })
  })
  await writeSetting(database, 'markedSites', ['https://video.example/*'])
  permits = () => true
  onTestFinished(() => {
    permits = () => false
  })
  const watched = { ...content, url: 'https://video.example/watch?v=a1&t=3s#comments' }
  const iod = { value: 'Mirrors', category: 'SENTENCE', description: '' }
  expect(await app.handle({ name: 'createIod', iod }, watched)).toMatchObject({ ok: false })
  expect(bodies.map(({ source }) => source)).toEqual(['https://video.example/watch?v=a1&t=3s'])
  await writeSetting(database, 'markedSites', [])
  vi.stubGlobal('fetch', noRequest)
})

describe('Keep collecting', () => {
  const keep = (on: boolean) => app.handle({ name: 'keep', tabId: 7, on }, ownPage)
  const tabStatus = async () =>
    ((await app.handle({ name: 'tab', tabId: 7, url: SITE }, ownPage)) as { value: TabStatus }).value
  beforeEach(async () => {
    // An attempt to send would reset the storage failure.
    clearTimers()
    await database.clear('records')
    for (const values of [session, local, icon]) for (const key of Object.keys(values)) delete values[key]
    inject = async () => []
    tab = { url: SITE }
    page = async () => ({ url: SITE })
    await app.handle({ name: 'keep', tabId: 7, on: true }, ownPage)
  })

  test('shows on the icon while it is on', async () => {
    expect(icon).toMatchObject({ tabId: 7, text: 'ON', title: 'Keeps collecting on blog.example.org' })
    expect(await tabStatus()).toMatchObject({ keeping: true, ended: '' })
    await keep(false)
    expect(icon).toMatchObject({ text: '', title: '' })
    expect(await tabStatus()).toMatchObject({ keeping: false, ended: '' })
  })

  test('resumes after an update if the site is permitted', async () => {
    const orders: unknown[] = []
    page = async order => {
      orders.push(order)
      return { url: SITE }
    }
    delete session.started
    delete icon.text
    await app.started()
    expect(orders).toEqual([{ order: 'keep', on: true }])
    expect(icon).toMatchObject({ text: 'ON' })
    await app.started()
    expect(orders).toHaveLength(1)
  })

  test('reports that an update removed the permission, until it is switched on again or the page is left', async () => {
    const refuse = async () => {
      throw new Error(
        'Cannot access contents of url "https://blog.example.org/post". Extension manifest must …',
      )
    }
    inject = refuse
    await app.started()
    const sentence = sentenceOf('keepEnded', { reason: 'the collector was updated or restarted' })
    expect(icon).toMatchObject({ text: '!', title: sentence })
    expect(await tabStatus()).toMatchObject({ keeping: false, ended: sentence })
    inject = async () => []
    await keep(true)
    expect(await tabStatus()).toMatchObject({ keeping: true, ended: '' })
  })

  test('ends after an update in a tab with another site, without injecting a script', async () => {
    tab = { url: 'https://other.example.org/' }
    inject = vi.fn(async () => [])
    await app.started()
    expect(inject).not.toHaveBeenCalled()
    expect(await readKeeping()).toEqual({})
    expect(icon).toMatchObject({ text: '', title: '' })
  })

  test('ends in all tabs when the browser starts, also after a failed start of the extension', async () => {
    await writeKeeping(8, 'https://other.example.org')
    inject = () => Promise.reject(new Error('Cannot access contents of url "https://blog.example.org/post"'))
    tab = {}
    await Promise.all([app.started(), app.browserStarted()])
    expect([await readKeeping(), await readEnded()]).toEqual([{}, {}])
    expect(icon).toMatchObject({ text: '', title: '' })
  })

  test('stores concurrent changes of several tabs', async () => {
    await Promise.all([7, 8, 9].map(tabId => writeKeeping(tabId, 'https://blog.example.org')))
    expect(Object.keys(await readKeeping())).toEqual(['7', '8', '9'])
    await Promise.all([7, 8, 9].map(tabId => writeEnded(tabId, 'Ended')))
    expect(Object.keys(await readEnded())).toEqual(['7', '8', '9'])
  })

  test('continues after a failed page load on its site, and ends on another site', async () => {
    inject = () => Promise.reject(new Error('Frame with ID 0 is showing error page'))
    await app.pageLoaded(7)
    expect(await tabStatus()).toMatchObject({ keeping: true })
    inject = async () => []
    page = async () => ({ url: 'https://other.example.org/' })
    await app.pageLoaded(7)
    expect(await tabStatus()).toMatchObject({ keeping: false, ended: '' })
    expect(icon).toMatchObject({ text: '' })
  })

  test('neither loses nor duplicates records on a full disk, and shows it on the icon and in the popup', async () => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('Encountered full disk', 'QuotaExceededError')
    }
    const problemOf = async () =>
      ((await app.handle({ name: 'status' }, ownPage)) as { value: Status }).value.problem
    try {
      expect(await app.handle({ name: 'captured', captured }, content)).toEqual({
        ok: false,
        error: sentenceOf('storageFull'),
      })
      expect(icon).toMatchObject({ text: '!', title: sentenceOf('storageFull') })
      expect(await problemOf()).toBe(sentenceOf('storageFull'))
    } finally {
      IDBObjectStore.prototype.put = put
    }
    expect(await database.count('records')).toBe(0)
    for (const _ of ['once', 'again'])
      expect(await app.handle({ name: 'captured', captured }, content)).toMatchObject({ ok: true })
    expect(await database.count('records')).toBe(1)
    expect(icon).toMatchObject({ text: 'ON' })
    expect(await problemOf()).toBe('')
  })
})

test.each([
  ['the browser refuses it', () => Promise.reject(new Error('Cannot access a chrome:// URL')), 'browserPage'],
  ['it does not load', () => Promise.reject(new Error('Frame with ID 0 is showing error page')), 'notLoaded'],
  ['its tab is gone', () => Promise.reject(new Error('No tab with id: 7.')), 'pageGone'],
] as const)('shows why a page is not collected: %s', async (_, injected, kind) => {
  inject = injected
  expect(await app.handle({ name: 'collect', tabId: 7, what: 'own' }, ownPage)).toEqual({
    ok: false,
    error: sentenceOf(kind),
  })
  inject = async () => []
})

test.each([
  ['is a feed', async () => ({ url: SITE, failure: sentenceOf('feed') }), 'feed'],
  [
    'has no script',
    () => Promise.reject(new Error('Could not establish connection. Receiving end does not exist.')),
    'notReady',
  ],
] as const)('shows that a page %s', async (_, answered, kind) => {
  page = answered
  for (const message of [
    { name: 'collect', what: 'own' },
    { name: 'keep', on: true },
  ])
    expect(await app.handle({ ...message, tabId: 7 }, ownPage)).toEqual({
      ok: false,
      error: sentenceOf(kind),
    })
})

test('returns the token in no answer', async () => {
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
  ['https://user:word@iodine.example.org', /without a path/],
  ['https://iodine.example.org/api', /without a path/],
  ['', /starts with https/],
])('rejects the server URL %s', async (server, reason) => {
  const answer = await app.handle({ name: 'setServer', server }, ownPage)
  expect(answer).toEqual({ ok: false, error: expect.stringMatching(reason) })
})

test('ends the rejected session, but not a newer one', async () => {
  // An attempt to send would reach the stub below.
  clearTimers()
  await database.clear('records')
  let refuse = (_: Response) => {}
  const server = vi.fn<() => Promise<Response>>(
    () =>
      new Promise(resolve => {
        refuse = resolve
      }),
  )
  vi.stubGlobal('fetch', server)
  await writeSetting(database, 'markedSites', ['https://blog.example.org/*'])
  permits = () => true
  onTestFinished(() => {
    permits = () => false
  })
  const account = { server: 'https://iodine.example.org', userId: 'a'.repeat(24), name: '@ana' }
  await writeSetting(database, 'account', { ...account, token: 'old' })
  const token = async () => (await readSetting(database, 'account'))?.token
  const answer = () => Response.json({ detail: 'Not authenticated' }, { status: 401 })

  const refreshed = app.refreshOverlay()
  await vi.waitFor(() => expect(server).toHaveBeenCalled())
  await writeSetting(database, 'account', { ...account, token: 'new' })
  refuse(answer())
  await refreshed
  expect(await token()).toBe('new')

  server.mockImplementation(async () => answer())
  await app.refreshOverlay()
  expect(await token()).toBeUndefined()
})

describe('the permission of a site', () => {
  const PATTERN = 'https://blog.example.org/*'
  const mark = (on: boolean) => app.handle({ name: 'markSite', tabId: 7, pattern: PATTERN, on }, ownPage)
  const marked = () => readSetting(database, 'markedSites')
  let orders: object[]
  beforeEach(async () => {
    orders = []
    permits = () => false
    tab = { id: 7, url: SITE }
    page = async given => {
      orders.push(given)
      return { url: SITE }
    }
    vi.stubGlobal('fetch', () => Promise.reject(new Error('unexpected request')))
    Object.assign(chrome.tabs, { query: async () => [tab] })
    Object.assign(chrome.scripting, { registerContentScripts: async () => {} })
    await writeSetting(database, 'markedSites', [])
  })

  test('is awaited: the site is marked once the user grants it, also without the popup', async () => {
    expect(await mark(true)).toEqual({ ok: true, value: false })
    expect([await marked(), orders]).toEqual([[], []])
    permits = pattern => pattern === PATTERN
    await app.permissionsAdded()
    expect(await marked()).toEqual([PATTERN])
    expect(orders).toContainEqual({ order: 'mark', on: true })
  })

  test('for another site, or granted much later, marks nothing', async () => {
    await mark(true)
    permits = pattern => pattern !== PATTERN
    await app.permissionsAdded()
    expect(await marked()).toEqual([])
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 121_000)
    permits = () => true
    await app.permissionsAdded()
    vi.mocked(Date.now).mockRestore()
    await app.permissionsAdded()
    expect([await marked(), orders]).toEqual([[], []])
  })

  test('is removed: the page is unmarked at once, and may compare no texts', async () => {
    permits = () => true
    expect(await mark(true)).toEqual({ ok: true, value: true })
    orders = []
    permits = () => false
    expect(await app.handle({ name: 'scan', texts: ['a'] }, content)).toEqual({
      ok: false,
      error: sentenceOf('notMarking'),
    })
    await app.permissionsRemoved()
    expect([await marked(), orders]).toEqual([[], [{ order: 'mark', on: false }]])
  })
})
