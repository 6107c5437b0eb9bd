import { iodsInternal, personalDataInternal, type SightingCounts, sightingsApi } from '@iodine/contracts'
import { apiClient, type BedUser, beforeNext, newId } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { bucketOf } from '../src/sightings/queries/count-others.js'
import { type Rig, startRig } from './rig.js'

let rig: Rig
let ana: BedUser

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  // The clock stands: no day may begin between a snapshot and what is asked of it.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  ana = await rig.bed.user('ana')
})
afterEach(() => void vi.useRealTimers())

const TEXT = 'The harbour was closed at night so that nobody would see the grey ships leave'
const apiOf = (user: BedUser) => apiClient(rig.url, user.token)
const agree = (user: BedUser, counted = true) =>
  apiOf(user).call(sightingsApi.setCounting, { body: { counted } })
const ask = (user: BedUser, record_id: string): Promise<SightingCounts> =>
  apiOf(user).call(sightingsApi.countSightings, { body: { record_id } })
const snapshot = async () =>
  (await rig.service.mongo.collection('snapshots').findOne({})) ?? expect.unreachable()
const beforeRows = (first: () => Promise<unknown>) =>
  beforeNext(rig.service.mongo.model('Count').collection, 'insertMany', first)
/** So many users who count, with a record each. */
const crowd = async (size: number, record: Parameters<Rig['put']>[1]) => {
  const users: { user: BedUser; id: string }[] = []
  for (let n = 0; n < size; n++) {
    const user = await rig.bed.user(`user${n}`)
    await agree(user)
    const [id] = await rig.put(user, record)
    users.push({ user, id: id ?? '' })
  }
  return users
}

it('knows its buckets, and says nothing of fewer than three', () => {
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

it('counts others who agreed, for one who agreed, from the next day on, by month', async () => {
  const key = newId()
  const users = await crowd(5, { key, text: TEXT, posted_at: '2026-02-28T23:00:00.000Z' })
  const [id] = await rig.put(ana, { key, text: TEXT })
  const { status } = await apiOf(ana).send('POST', '/sightings/counts', { record_id: id })
  expect(status).toBe(403)
  await agree(ana)
  expect(await apiOf(ana).call(sightingsApi.getCounting)).toEqual({ counted: true })
  await rig.nextDay()
  const { day, counts } = await ask(ana, id ?? '')
  expect(day).toBe(new Date().toISOString().slice(0, 10))
  expect(counts).toEqual([
    { of: 'post', others: '3–5', first_month: '2026-02' },
    { of: 'text', others: '3–5', first_month: '2026-02' },
  ])
  // Each of the five has five others; without three of them there are too few.
  expect((await ask(users[0]?.user as BedUser, users[0]?.id ?? '')).counts).toEqual(counts)
  for (const { user } of users.slice(2)) await agree(user, false)
  expect((await ask(ana, id ?? '')).counts).toHaveLength(2)
  await rig.nextDay()
  expect((await ask(ana, id ?? '')).counts).toEqual([])
})

it('does not change within a day, whatever is collected, deleted or taken back', {
  tags: 'long',
}, async () => {
  const key = newId()
  const users = await crowd(5, { key, text: `${TEXT} again` })
  await agree(ana)
  const [id] = await rig.put(ana, { key, text: `${TEXT} again` })
  await rig.nextDay()
  const before = await ask(ana, id ?? '')
  expect(before.counts).toMatchObject([{ others: '3–5' }, { others: '3–5' }])
  await crowd(6, { key, text: `${TEXT} again` })
  await rig.takeSnapshot()
  expect(await ask(ana, id ?? '')).toEqual(before)
  for (const { user } of users)
    await rig.bed.internal(personalDataInternal.forgetUser, { params: { id: user.id } })
  expect(await ask(ana, id ?? '')).toEqual(before)
  const kept = JSON.stringify(await rig.service.mongo.collection('counts').find().toArray())
  for (const { user } of users) expect(kept).not.toContain(user.id)
})

it('begins without rows of attempts that failed, and loses users who are deleted meanwhile', async () => {
  const counts = rig.service.mongo.collection('counts')
  const [first] = await crowd(4, { key: newId(), text: `${TEXT} at noon` })
  const { user, id } = first ?? expect.unreachable()
  await rig.takeSnapshot()
  await rig.service.mongo.collection('snapshots').updateOne({}, { $set: { day: '2026-01-01' } })
  const failed = { run: new Types.ObjectId(), key: 'post x', n: 3, owners: [], first_month: '2026-01' }
  await counts.insertOne({ ...failed })
  let left = -1
  beforeRows(async () => {
    left = await counts.countDocuments({ run: failed.run })
    await rig.bed.internal(personalDataInternal.forgetUser, { params: { id: user.id } })
  })
  await rig.takeSnapshot()
  expect(left).toBe(0)
  const { run, day } = await snapshot()
  expect(day).toBe(new Date().toISOString().slice(0, 10))
  const rows = await counts.find().toArray()
  expect(rows.map(row => String(row.run))).toEqual(rows.map(() => String(run)))
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(user.id)
  expect(JSON.stringify(rows)).not.toContain(id)
})

it('keeps a snapshot of a later day, and one that was begun later', async () => {
  const snapshots = rig.service.mongo.collection('snapshots')
  await crowd(4, { key: newId(), text: `${TEXT} at dawn` })
  await snapshots.updateOne({}, { $set: { day: '9999-01-01' } }, { upsert: true })
  const later = await snapshot()
  await rig.takeSnapshot()
  expect(await snapshot()).toEqual(later)
  await snapshots.deleteMany({})
  const next = new Types.ObjectId()
  beforeRows(() => snapshots.updateOne({}, { $set: { next } }))
  await rig.takeSnapshot()
  expect(await snapshot()).toMatchObject({ day: '', next })
  await agree(ana)
  const [id] = await rig.put(ana, {})
  expect(await ask(ana, id ?? '')).toEqual({ day: null, counts: [] })
  await rig.takeSnapshot()
  expect(await snapshot()).toMatchObject({ day: new Date().toISOString().slice(0, 10) })
})

it('counts those with the text or link of an IOD', async () => {
  const link = `https://news.example/${newId()}`
  await crowd(6, { text: `An alarm was heard ${newId()}`, links: [`${link}?utm_source=x`] })
  await agree(ana)
  await rig.nextDay()
  const iod_id = newId()
  const iod = {
    id: iod_id,
    value: link,
    category: 'URL',
  }
  rig.bed.answer(iodsInternal.getIods, ({ body }) => (body.ids[0] === iod_id ? [iod] : []) as never)
  const counts = (id: string) => apiOf(ana).send('POST', '/sightings/counts', { iod_id: id })
  expect((await counts(iod_id)).body.counts).toMatchObject([{ of: 'link', others: '6–10' }])
  expect((await counts(newId())).status).toBe(404)
})

it('answers for one’s own records alone, and 60 questions an hour', async () => {
  const bo = await rig.bed.user('bo')
  await agree(ana)
  const [theirs] = await rig.put(bo, { text: TEXT, shared: 'username' })
  const { send } = apiOf(ana)
  const statuses: number[] = []
  for (let n = 0; n < 61; n++)
    statuses.push((await send('POST', '/sightings/counts', { record_id: theirs })).status)
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 404), 429])
  for (const body of [{}, { record_id: newId(), iod_id: newId() }, { record_id: 'x' }])
    expect((await apiOf(bo).send('POST', '/sightings/counts', body)).status).toBe(422)
})

it('forgets that a deleted user counted', async () => {
  await agree(ana)
  const exported = () => rig.bed.internal(personalDataInternal.exportUser, { params: { id: ana.id } })
  expect(await exported()).toMatchObject([{ kind: 'counted_for_others' }])
  await rig.bed.internal(personalDataInternal.forgetUser, { params: { id: ana.id } })
  expect(await exported()).toEqual([])
})
