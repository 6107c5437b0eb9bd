import { campaignsApi, communityApi, iodsApi, profileApi } from '@iodine/contracts'
import { iodInput, startTestStack, type TestStack } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let stack: TestStack

beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack?.stop())

it('shows what people do elsewhere: a name chosen, an IOD created, a rename', async () => {
  const ana = await stack.signUp(undefined, 'ana_events')
  const silent = await stack.signUp(undefined, null)
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
    15_000,
  )
  expect((await ana.api.send('GET', `/community/users/${silent.id}`)).status).toBe(404)

  await silent.api.call(profileApi.setupUsername, { body: { username: 'late_name' } })
  await ana.api.call(profileApi.setupUsername, { body: { username: 'ana_renamed' } })
  const profile = (id: string) => silent.api.send('GET', `/community/users/${id}`)
  await vi.waitFor(async () => {
    expect((await profile(silent.id)).body).toMatchObject({ username: 'late_name', total_iods: 1 })
    expect((await profile(ana.id)).body).toMatchObject({ username: 'ana_renamed', total_iods: 1 })
  }, 15_000)
  expect(await list()).toEqual({ users: [], total: 0 })

  const campaign = await silent.api.call(campaignsApi.createCampaign, { body: { name: 'All' } })
  const params = { id: campaign.id }
  await silent.api.call(campaignsApi.addIod, { params, body: { iod_id: iod.id } })
  const detail = await silent.api.call(campaignsApi.getCampaign, { params })
  expect(detail).toMatchObject({
    created_by_username: 'late_name',
    iods: [{ id: iod.id, created_by: 'ana_renamed' }],
  })
}, 60_000)
