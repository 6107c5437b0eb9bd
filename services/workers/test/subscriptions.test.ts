import { type BodyOf, DONE, type FeedKind, type ResponseOf, subscriptionsInternal } from '@iodine/contracts'
import {
  createLogger,
  createService,
  feedSecretContext,
  HttpError,
  type Part,
  readConfig,
  type Service,
  seal,
  serviceConfigSchema,
} from '@iodine/service-kit'
import { newId, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { type Feed, startFeed, type TaxiiObject, taxiiCollection } from '@iodine/test-kit/feed'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

type Pull = NonNullable<ResponseOf<typeof subscriptionsInternal.claimPull>['pull']>

let fixture: ServiceFixture
let feed: Feed
let workers: Part[]
let producer: Service
const lines: string[] = []
/** Due runs, and their reports, by subscription id. */
let due: Pull[]
let staged: Map<string, BodyOf<typeof subscriptionsInternal.stagePull>>
let stored: Map<string, string>
let failed: Map<string, BodyOf<typeof subscriptionsInternal.failPull>>
/** Runs that belong to another worker. */
let lost: Set<string>

beforeAll(async () => {
  feed = await startFeed(() => {})
  fixture = await startServiceFixture()
  fixture.answer(subscriptionsInternal.claimPull, () => ({ pull: due.shift() ?? null }))
  fixture.answer(subscriptionsInternal.extendPull, ({ params }) => {
    if (lost.has(params.id)) throw new HttpError(409, 'lost')
    return DONE
  })
  fixture.answer(subscriptionsInternal.stagePull, ({ params, body }) => {
    if (lost.has(params.id)) throw new HttpError(409, 'lost')
    staged.set(params.id, body)
    return DONE
  })
  fixture.answer(subscriptionsInternal.storePull, ({ params, body }) => {
    stored.set(params.id, Buffer.from((body as Uint8Array | undefined) ?? []).toString())
    return { objects: 1 }
  })
  fixture.answer(subscriptionsInternal.failPull, ({ params, body }) => {
    failed.set(params.id, body)
    return DONE
  })
  due = []
  const config = readConfig(workersConfigSchema, {
    ...fixture.env,
    SMTP_URL: 'smtp://127.0.0.1:1',
    SUBSCRIPTIONS_ALLOW: feed.host,
    SUBSCRIPTIONS_CA: feed.ca,
  })
  const logger = createLogger('workers', 'debug', { write: line => void lines.push(line) })
  // Two workers: each run belongs to one of them.
  workers = [
    await createApp(config, { ...fixture.deps, logger }),
    await createApp(config, { ...fixture.deps, logger }),
  ]
  producer = await createService('producer', readConfig(serviceConfigSchema, fixture.env), fixture.deps)
})
afterAll(async () => {
  for (const each of workers ?? []) await each.close()
  await producer?.close()
  await feed?.stop()
  await fixture?.stop()
})
beforeEach(() => {
  staged = new Map()
  stored = new Map()
  failed = new Map()
  lost = new Set()
  feed.asked.length = 0
  feed.headers.length = 0
})

const objects: TaxiiObject[] = [1, 2, 3].map(n => ({
  raw: `{"id":"x-note--${n}", "n":1.0}`,
  added: `2026-01-01T00:00:0${n}Z`,
}))
const KEY = 'top-secret-key'
const run = async (more: Partial<Pull> = {}, kind: FeedKind = 'taxii'): Promise<Pull> => {
  const id = more.id ?? newId()
  const url = `${feed.url}api/collections/1/`
  const sealed = seal(
    fixture.env.SECRETS_KEY ?? '',
    feedSecretContext(id, url),
    JSON.stringify({ user: 'reader', key: KEY }),
  )
  const pull = { id, token: newId(), url, kind, sealed, public_key: null, cursor: null, ...more }
  due.push(pull)
  await producer.queues.add('subscriptions', {}, { removeOnComplete: true })
  return pull
}

it('pulls due feeds with their key, and delivers the objects with the cursor', async () => {
  feed.answer(taxiiCollection(objects))
  const pulls = await Promise.all([1, 2, 3].map(() => run()))
  for (const { id, token } of pulls) {
    await expect
      .poll(() => stored.get(id))
      .toBe(`{"type":"bundle","objects":[${objects.map(({ raw }) => raw).join(',')}]}`)
    expect(staged.get(id)).toEqual({
      token,
      cursor: JSON.stringify({ added_after: '2026-01-01T00:00:03.000000Z' }),
      skipped: { count: 0, listed: [] },
      more: false,
      withdrawn: [],
    })
  }
  const basic = `Basic ${Buffer.from(`reader:${KEY}`).toString('base64')}`
  expect(new Set(feed.headers.map(({ authorization }) => authorization))).toEqual(new Set([basic]))
  expect(lines.join('\n')).not.toContain(KEY)
  expect(lines.join('\n')).not.toContain(basic)
})

it('reports the reason of a failure without the key', async () => {
  feed.answer((_url, _request, response) => response.writeHead(401).end(`no ${KEY}`))
  const refused = await run()
  await expect
    .poll(() => failed.get(refused.id))
    .toEqual({
      token: refused.token,
      error: 'The feed refuses the user or the key',
      retry_ms: null,
    })
  feed.answer((_url, _request, response) => response.writeHead(429, { 'retry-after': '600' }).end())
  const later = await run()
  await expect.poll(() => failed.get(later.id)).toMatchObject({ retry_ms: 600_000 })
  // Sealed for another URL: the key is not sent.
  feed.asked.length = 0
  const moved = await run({
    sealed: seal(fixture.env.SECRETS_KEY ?? '', feedSecretContext('x', feed.url), '{}'),
  })
  await expect.poll(() => failed.get(moved.id)?.error).toContain('enter it again')
  const inside = await run({ url: 'https://127.0.0.1/', sealed: null })
  await expect.poll(() => failed.get(inside.id)?.error).toContain('not public')
  expect(feed.asked).toEqual([])
  const logged = [...lines, JSON.stringify([...failed.values()])].join('\n')
  expect(logged).not.toContain(KEY)
})

it('reports an unexpected error of a run and continues with the next', async () => {
  feed.answer(taxiiCollection(objects))
  const broken = { id: newId(), token: newId(), url: feed.url, kind: 'taxii' as const }
  due.push({ ...broken, sealed: null, public_key: null, cursor: 'no JSON' })
  const next = await run()
  await expect.poll(() => stored.has(next.id)).toBe(true)
  expect(failed.get(broken.id)).toEqual({
    token: broken.token,
    error: 'The feed could not be read: unexpected error',
    retry_ms: null,
  })
  expect(lines.some(line => line.includes(broken.id) && line.includes('SyntaxError'))).toBe(true)
})

it('stops a run that belongs to another worker', async () => {
  feed.answer(taxiiCollection(objects))
  const id = newId()
  lost.add(id)
  await run({ id })
  await expect.poll(() => feed.asked.length).toBeGreaterThan(0)
  const next = await run()
  await expect.poll(() => stored.has(next.id)).toBe(true)
  expect([staged.has(id), stored.has(id), failed.has(id)]).toEqual([false, false, false])
})
