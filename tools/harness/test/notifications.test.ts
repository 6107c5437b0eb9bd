import {
  campaignsApi,
  collectorApi,
  importsApi,
  iodCommentsApi,
  iodsApi,
  LIMITS,
  notificationsApi,
  paths,
  profileApi,
  watchesApi,
} from '@iodine/contracts'
import { iodInput, newId, type SignedInUser, startTestRedis, telegramPost } from '@iodine/test-kit'
import { afterAll, beforeAll, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { QUOTA_IODS_A_DAY: '1000' } })
})
afterAll(() => app?.stop())

const listOf = ({ api }: SignedInUser) =>
  api.call(notificationsApi.listNotifications, { query: { limit: '100' } })

// A mail waits five seconds for further events, and an outage takes a minute: meanwhile, the other tests run.
it.concurrent('notifies of a comment with a mention by the bell, a mail and a feed, each with a link to it', async ({
  expect,
}) => {
  const [ana, bo] = [await app.signUp(undefined, `ana_${Date.now() % 1e8}`), await app.signUp()]
  await ana.api.call(notificationsApi.updateSettings, { body: { mail: 'at_once' } })
  const { username } = await ana.api.call(profileApi.getProfile)
  const iod = await bo.api.call(iodsApi.createIod, { body: iodInput() })
  const comment = await bo.api.call(iodCommentsApi.createComment, {
    params: { id: iod.id },
    body: { content: `@${username}, look` },
  })
  await expect
    .poll(() => listOf(ana))
    .toMatchObject([
      { kind: 'mention', subject: { kind: 'iod', id: iod.id, title: iod.value }, comment_id: comment.id },
    ])
  const path = paths.iod(iod.id, { comment: comment.id })
  const mail = await app.mail.waitForMail(ana.email)
  expect(mail.text).toContain(path)
  expect(mail.raw).not.toContain(iod.value)
  expect(mail.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const [, unsubscribe = ''] =
    /^List-Unsubscribe: <\S*(\/api\/v1\/\S+)>/m.exec(mail.raw.replace(/\r?\n[ \t]+/g, ' ')) ?? []
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const oneClick = { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' }
  expect((await fetch(app.url + unsubscribe, oneClick)).status).toBe(200)
  expect(await ana.api.call(notificationsApi.getSettings)).toMatchObject({ mail: 'off' })
  const { key } = await ana.api.call(profileApi.createFeedKey, {
    body: { label: 'Reader', tlp: 'green', reads: 'notifications' },
  })
  const feed = await fetch(`${app.url}/atom/notifications`, {
    headers: { authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` },
  })
  expect(await feed.text()).toContain(path.replace('&', '&amp;'))
})

it.concurrent('notifies of shared records, votes and changed campaigns, and of nothing unshared', async ({
  expect,
}) => {
  const [ana, bo] = [await app.signUp(), await app.signUp()]
  const mark = `Zeuge ${newId()}`
  await ana.api.call(watchesApi.createWatch, { body: { kind: 'term', text: mark } })
  const { results } = await bo.api.call(collectorApi.ingestRecords, {
    params: { source: 'telegram' },
    body: { records: [telegramPost({ description: `Hier sagt ${mark} es` })] },
  })
  const campaign = await bo.api.call(campaignsApi.createCampaign, { body: { name: 'Storm' } })
  await ana.api.call(watchesApi.createWatch, { body: { kind: 'campaign', subject_id: campaign.id } })
  // A user is not notified of their own change.
  await ana.api.call(campaignsApi.addTechnique, { params: { id: campaign.id, tid: 'T0023' } })
  await bo.api.call(campaignsApi.updateCampaign, { params: { id: campaign.id }, body: { name: 'Storm 2' } })
  await expect
    .poll(() => listOf(ana))
    .toMatchObject([{ kind: 'campaign', subject: { title: 'Storm 2' }, actor: { id: bo.id } }])
  const ids = (results as { id: string }[]).map(({ id }) => id)
  await bo.api.call(collectorApi.shareRecords, {
    params: { source: 'telegram' },
    body: { ids, shared: true, as: 'anonymous' },
  })
  await expect
    .poll(() => listOf(ana))
    .toMatchObject([
      { kind: 'records', actor: null },
      { kind: 'campaign', count: 1 },
    ])
})

it.concurrent('notifies once of an import of 1,000 IODs, with their number', { tags: 'long' }, async ({
  expect,
}) => {
  const [ana, bo] = [await app.signUp(), await app.signUp()]
  const mark = `m${newId()}`
  await ana.api.call(watchesApi.createWatch, { body: { kind: 'search', search: { q: mark } } })
  const objects = Array.from({ length: 1_000 }, (_, n) => ({
    type: 'indicator',
    id: `indicator--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    modified: '2026-01-01T00:00:00Z',
    pattern_type: 'stix',
    pattern: `[url:value = 'https://example.org/${mark}/${n}']`,
  }))
  const campaign = await bo.api.call(campaignsApi.createCampaign, { body: { name: 'Many' } })
  const { id } = await bo.api.call(importsApi.createImport, {
    query: { campaign_id: campaign.id, format: 'stix' },
    body: new TextEncoder().encode(JSON.stringify({ type: 'bundle', objects })),
  })
  const state = async () => (await bo.api.call(importsApi.getImport, { params: { id } })).state
  await expect.poll(state, { timeout: 60_000 }).toBe('planned')
  await bo.api.call(importsApi.applyImport, { params: { id }, body: {} })
  await expect
    .poll(() => listOf(ana), { timeout: 60_000 })
    .toMatchObject([{ kind: 'iod', subject: { kind: 'search' }, count: 1_000 }])
})

it.concurrent('notifies of a watched text in other words in a shared record', { tags: 'long' }, async ({
  expect,
}) => {
  const [ana, bo] = [await app.signUp(), await app.signUp()]
  await ana.api.call(watchesApi.createWatch, {
    body: {
      kind: 'text',
      text: 'The government secretly replaced the ballots in the northern districts before the election',
    },
  })
  const description =
    'Before the election, ballots in northern districts were secretly replaced by the government, says a witness'
  const { results } = await bo.api.call(collectorApi.ingestRecords, {
    params: { source: 'telegram' },
    body: { records: [telegramPost({ description })] },
  })
  const ids = (results as { id: string }[]).map(({ id }) => id)
  await bo.api.call(collectorApi.shareRecords, {
    params: { source: 'telegram' },
    body: { ids, shared: true, as: 'username' },
  })
  await expect.poll(() => listOf(ana)).toMatchObject([{ kind: 'records', count: 1, actor: { id: bo.id } }])
})

it.concurrent('keeps the events of an outage of Redis', { tags: 'long', timeout: 300_000 }, async ({
  expect,
}) => {
  const redis = await startTestRedis()
  const own = await startTestApp({ env: { REDIS_URL: redis.url, LOG_LEVEL: 'silent' } })
  try {
    const [ana, bo] = [await own.signUp(), await own.signUp()]
    const mark = `mark${newId()}`
    await ana.api.call(watchesApi.createWatch, { body: { kind: 'search', search: { q: mark } } })
    await redis.stop()
    const until = Date.now() + 60_000
    let made = 0
    while (Date.now() < until) {
      await bo.api.call(iodsApi.createIod, { body: iodInput({ value: `${mark} ${made}` }) })
      made++
      await new Promise(resolve => setTimeout(resolve, 500))
    }
    const counted = async () => (await listOf(ana)).reduce((sum, { count }) => sum + count, 0)
    await expect.poll(counted, { timeout: 60_000 }).toBe(made)
  } finally {
    await own.stop()
    await redis.stop()
  }
})

it.concurrent('answers a script without end by 413 and 429 with a sentence, while others continue', {
  tags: 'long',
  timeout: 600_000,
}, async ({ expect }) => {
  const own = await startTestApp({ env: { RATE_LIMITS: 'on', LOG_LEVEL: 'silent' } })
  try {
    const [script, other] = [await own.signUp(), await own.signUp()]
    const iod = await other.api.call(iodsApi.createIod, { body: iodInput() })
    const statuses = new Set<number>()
    for (let n = 0; n <= LIMITS.commentsAnHour; n++) {
      const body = { content: `Comment ${n}` }
      const answer = await script.api.send('POST', `/iods/${iod.id}/comments`, body)
      statuses.add(answer.status)
      if (answer.status === 429) expect(answer.body).toEqual({ detail: expect.any(String) })
    }
    expect(statuses).toEqual(new Set([201, 429]))
    const watching = new Set<number>()
    for (let n = 0; n <= LIMITS.watchesMax; n++)
      watching.add((await script.api.send('POST', '/watches', { kind: 'term', text: `term ${n}` })).status)
    expect(watching).toEqual(new Set([201, 413]))
    expect(await other.api.call(notificationsApi.getUnread)).toEqual({ unread: 0, latest: null })
    expect(
      (await other.api.send('POST', `/iods/${iod.id}/comments`, { content: 'Another member writes' })).status,
    ).toBe(201)
  } finally {
    await own.stop()
  }
})
