import {
  atomFeeds,
  authInternal,
  type BodyOf,
  DONE,
  keysInternal,
  LIMITS,
  mailsInternal,
  notificationsApi,
  notificationsInternal,
  secretsInternal,
} from '@iodine/contracts'
import { type FixtureUser, newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { nextDigest } from '../src/channels/policies/digest-time.js'
import { commentCreated, startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser
let bo: FixtureUser
let mails: BodyOf<typeof mailsInternal.mailNotifications>[]
beforeAll(async () => {
  server = await startTestServer()
  server.fixture.answer(mailsInternal.mailNotifications, ({ body }) => {
    mails.push(body)
    return DONE
  })
})
afterAll(() => server?.fixture.stop())
beforeEach(async () => {
  mails = []
  ;[ana, bo] = [await server.fixture.user('ana'), await server.fixture.user('bo')]
})

const watchIod = async (user: FixtureUser): Promise<string> => {
  const subject_id = newId()
  await server.as(user).send('POST', '/watches', { kind: 'iod', subject_id })
  return subject_id
}
const settings = (body: BodyOf<typeof notificationsApi.updateSettings>) =>
  server.as(ana).call(notificationsApi.updateSettings, { body })
const setWebhook = (url = 'https://hooks.example.org/x') =>
  server.as(ana).call(notificationsApi.setWebhook, { body: { url } })
const deliveriesOf = async ({ id }: FixtureUser) =>
  (await server.service.mongo.models.Delivery?.find({ user_id: id }).lean<
    { _id: unknown; tries: number }[]
  >()) ?? []
const finish = (id: string, error: string | null) =>
  server.fixture.internal(notificationsInternal.finishDelivery, { params: { id }, body: { error } })

it('computes digests at 07:00 of the zone, also across changes of its clock', () => {
  const at = (mode: 'daily' | 'weekly', zone: string, now: string) =>
    nextDigest(mode, zone, new Date(now))?.toISOString()
  expect(at('daily', 'Europe/Paris', '2026-10-24T06:00:00Z')).toBe('2026-10-25T06:00:00.000Z')
  expect(at('daily', 'Europe/Paris', '2026-03-28T07:00:00Z')).toBe('2026-03-29T05:00:00.000Z')
  expect(at('daily', 'Asia/Kolkata', '2026-11-27T01:29:59Z')).toBe('2026-11-27T01:30:00.000Z')
  expect(at('weekly', 'UTC', '2026-11-27T12:00:00Z')).toBe('2026-11-30T07:00:00.000Z')
  expect(at('weekly', 'UTC', '2026-11-30T07:00:00Z')).toBe('2026-12-07T07:00:00.000Z')
  expect(nextDigest('off', 'UTC', new Date())).toBeNull()
})

it('has settings with defaults, and refuses unknown zones and modes', async () => {
  expect(await server.as(ana).call(notificationsApi.getSettings)).toEqual({
    replies: true,
    mail: 'off',
    time_zone: 'UTC',
    webhook: null,
  })
  expect(await settings({ mail: 'weekly', time_zone: 'Asia/Tokyo' })).toMatchObject({
    mail: 'weekly',
    time_zone: 'Asia/Tokyo',
  })
  const patch = (body: unknown) => server.as(ana).send('PATCH', '/notifications/settings', body)
  for (const body of [{ time_zone: 'Mars/Olympus' }, { time_zone: '' }, { mail: 'hourly' }, { colour: 1 }])
    expect((await patch(body)).status).toBe(422)
})

it('mails a digest of what is unread, once, without titles, until it is unsubscribed', async () => {
  await settings({ mail: 'daily' })
  const id = await watchIod(ana)
  await server.publish(commentCreated(bo, id), commentCreated(bo, id))
  const { Person } = server.service.mongo.models
  const due = () => Person?.updateOne({ _id: ana.id }, { digest_at: new Date(Date.now() - 1) })
  await due()
  await server.service.tasks.run('digests')
  await expect.poll(() => mails.length).toBe(1)
  const [mail] = mails
  expect(mail).toMatchObject({
    user_id: ana.id,
    items: [
      {
        text: '2 new comments on what you watch',
        path: expect.stringMatching(`/dashboard/iods/${id}\\?comment=`),
      },
    ],
    more: 0,
  })
  expect(JSON.stringify(mail)).not.toContain('stolen election')
  // The next digest contains only later notifications: without one, there is no mail.
  const mailed = async () =>
    (await Person?.findById(ana.id).lean<{ mailed_at: Date }>())?.mailed_at.getTime() ?? 0
  const before = await mailed()
  await due()
  await server.service.tasks.run('digests')
  await expect.poll(mailed).toBeGreaterThan(before)
  expect(mails).toHaveLength(1)

  const unsubscribe = (token: string) =>
    fetch(`${server.url}/api/v1/notifications/unsubscribe/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
  expect((await unsubscribe('wrong')).status).toBe(404)
  expect((await unsubscribe(mail?.unsubscribe ?? '')).status).toBe(200)
  expect(await server.as(ana).call(notificationsApi.getSettings)).toMatchObject({ mail: 'off' })
})

it('mails at once, and repeats a mail that auth did not receive', { tags: 'long' }, async () => {
  server.fixture.answer(mailsInternal.mailNotifications, ({ body }) => {
    mails.push(body)
    if (mails.length === 1) throw new Error('down')
    return DONE
  })
  await settings({ mail: 'at_once' })
  await server.publish(commentCreated(bo, await watchIod(ana)))
  await expect.poll(() => mails.length).toBe(2)
  expect(mails[0]).toEqual(mails[1])
})

it('sets a webhook, shows its secret once, and refuses private and plain addresses', async () => {
  const { secret, ...webhook } = await setWebhook()
  expect(secret).toMatch(/^whsec_[\w+/]+=*$/)
  expect(webhook).toMatchObject({ enabled: true, failures: 0, last: null })
  const shown = await server.as(ana).call(notificationsApi.getSettings)
  expect(shown.webhook).toEqual(webhook)
  expect(JSON.stringify(shown)).not.toContain(secret)
  for (const url of ['http://example.org/', 'https://u:p@example.org/', 'ftp://example.org', '', 'x'])
    expect([url, (await server.as(ana).send('PUT', '/notifications/webhook', { url })).status]).toEqual([
      url,
      422,
    ])
  expect((await server.as(bo).send('POST', '/notifications/webhook/test', {})).status).toBe(404)
  await server.as(ana).call(notificationsApi.deleteWebhook)
  expect((await server.as(ana).call(notificationsApi.getSettings)).webhook).toBeNull()
})

it('delivers new notifications, retries failed ones, and disables a webhook that always fails', async () => {
  await setWebhook()
  const id = await watchIod(ana)
  const amber = await watchIod(ana)
  await server.publish(commentCreated(bo, id), commentCreated(bo, amber, { tlp: 'amber' }))
  const pending = await deliveriesOf(ana)
  expect(pending).toHaveLength(2)
  const read = async (_id: unknown) =>
    server.fixture.internal(notificationsInternal.getDelivery, { params: { id: String(_id) } })
  const payloads = await Promise.all(pending.map(async ({ _id }) => JSON.parse((await read(_id)).payload)))
  expect(payloads.map(({ data }) => data.subject.title).sort()).toEqual(['', 'stolen election'])
  expect(payloads[0]).toMatchObject({ type: 'notification.created', data: { kind: 'comment', count: 1 } })

  const [first, second] = pending.map(({ _id }) => String(_id)) as [string, string]
  await finish(first, null)
  await finish(first, null)
  await expect(read(first)).rejects.toMatchObject({ status: 404 })
  for (let tries = 1; tries < LIMITS.webhookTries; tries++) {
    await finish(second, 'The webhook answered with status 500')
    expect(await deliveriesOf(ana)).toMatchObject([{ tries }])
  }
  await finish(second, 'The webhook answered with status 500')
  expect(await deliveriesOf(ana)).toEqual([])
  const webhookOf = async () => (await server.as(ana).call(notificationsApi.getSettings)).webhook
  expect(await webhookOf()).toMatchObject({
    failures: 5,
    last: { error: 'The webhook answered with status 500' },
  })

  await server.service.mongo.models.Person?.updateOne(
    { _id: ana.id },
    { 'webhook.failures': LIMITS.webhookFailuresMax - 1 },
  )
  await server.as(ana).call(notificationsApi.testWebhook)
  const [test] = await deliveriesOf(ana)
  await finish(String(test?._id), 'The response took too long')
  expect(await webhookOf()).toMatchObject({ enabled: false })
  expect((await server.notificationsOf(ana))[0]).toMatchObject({
    kind: 'webhook_off',
    subject: { kind: 'webhook' },
  })
  await server.publish(commentCreated(bo, await watchIod(ana)))
  expect(await deliveriesOf(ana)).toEqual([])
})

it('counts and reseals the secrets', async () => {
  server.fixture.answer(authInternal.sealFeedSecret, () => ({ sealed: '0123456789.old' }))
  await setWebhook()
  const counts = () => server.fixture.internal(secretsInternal.countSealed)
  expect(await counts()).toContainEqual({ kind: 'webhook_secrets', key: '0123456789', count: 1 })
  server.fixture.answer(keysInternal.resealFeedSecrets, ({ body }) =>
    body.values.map(({ sealed }) => sealed.replace('0123456789.', 'abcdef0123.')),
  )
  await server.service.tasks.run('secrets')
  expect(await counts()).toContainEqual({ kind: 'webhook_secrets', key: 'abcdef0123', count: 1 })
})

it('serves a feed of the notifications up to the level of the key', async () => {
  await server.publish(
    commentCreated(bo, await watchIod(ana)),
    commentCreated(bo, await watchIod(ana), {
      subject: { kind: 'iod', id: newId(), title: '<b>x</b> & y' },
      mentions: [ana.id],
      tlp: 'amber',
    }),
  )
  const read = async (tlp: 'green' | 'amber', etag?: string) =>
    fetch(`${server.url}${atomFeeds.getNotificationFeed.path}`, {
      headers: {
        authorization: `Bearer ${await server.fixture.token({ id: ana.id, scope: 'feed', tlp })}`,
        ...(etag && { 'if-none-match': etag }),
      },
    })
  const answer = await read('green')
  expect(answer.headers.get('content-type')).toContain('application/atom+xml')
  const xml = await answer.text()
  expect(xml.match(/<entry>/g)).toHaveLength(2)
  expect(xml).toContain('A new comment on what you watch: stolen election')
  expect(xml).not.toContain('mentioned in a comment: ')
  // Titles are HTML in this feed: a hostile one is text.
  expect(await (await read('amber')).text()).toContain(
    '<title type="html"><![CDATA[You are mentioned in a comment: &lt;b>x&lt;/b> &amp; y]]></title>',
  )
  expect((await read('green', answer.headers.get('etag') ?? '')).status).toBe(304)
  const session = { headers: { authorization: `Bearer ${ana.token}` } }
  expect((await fetch(`${server.url}${atomFeeds.getNotificationFeed.path}`, session)).status).toBe(403)
})
