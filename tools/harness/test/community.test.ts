import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { campaignsApi, communityApi, iodsApi, profileApi } from '@iodine/contracts'
import { rebuildPart } from '@iodine/service-kit'
import { iodInput } from '@iodine/test-kit'
import { createConnection, Types } from 'mongoose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())

it('shows events of other services: a chosen username, a created IOD, a rename', async () => {
  const ana = await app.signUp(undefined, 'ana_events')
  const silent = await app.signUp(undefined, null)
  const iod = await ana.api.call(iodsApi.createIod, { body: iodInput({ value: 'seen by all' }) })
  await silent.api.call(iodsApi.createIod, { body: iodInput() })

  const list = () => ana.api.call(communityApi.listUsers, { query: { search: 'ANA_EV' } })
  await vi.waitFor(
    async () =>
      expect(await list()).toMatchObject({
        users: [
          {
            id: ana.id,
            username: 'ana_events',
            total_contributions: 1,
            recent_contributions: [{ type: 'IOD', id: iod.id, title: 'seen by all' }],
          },
        ],
        total: 1,
      }),
    30_000,
  )
  expect((await ana.api.send('GET', `/community/users/${silent.id}`)).status).toBe(404)

  await silent.api.call(profileApi.setupUsername, { body: { username: 'late_name' } })
  await ana.api.call(profileApi.setupUsername, { body: { username: 'ana_renamed' } })
  const profile = (id: string) => silent.api.send('GET', `/community/users/${id}`)
  await vi.waitFor(async () => {
    expect((await profile(silent.id)).body).toMatchObject({ username: 'late_name', total_iods: 1 })
    expect((await profile(ana.id)).body).toMatchObject({ username: 'ana_renamed', total_iods: 1 })
  }, 30_000)
  expect(await list()).toEqual({ users: [], total: 0 })

  const campaign = await silent.api.call(campaignsApi.createCampaign, { body: { name: 'All' } })
  const params = { id: campaign.id }
  await silent.api.call(campaignsApi.addIod, { params, body: { iod_id: iod.id } })
  const detail = await silent.api.call(campaignsApi.getCampaign, { params })
  expect(detail).toMatchObject({
    created_by_username: 'late_name',
    iods: [{ id: iod.id, created_by: 'ana_renamed' }],
  })
})

const database = (service: string) => createConnection(app.mongoUrl, { dbName: `${app.prefix}_${service}` })

it('receives events that a killed process has left in the outbox', async () => {
  const ana = await app.signUp(undefined, 'ana_crash')
  await ana.api.call(iodsApi.createIod, { body: iodInput() })
  const iods = await database('iods').asPromise()
  const stored = await iods.collection('iods').findOne({ created_by: new Types.ObjectId(ana.id) })
  // The state after a transaction of a process that was killed before it published the event.
  const _id = new Types.ObjectId()
  await iods.collection('iods').insertOne({ ...stored, _id, value: 'left behind', fold_key: 'left behind' })
  const now = new Date()
  const entry = {
    kind: 'iod.created',
    payload: { id: _id.toHexString() },
    attempts: 1,
    lease: 'of a dead one',
  }
  await iods.collection('outbox').insertOne({ ...entry, created_at: now, due_at: now })
  await iods.close()
  const profile = () => ana.api.send('GET', `/community/users/${ana.id}`)
  await vi.waitFor(async () => expect((await profile()).body.total_iods).toBe(2), 60_000)
  expect((await profile()).body.all_contributions).toContainEqual(
    expect.objectContaining({ id: _id.toHexString(), title: 'left behind' }),
  )
})

it('is rebuilt from the data of other services after any damage', { tags: 'long' }, async () => {
  const [ana, bo] = await Promise.all([app.signUp(undefined, 'ana_again'), app.signUp(undefined, 'bo_again')])
  for (let n = 0; n < 4; n++) await ana.api.call(iodsApi.createIod, { body: iodInput() })
  await bo.api.call(iodsApi.createIod, { body: iodInput() })
  const shown = async () => ({
    users: await ana.api.call(communityApi.listUsers, { query: { search: '_again' } }),
    everybody: (await ana.api.call(communityApi.listUsers, {})).total,
    ana: (await ana.api.send('GET', `/community/users/${ana.id}`)).body,
    bo: (await ana.api.send('GET', `/community/users/${bo.id}`)).body,
  })
  await vi.waitFor(async () => {
    const { users, bo } = await shown()
    expect(users.users.map(user => user.total_contributions).sort()).toEqual([1, 4])
    expect(bo.total_iods).toBe(1)
  }, 30_000)
  const before = await shown()

  const community = await database('community').asPromise()
  const [users, contributions] = [community.collection('users'), community.collection('contributions')]
  await contributions.deleteOne({ user_id: new Types.ObjectId(ana.id) })
  await users.deleteOne({ _id: new Types.ObjectId(bo.id) })
  await users.updateOne(
    { _id: new Types.ObjectId(ana.id) },
    { $set: { total_iods: 77, username: 'stale', revision: 0 } },
  )
  const known = await users.findOne({ _id: new Types.ObjectId(ana.id) })
  await users.insertOne({
    ...known,
    _id: new Types.ObjectId(),
    username: 'ghost_again',
    search: 'ghost_again',
  })
  const kept = await contributions.findOne({ user_id: new Types.ObjectId(ana.id) })
  await contributions.insertOne({ ...kept, _id: new Types.ObjectId(), title: 'never was' })
  await community.collection('counters').updateOne({}, { $set: { n: 1_000 } })
  await community.close()
  expect(await shown()).not.toEqual(before)

  const services = JSON.parse(readFileSync(join(app.dataDir, 'services.json'), 'utf8'))
  await rebuildPart('community', services)
  expect(await shown()).toEqual(before)
  await rebuildPart('community', services)
  expect(await shown()).toEqual(before)
})
