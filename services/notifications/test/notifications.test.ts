import {
  LIMITS,
  notificationsApi,
  notificationsInternal,
  personalDataInternal,
  watchesApi,
} from '@iodine/contracts'
import { type FixtureUser, newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { commentCreated, iodCreated, recordOf, startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser
let bo: FixtureUser
let eva: FixtureUser
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.fixture.stop())
beforeEach(async () => {
  const { fixture } = server
  ;[ana, bo, eva] = [await fixture.user('ana'), await fixture.user('bo'), await fixture.user('eva')]
})

const add = async (user: FixtureUser, body: object): Promise<string> => {
  const answer = await server.as(user).send('POST', '/watches', body)
  expect([body, answer.status]).toEqual([body, 201])
  return (answer.body as { id: string }).id
}
const search = (user: FixtureUser, filters: object) => add(user, { kind: 'search', search: filters })

it('notifies of IODs that match a search, as the list finds them, in one notification with a count', async () => {
  const word = `w${newId()}`
  const id = await search(ana, { q: `X${word}y`, category: ['KEYWORDS', 'TITLE'] })
  await search(eva, { q: word, source_type: ['BLOG'] })
  const matching = iodCreated(bo, { value: `before x${word}Y after` })
  const refanged = iodCreated(bo, { value: 'other', description: `it is x${word}y`, category: 'TITLE' })
  await server.publish(matching, refanged, iodCreated(bo, { value: `x${word}z` }))
  await server.publish(iodCreated(bo, { value: `x${word}y`, category: 'URL' }))
  const [notification, ...others] = await server.notificationsOf(ana)
  expect(others).toEqual([])
  expect(notification).toMatchObject({
    watch_id: id,
    kind: 'iod',
    subject: { kind: 'search', id },
    actor: { id: bo.id, username: 'bo' },
    read_at: null,
    count: 2,
  })
  expect(await server.notificationsOf(eva)).toEqual([])
})

it('finds searches by each kind of condition, and none that does not match', async () => {
  const source = `https://example.org/${newId()}`
  await search(ana, { source, category: ['KEYWORDS'] })
  await search(bo, { created_by: ['eva'] })
  await server.publish(
    iodCreated(eva, { source, category: 'URL' }),
    iodCreated(eva, { source: `${source}/other` }),
  )
  expect(await server.notificationsOf(ana)).toEqual([])
  await server.publish(iodCreated(ana, { source }), iodCreated(eva, { source }))
  // Own IODs do not notify.
  expect(await server.notificationsOf(ana)).toMatchObject([{ count: 1 }])
  expect(await server.notificationsOf(bo)).toMatchObject([{ count: 3 }])
})

it('notifies once for a repeated event, also under concurrency', async () => {
  const id = newId()
  await add(ana, { kind: 'iod', subject_id: id })
  const events = [commentCreated(bo, id), commentCreated(bo, id)]
  await Promise.all(Array.from({ length: 5 }, () => server.publish(...events)))
  await server.publish(...events)
  expect(await server.notificationsOf(ana)).toMatchObject([
    { kind: 'comment', count: 2, comment_id: events[1]?.id },
  ])
})

it('begins a new notification after an hour, and keeps no other user’s', async () => {
  const id = newId()
  await add(ana, { kind: 'iod', subject_id: id })
  await server.publish(commentCreated(bo, id))
  const models = server.service.mongo.models
  await models.Notification?.updateMany({ user_id: ana.id }, { first_at: new Date(Date.now() - 3_600_001) })
  await server.publish(commentCreated(bo, id), commentCreated(eva, id))
  expect((await server.notificationsOf(ana)).map(({ count }) => count)).toEqual([2, 1])
  expect(await server.notificationsOf(bo)).toEqual([])
})

it('prefers a mention to a reply to a watch, and respects the switch', async () => {
  const id = newId()
  await add(ana, { kind: 'iod', subject_id: id })
  await server.publish(commentCreated(bo, id, { replied_to: ana.id, mentions: [ana.id, eva.id, bo.id] }))
  expect(await server.notificationsOf(ana)).toMatchObject([{ kind: 'mention', watch_id: null }])
  expect(await server.notificationsOf(eva)).toMatchObject([{ kind: 'mention', subject: { kind: 'iod', id } }])
  expect(await server.notificationsOf(bo)).toEqual([])
  await server.as(eva).call(notificationsApi.updateSettings, { body: { replies: false } })
  await server.publish(commentCreated(bo, id, { mentions: [eva.id] }))
  expect(await server.notificationsOf(eva)).toMatchObject([{ count: 1 }])
  await server.publish(commentCreated(bo, id, { replied_to: ana.id }))
  expect(await server.notificationsOf(ana)).toMatchObject([
    { kind: 'reply' },
    // Of the comment that mentions others.
    { kind: 'comment' },
    { kind: 'mention' },
  ])
})

it('notifies of votes and changed campaigns, unless the watch is paused', async () => {
  const [iod, campaign] = [newId(), newId()]
  await add(ana, { kind: 'iod', subject_id: iod })
  const watch = await add(ana, { kind: 'campaign', subject_id: campaign })
  const at = new Date().toISOString()
  const changed = {
    type: 'campaign.changed',
    id: campaign,
    name: 'Storm',
    user_id: null,
    tlp: 'green',
    at,
  } as const
  await server.publish(
    { type: 'iod.voted', id: iod, value: 'v', positive: 3, negative: 1, tlp: null, at },
    changed,
  )
  expect(await server.notificationsOf(ana)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'votes', votes: { positive: 3, negative: 1 }, actor: null }),
      expect.objectContaining({
        kind: 'campaign',
        subject: { kind: 'campaign', id: campaign, title: 'Storm' },
      }),
    ]),
  )
  await server.as(ana).call(watchesApi.updateWatch, { params: { id: watch }, body: { paused: true } })
  await server.publish({ ...changed, at: new Date(Date.now() + 1).toISOString() })
  expect((await server.notificationsOf(ana)).map(({ count }) => count)).toEqual([1, 1])
})

it('finds terms, URLs and texts in own records, and in those of others once they are shared', async () => {
  const term = `Wort ${newId()}`
  for (const user of [ana, bo]) await add(user, { kind: 'term', text: term })
  const link = `https://example.org/${newId()}`
  await add(bo, { kind: 'url', text: `${link}?utm_source=x` })
  const record = recordOf(`Es sagt: „${term.toUpperCase()}“ im Text`)
  await server.records(ana, record, recordOf(`${term}ein`), recordOf('none', { links: [link] }))
  expect(await server.notificationsOf(ana)).toMatchObject([
    { kind: 'records', subject: { kind: 'records', title: term }, actor: null, count: 1 },
  ])
  expect(await server.notificationsOf(bo)).toEqual([])
  await server.records(ana, { ...record, shared: 'anonymous' })
  expect(await server.notificationsOf(bo)).toMatchObject([{ kind: 'records', actor: null, count: 1 }])
  await server.records(
    ana,
    { ...record, shared: 'anonymous' },
    recordOf('x', { links: [link], shared: 'username' }),
  )
  expect(await server.notificationsOf(bo)).toMatchObject([
    { actor: { id: ana.id }, count: 1 },
    { actor: null, count: 1 },
  ])
  expect(await server.notificationsOf(ana)).toMatchObject([{ count: 1 }])
})

it('knows the records of a user who watched nothing when they were stored', async () => {
  const term = `Wort ${newId()}`
  const known = recordOf(term)
  await server.records(ana, known)
  await add(ana, { kind: 'term', text: term })
  await server.records(ana, known, recordOf(`${term} again`))
  expect(await server.notificationsOf(ana)).toMatchObject([{ kind: 'records', count: 1 }])
})

it('finds a watched text in other words', async () => {
  await add(bo, {
    kind: 'text',
    text: 'The government secretly replaced the ballots in the northern districts before the election',
  })
  const reworded =
    'Before the election, ballots in northern districts were secretly replaced by the government, says a witness'
  await server.records(
    ana,
    recordOf('The weather in the northern mountains is pleasant', { shared: 'username' }),
  )
  expect(await server.notificationsOf(bo)).toEqual([])
  await server.records(ana, recordOf(reworded, { shared: 'username' }))
  expect(await server.notificationsOf(bo)).toMatchObject([{ kind: 'records', count: 1 }])
})

it('polls the bell by ETag, pages, and marks as read', async () => {
  const ids = [newId(), newId(), newId()]
  for (const id of ids) {
    await add(ana, { kind: 'iod', subject_id: id })
    await server.publish(commentCreated(bo, id))
  }
  const poll = (etag?: string) =>
    fetch(`${server.url}/api/v1/notifications/unread`, {
      headers: { authorization: `Bearer ${ana.token}`, ...(etag && { 'if-none-match': etag }) },
    })
  const first = await poll()
  const etag = first.headers.get('etag') ?? ''
  const state = await first.json()
  expect(state).toMatchObject({ unread: 3, latest: expect.any(String) })
  expect((await poll(etag)).status).toBe(304)
  const page = await server.as(ana).send('GET', '/notifications?limit=2')
  expect(page.body).toHaveLength(2)
  const rest = await server
    .as(ana)
    .send('GET', `/notifications?limit=2&cursor=${page.headers.get('x-next-cursor')}`)
  expect(rest.body).toHaveLength(1)
  const [latest] = page.body as { id: string }[]
  const read = (body: unknown) => server.as(ana).send('POST', '/notifications/read', body)
  expect((await read({ ids: [latest?.id] })).body).toMatchObject({ unread: 2 })
  expect((await poll(etag)).status).toBe(200)
  expect((await server.as(ana).send('GET', '/notifications?unread=true')).body).toHaveLength(2)
  expect((await read({ until: new Date().toISOString() })).body).toEqual({ unread: 0, latest: null })
  // An event of the same subject makes its notification unread again.
  await server.publish(commentCreated(eva, ids[2] ?? ''))
  expect((await server.notificationsOf(ana))[0]).toMatchObject({ read_at: null, count: 2 })
  expect((await read({})).status).toBe(422)
  expect((await server.as(ana).send('GET', '/notifications?cursor=none')).status).toBe(422)
})

it('deletes the notifications of a deleted watch', async () => {
  const subject_id = newId()
  const id = await add(ana, { kind: 'iod', subject_id })
  await server.publish(commentCreated(bo, subject_id))
  await server.as(ana).call(watchesApi.deleteWatch, { params: { id } })
  expect(await server.notificationsOf(ana)).toEqual([])
})

it('keeps the latest notifications of a user', async () => {
  const { Notification } = server.service.mongo.models
  const subject_id = newId()
  await add(ana, { kind: 'iod', subject_id })
  const old = { user_id: ana.id, kind: 'iod', subject_kind: 'iod', tlp: 1, channels: [], count: 1 }
  const at = new Date(Date.now() - 7_200_000)
  await Notification?.insertMany(
    Array.from({ length: LIMITS.notificationsKept }, () => ({ ...old, first_at: at, created_at: at })),
  )
  await server.publish(commentCreated(bo, subject_id))
  expect(await Notification?.countDocuments({ user_id: ana.id })).toBeLessThanOrEqual(
    LIMITS.notificationsKept,
  )
  expect((await server.notificationsOf(ana))[0]).toMatchObject({ kind: 'comment' })
})

it('notifies a user whom a report in review quotes, once for each deadline', async () => {
  const id = newId()
  const at = new Date().toISOString()
  const quoted = (user: string, until = at) => ({
    ...({ type: 'report.quoted', tlp: 'clear' } as const),
    ...{ id, title: 'Copies', user_id: bo.id, quoted: user, until, at },
  })
  await server.publish(quoted(ana.id), quoted(ana.id), quoted(bo.id))
  await server.publish(quoted(ana.id))
  const found = async () => (await server.notificationsOf(ana)).filter(({ kind }) => kind === 'quoted')
  expect(await found()).toMatchObject([
    { subject: { kind: 'report', id, title: 'Copies' }, actor: { id: bo.id }, count: 1 },
  ])
  await server.publish(quoted(ana.id, new Date(Date.now() + 1_000).toISOString()))
  expect(await found()).toMatchObject([{ count: 2 }])
  expect((await server.notificationsOf(bo)).filter(({ kind }) => kind === 'quoted')).toEqual([])
})

it('exports and erases the data of a user, and what is about them', async () => {
  const id = newId()
  await add(ana, { kind: 'iod', subject_id: id })
  await add(eva, { kind: 'iod', subject_id: id })
  await add(eva, { kind: 'person', subject_id: ana.id })
  await server.publish(commentCreated(bo, id), commentCreated(ana, id))
  const exported = await server.fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
  expect(exported.map(({ kind }) => kind).sort()).toEqual(['notification', 'notification_settings', 'watch'])
  await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
  expect(await server.notificationsOf(ana)).toEqual([])
  expect(await server.as(ana).call(watchesApi.listWatches)).toEqual([])
  expect(await server.as(eva).call(watchesApi.listWatches)).toHaveLength(1)
  const left = await server.notificationsOf(eva)
  expect(left.every(({ actor, subject }) => actor?.id !== ana.id && subject.kind === 'iod')).toBe(true)
})

it('refuses internal calls without the key, and events about TLP:RED', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${server.url}/internal/notifications/events`, { method: 'POST', headers })
  expect((await post({})).status).toBe(404)
  const events = [{ ...iodCreated(bo), tlp: 'red' }] as never
  await expect(
    server.fixture.internal(notificationsInternal.receiveEvents, { body: { events } }),
  ).rejects.toMatchObject({ status: 422 })
})
