import { iodsInternal, personalDataInternal, type SightingCounts, sightingsApi } from '@iodine/contracts'
import { apiClient, beforeNext, type FixtureUser, newId } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { bucketOf } from '../src/sightings/queries/count-others.js'
import { startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())
beforeEach(async () => {
  // Stops the clock: no day may begin between a snapshot and the requests for it.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  ana = await server.fixture.user('ana')
})
afterEach(() => void vi.useRealTimers())

const TEXT = 'The harbour was closed at night so that nobody would see the grey ships leave'
const apiOf = (user: FixtureUser) => apiClient(server.url, user.token)
const agree = (user: FixtureUser, counted = true) =>
  apiOf(user).call(sightingsApi.setCounting, { body: { counted } })
const ask = (user: FixtureUser, record_id: string): Promise<SightingCounts> =>
  apiOf(user).call(sightingsApi.countSightings, { body: { record_id } })
const snapshot = async () =>
  (await server.service.mongo.collection('snapshots').findOne({})) ?? expect.unreachable()
const beforeRows = (first: () => Promise<unknown>) =>
  beforeNext(server.service.mongo.model('Count').collection, 'insertMany', first)
/** Creates users who agreed to be counted, with one record each. */
const crowd = async (size: number, record: Parameters<TestServer['put']>[1]) => {
  const users: { user: FixtureUser; id: string }[] = []
  for (let n = 0; n < size; n++) {
    const user = await server.fixture.user(`user${n}`)
    await agree(user)
    const [id] = await server.put(user, record)
    users.push({ user, id: id ?? '' })
  }
  return users
}

it('maps numbers to buckets, and suppresses those below three', () => {
  expect([0, 2, 3, 5, 6, 10, 11, 20, 21, 5_000].map(bucketOf)).toEqual([
    undefined,
    undefined,
    '3–5',
    '3–5',
    '6–10',
    '6–10',
    '11–20',
    '11–20',
    '21+',
    '21+',
  ])
})

it('returns counts of users who agreed to users who agreed, from the next day on, with the month', async () => {
  const key = newId()
  const users = await crowd(5, { key, text: TEXT, posted_at: '2026-02-28T23:00:00.000Z' })
  const [id] = await server.put(ana, { key, text: TEXT })
  const { status } = await apiOf(ana).send('POST', '/sightings/counts', { record_id: id })
  expect(status).toBe(403)
  await agree(ana)
  expect(await apiOf(ana).call(sightingsApi.getCounting)).toEqual({ counted: true })
  await server.nextDay()
  const { day, counts } = await ask(ana, id ?? '')
  expect(day).toBe(new Date().toISOString().slice(0, 10))
  expect(counts).toEqual([
    { of: 'post', others: '3–5', first_month: '2026-02' },
    { of: 'text', others: '3–5', first_month: '2026-02' },
  ])
  // Each of the five has five others. Without three of them the count is below the threshold.
  expect((await ask(users[0]?.user as FixtureUser, users[0]?.id ?? '')).counts).toEqual(counts)
  for (const { user } of users.slice(2)) await agree(user, false)
  expect((await ask(ana, id ?? '')).counts).toHaveLength(2)
  await server.nextDay()
  expect((await ask(ana, id ?? '')).counts).toEqual([])
})

it('returns the same counts for a day, whatever is collected, deleted or withdrawn', {
  tags: 'long',
}, async () => {
  const key = newId()
  const users = await crowd(5, { key, text: `${TEXT} again` })
  await agree(ana)
  const [id] = await server.put(ana, { key, text: `${TEXT} again` })
  await server.nextDay()
  const before = await ask(ana, id ?? '')
  expect(before.counts).toMatchObject([{ others: '3–5' }, { others: '3–5' }])
  await crowd(6, { key, text: `${TEXT} again` })
  await server.takeSnapshot()
  expect(await ask(ana, id ?? '')).toEqual(before)
  for (const { user } of users)
    await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: user.id } })
  expect(await ask(ana, id ?? '')).toEqual(before)
  const kept = JSON.stringify(await server.service.mongo.collection('counts').find().toArray())
  for (const { user } of users) expect(kept).not.toContain(user.id)
})

it('removes rows of failed snapshots, and users who are deleted during the snapshot', async () => {
  const counts = server.service.mongo.collection('counts')
  const [first] = await crowd(4, { key: newId(), text: `${TEXT} at noon` })
  const { user, id } = first ?? expect.unreachable()
  await server.takeSnapshot()
  await server.service.mongo.collection('snapshots').updateOne({}, { $set: { day: '2026-01-01' } })
  const failed = { run: new Types.ObjectId(), key: 'post x', n: 3, owners: [], first_month: '2026-01' }
  await counts.insertOne({ ...failed })
  let left = -1
  beforeRows(async () => {
    left = await counts.countDocuments({ run: failed.run })
    await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: user.id } })
  })
  await server.takeSnapshot()
  expect(left).toBe(0)
  const { run, day } = await snapshot()
  expect(day).toBe(new Date().toISOString().slice(0, 10))
  const rows = await counts.find().toArray()
  expect(rows.map(row => String(row.run))).toEqual(rows.map(() => String(run)))
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(user.id)
  expect(JSON.stringify(rows)).not.toContain(id)
})

it('does not replace a snapshot of a later day, or one that began later', async () => {
  const snapshots = server.service.mongo.collection('snapshots')
  await crowd(4, { key: newId(), text: `${TEXT} at dawn` })
  await snapshots.updateOne({}, { $set: { day: '9999-01-01' } }, { upsert: true })
  const later = await snapshot()
  await server.takeSnapshot()
  expect(await snapshot()).toEqual(later)
  await snapshots.deleteMany({})
  const next = new Types.ObjectId()
  beforeRows(() => snapshots.updateOne({}, { $set: { next } }))
  await server.takeSnapshot()
  expect(await snapshot()).toMatchObject({ day: '', next })
  await agree(ana)
  const [id] = await server.put(ana, {})
  expect(await ask(ana, id ?? '')).toEqual({ day: null, counts: [] })
  await server.takeSnapshot()
  expect(await snapshot()).toMatchObject({ day: new Date().toISOString().slice(0, 10) })
})

it('counts users with the text or link of an IOD', async () => {
  const link = `https://news.example/${newId()}`
  await crowd(6, { text: `An alarm was heard ${newId()}`, links: [`${link}?utm_source=x`] })
  await agree(ana)
  await server.nextDay()
  const iod_id = newId()
  const iod = {
    id: iod_id,
    value: link,
    category: 'URL',
  }
  server.fixture.answer(iodsInternal.getIods, ({ body }) => (body.ids[0] === iod_id ? [iod] : []) as never)
  const counts = (id: string) => apiOf(ana).send('POST', '/sightings/counts', { iod_id: id })
  expect((await counts(iod_id)).body.counts).toMatchObject([{ of: 'link', others: '6–10' }])
  expect((await counts(newId())).status).toBe(404)
})

it('counts only for own records, at most 60 times an hour', async () => {
  const bo = await server.fixture.user('bo')
  await agree(ana)
  const [theirs] = await server.put(bo, { text: TEXT, shared: 'username' })
  const { send } = apiOf(ana)
  const statuses: number[] = []
  for (let n = 0; n < 61; n++)
    statuses.push((await send('POST', '/sightings/counts', { record_id: theirs })).status)
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 404), 429])
  for (const body of [{}, { record_id: newId(), iod_id: newId() }, { record_id: 'x' }])
    expect((await apiOf(bo).send('POST', '/sightings/counts', body)).status).toBe(422)
})

it('deletes the consent of a deleted user', async () => {
  await agree(ana)
  const exported = () => server.fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
  expect(await exported()).toMatchObject([{ kind: 'counted_for_others' }])
  await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
  expect(await exported()).toEqual([])
})
