import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Campaign,
  campaignsApi,
  importsApi,
  iodsApi,
  profileApi,
  rankOfTlp,
  type Subscription,
  sealsApi,
  subscriptionsApi,
  TLP_LEVELS,
  type Tlp,
} from '@iodine/contracts'
import { iodInput, NO_LIMITS, runs, type SignedInUser } from '@iodine/test-kit'
import {
  type Feed,
  type FeedScript,
  startFeed,
  type TaxiiObject,
  taxiiCollection,
} from '@iodine/test-kit/feed'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { type SpawnedPart, spawnPart } from './spawned.js'

/** The publishing product, and the subscribing one. */
let there: TestApp
let here: TestApp
let ana: SignedInUser
let boss: SignedInUser
/** Terminates TLS in front of the publishing product, or simulates a feed. */
let feed: Feed

/** Forwards a request to the publishing product. */
const proxy: FeedScript = (_url, request, response) => {
  const { host: _, ...headers } = request.headers
  const onward = httpRequest(`${there.url}${request.url}`, { headers, method: request.method }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  onward.end()
}

beforeAll(async () => {
  feed = await startFeed(proxy)
  there = await startTestApp({ env: NO_LIMITS })
  here = await startTestApp({
    env: {
      ...NO_LIMITS,
      ADMIN_EMAILS: 'boss@example.org',
      SUBSCRIPTIONS_ALLOW: feed.host,
      SUBSCRIPTIONS_CA: feed.ca,
    },
  })
  ana = await there.signUp()
  boss = await here.signUp('boss@example.org')
}, 360_000)
afterAll(async () => {
  await feed?.stop()
  await here?.stop()
  await there?.stop()
})
beforeEach(() => feed.answer(proxy))

const until = (what: () => Promise<unknown>) => expect.poll(what, { timeout: 120_000, interval: 200 })
const newCampaign = (of: SignedInUser, name: string): Promise<Campaign> =>
  of.api.call(campaignsApi.createCampaign, { body: { name } })
const addTo = async ({ id }: Campaign, value: string) => {
  const iod = await ana.api.call(iodsApi.createIod, { body: iodInput({ category: 'URL', value }) })
  await ana.api.call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod.id } })
  return iod.id
}
const share = ({ id }: Campaign, body: { published?: boolean; tlp?: Tlp }) =>
  ana.api.call(campaignsApi.updateSharing, { params: { id }, body })
const feedOf = async ({ id }: Campaign) =>
  (await ana.api.call(campaignsApi.getSharing, { params: { id } })).feed
/** Publishes a campaign. @returns the URL of its TAXII collection */
const publish = async (campaign: Campaign) => {
  await share(campaign, { published: true })
  await until(async () => (await feedOf(campaign))?.state).toBe('published')
  return `${feed.url}taxii2/iodine/collections/${(await feedOf(campaign))?.collection}/`
}
const newKey = async (tlp: 'clear' | 'green' | 'amber' = 'amber') =>
  (await ana.api.call(profileApi.createFeedKey, { body: { label: 'Copy', tlp } })).key
const subscribe = (campaign: Campaign, url: string, kind: 'taxii' | 'misp', more = {}) =>
  boss.api.call(subscriptionsApi.createSubscription, {
    body: { url, kind, campaign_id: campaign.id, every: 10_080, ...more },
  })
const look = async (id: string) =>
  (await boss.api.call(subscriptionsApi.listSubscriptions)).find(each => each.id === id) as Subscription
/** Waits until a run that started after `since` has ended. */
const ranSince = async (id: string, since = 0) => {
  await until(async () => {
    const { state, last } = await look(id)
    return state === 'waiting' && last !== null && Date.parse(last.at) > since
  }).toBe(true)
  return look(id)
}
const pullNow = async (id: string) => {
  const { last } = await look(id)
  await boss.api.call(subscriptionsApi.runSubscription, { params: { id } })
  return ranSince(id, Date.parse(last?.at ?? ''))
}
const exportOf = async (app: TestApp, { token }: SignedInUser, { id }: Campaign, format = 'stix') => {
  const answer = await fetch(`${app.url}/api/v1/campaigns/${id}/export?format=${format}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.text()
}
const membersOf = async ({ id }: Campaign) => {
  const { iods } = await boss.api.call(campaignsApi.getCampaign, { params: { id } })
  return iods.map(({ value }) => value).sort()
}
/** Reads all objects of a served collection. */
const served = async (url: string, key: string) => {
  const path = url.replace(feed.url, `${there.url}/`)
  const answer = await fetch(`${path}objects/?limit=1000`, { headers: { authorization: `Bearer ${key}` } })
  return answer.text()
}

it('a subscriber has the published objects unchanged, once, until they are withdrawn', async () => {
  const campaign = await newCampaign(ana, 'Lake')
  const values = ['https://example.org/lake/1', 'https://example.org/lake/2']
  for (const value of values) await addTo(campaign, value)
  const url = await publish(campaign)
  const key = await newKey()
  const copy = await newCampaign(boss, 'Copied')
  const made = await subscribe(copy, url, 'taxii', { secret: { user: 'reader', key } })
  const first = await ranSince(made.id)
  expect(first.last).toMatchObject({ error: null, iods: 2 })
  expect(await membersOf(copy)).toEqual(values)

  const envelope = await served(url, key)
  const objects = (JSON.parse(envelope) as { objects: { id: string; type: string }[] }).objects
  expect(first.kept).toBe(objects.length)
  const text = await exportOf(here, boss, copy)
  // Each object is preserved unchanged.
  for (const object of objects) {
    const raw = JSON.stringify(object)
    expect(envelope).toContain(raw)
    expect(text).toContain(raw)
  }

  expect((await pullNow(made.id)).last).toMatchObject({ error: null, objects: 0 })
  await share(campaign, { published: false })
  await until(async () => (await feedOf(campaign))?.state).toBe('withdrawn')
  expect((await pullNow(made.id)).last?.error).toBeNull()
  expect(await membersOf(copy)).toEqual([])
  expect(await exportOf(here, boss, copy)).toContain('"revoked":true')
}, 180_000)

it('a subscriber has the events of a signed MISP feed until they are withdrawn', {
  tags: 'long',
  timeout: 180_000,
}, async () => {
  const campaign = await newCampaign(ana, 'Forest')
  const values = ['https://example.org/forest/1', 'https://example.org/forest/2']
  for (const value of values) await addTo(campaign, value)
  await publish(campaign)
  const [seal] = await there.api.call(sealsApi.getSealKeys)
  const secret = { user: '', key: await newKey() }
  const copy = await newCampaign(boss, 'Copied events')
  const url = `${feed.url}feeds/misp/`
  const made = await subscribe(copy, url, 'misp', { secret, public_key: seal?.public_key })
  const first = await ranSince(made.id)
  expect(first.last).toMatchObject({ error: null, iods: 2 })
  expect(await membersOf(copy)).toEqual(values)
  const text = await exportOf(here, boss, copy, 'misp')
  for (const value of values) expect(text.split(value).length).toBe(2)
  expect((await pullNow(made.id)).last).toMatchObject({ error: null, objects: 0 })

  const wrong = await subscribe(await newCampaign(boss, 'Wrong key'), url, 'misp', {
    secret,
    public_key: (await here.api.call(sealsApi.getSealKeys))[0]?.public_key,
  })
  expect((await ranSince(wrong.id)).last?.error).toContain('not signed with the key')

  await share(campaign, { published: false })
  await until(async () => (await feedOf(campaign))?.state).toBe('withdrawn')
  await pullNow(made.id)
  expect(await membersOf(copy)).toEqual([])
})

it('no TLP level is lowered between publisher and subscriber', {
  tags: 'long',
  timeout: 180_000,
}, async () => {
  const levels = TLP_LEVELS.filter(level => level !== 'red')
  for (let round = 0; round < runs(levels.length); round++) {
    const level = levels[round % levels.length] as Tlp
    const campaign = await newCampaign(ana, `Level ${round}`)
    await addTo(campaign, `https://example.org/level/${round}/${level}`)
    await share(campaign, { tlp: level })
    const { tlp: published } = await share(campaign, { published: true })
    await until(async () => (await feedOf(campaign))?.state).toBe('published')
    const url = `${feed.url}taxii2/iodine/collections/${(await feedOf(campaign))?.collection}/`
    const copy = await newCampaign(boss, `Copy of level ${round}`)
    const made = await subscribe(copy, url, 'taxii', { secret: { user: '', key: await newKey('amber') } })
    const { last, kept } = await ranSince(made.id)
    // Objects above the level of the key are not readable.
    if (kept === 0) {
      expect(rankOfTlp(published)).toBeGreaterThan(rankOfTlp('amber'))
      continue
    }
    expect(last?.error).toBeNull()
    const { tlp, least } = await boss.api.call(campaignsApi.getSharing, { params: { id: copy.id } })
    expect([published, rankOfTlp(least)]).toEqual([published, rankOfTlp(published)])
    expect(rankOfTlp(tlp)).toBeGreaterThanOrEqual(rankOfTlp(published))
    const lower = levels.filter(each => rankOfTlp(each) < rankOfTlp(published)).at(-1)
    if (lower) {
      const body = { tlp: lower }
      const lowering = boss.api.call(campaignsApi.updateSharing, { params: { id: copy.id }, body })
      await expect(lowering).rejects.toMatchObject({ status: 409 })
    }
  }
})

it('a worker killed during a pull neither loses nor duplicates objects', {
  tags: 'long',
  timeout: 360_000,
}, async () => {
  const objects: TaxiiObject[] = Array.from({ length: 400 }, (_, n) => ({
    raw:
      n % 10 === 0
        ? `{"type":"indicator","id":"indicator--00000000-0000-4000-8000-${String(n).padStart(12, '0')}","modified":"2026-01-01T00:00:00Z","x":1.0,"pattern_type":"stix","pattern":"[url:value = 'https://example.org/killed/${n}']"}`
        : `{"type":"x-note","id":"x-note--00000000-0000-4000-8000-${String(n).padStart(12, '0')}","x":9007199254740993}`,
    added: `2026-01-01T00:00:00.${String(n).padStart(6, '0')}Z`,
  }))
  const collection = taxiiCollection(objects, { page: 10 })
  let pages = 0
  feed.answer(async (url, request, response) => {
    pages++
    await sleep(50)
    collection(url, request, response)
  })
  const worker: SpawnedPart = await spawnPart(here, 'workers')
  await worker.start()
  const copy = await newCampaign(boss, 'Killed')
  const made = await subscribe(copy, `${feed.url}killed/`, 'taxii')
  for (let kill = 0; kill < runs(1); kill++) {
    const before = pages
    await until(async () => pages).toBeGreaterThan(before + 3)
    await worker.kill()
    await worker.start()
  }
  const { last, kept } = await ranSince(made.id)
  await worker.kill()
  expect(last).toMatchObject({ error: null, objects: objects.length, iods: 40 })
  expect(kept).toBe(objects.length)
  const text = await exportOf(here, boss, copy)
  expect(objects.filter(({ raw }) => text.split(raw).length !== 2)).toEqual([])
  const { imports } = await boss.api.call(importsApi.getKept, { params: { id: copy.id } })
  expect(imports).toHaveLength(1)
  expect(await membersOf(copy)).toHaveLength(40)
})
