import { campaignsApi, iodsInternal, usageInternal } from '@iodine/contracts'
import { readConfig } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let url: string
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  fixture.answer(iodsInternal.knownIods, ({ body }) => body.ids)
  const env = { ...fixture.env, QUOTA_CAMPAIGNS: '4', QUOTA_CAMPAIGN_IODS: '3' }
  url = await fixture.listen(await createApp(readConfig(campaignsConfigSchema, env), fixture.deps))
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})

const usage = (params: { id: string }) => fixture.internal(usageInternal.getUsage, { params })
const post = (client = api) => client.send('POST', '/campaigns', { name: 'Mirrors' })

describe('campaigns', () => {
  it('accept one of 50 concurrent creations at the limit; a deletion frees quota', {
    tags: 'long',
  }, async () => {
    const made = [await post(), await post(), await post()]
    const answers = await Promise.all(Array.from({ length: 50 }, () => post()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 413,
      body: { detail: 'You have 4 of 4 campaigns: delete one to make room' },
    })
    const id = made[0]?.body.id
    // Neither another user's attempt nor a repeated deletion frees quota.
    const bo = apiClient(url, (await fixture.user('bo')).token)
    expect((await bo.send('DELETE', `/campaigns/${id}`)).status).toBe(403)
    expect((await api.send('DELETE', `/campaigns/${id}`)).status).toBe(200)
    expect((await api.send('DELETE', `/campaigns/${id}`)).status).toBe(404)
    expect([(await post()).status, (await post()).status]).toEqual([201, 413])
    expect(await usage({ id: ana.id })).toMatchObject({ campaigns: { used: 4, limit: 4 } })
  })

  it('accept IODs up to their limit: one of 8 concurrent additions, and a present member without error', async () => {
    const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Full' } })
    const add = (iod_id: string) => api.send('POST', `/campaigns/${id}/add-iod`, { iod_id })
    const first = newId()
    await add(first)
    await add(newId())
    const addMany = (...iod_ids: string[]) => api.send('POST', `/campaigns/${id}/add-iods`, { iod_ids })
    expect(await addMany(newId(), newId())).toMatchObject({ status: 413 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(newId())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({
      status: 413,
      body: { detail: 'This campaign has 3 of 3 IODs: remove some to make room' },
    })
    expect(await add(first)).toMatchObject({ status: 200, body: { iod_count: 3 } })
    expect(await addMany(first, newId(), newId())).toMatchObject({ status: 413 })
    expect(await addMany(first)).toMatchObject({ status: 200, body: { added: [], already: [first] } })
    expect(await usage({ id: ana.id })).toMatchObject({ campaign_iods: { used: 3, limit: 3 } })
  })
})
