import { campaignsApi, iodsInternal, usageInternal } from '@iodine/contracts'
import { readConfig } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type BedUser,
  newId,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let bed: ServiceBed
let url: string
let ana: BedUser
let api: ApiClient

beforeAll(async () => {
  bed = await startServiceBed()
  bed.answer(iodsInternal.knownIods, ({ body }) => body.ids)
  const env = { ...bed.env, QUOTA_CAMPAIGNS: '4', QUOTA_CAMPAIGN_IODS: '3' }
  url = await bed.listen(await createApp(readConfig(campaignsConfigSchema, env), bed.deps))
})
afterAll(() => bed?.stop())
beforeEach(async () => {
  ana = await bed.user('ana')
  api = apiClient(url, ana.token)
})

const usage = (params: { id: string }) => bed.internal(usageInternal.getUsage, { params })
const post = (client = api) => client.send('POST', '/campaigns', { name: 'Mirrors' })

describe('campaigns', () => {
  it('50 at once for the last place: exactly one gets in; a deleted one makes room', {
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
    // Neither another user's attempt nor a repeated delete frees quota.
    const bo = apiClient(url, (await bed.user('bo')).token)
    expect((await bo.send('DELETE', `/campaigns/${id}`)).status).toBe(403)
    expect((await api.send('DELETE', `/campaigns/${id}`)).status).toBe(200)
    expect((await api.send('DELETE', `/campaigns/${id}`)).status).toBe(404)
    expect([(await post()).status, (await post()).status]).toEqual([201, 413])
    expect(await usage({ id: ana.id })).toMatchObject({ campaigns: { used: 4, limit: 4 } })
  })

  it('take IODs up to their limit: 8 at once for the last place, and one that is there already is no fault', async () => {
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
      body: { detail: 'This campaign holds 3 of 3 IODs: remove some to make room' },
    })
    expect(await add(first)).toMatchObject({ status: 200, body: { iod_count: 3 } })
    expect(await addMany(first, newId(), newId())).toMatchObject({ status: 413 })
    expect(await addMany(first)).toMatchObject({ status: 200, body: { added: [], already: [first] } })
    expect(await usage({ id: ana.id })).toMatchObject({ campaign_iods: { used: 3, limit: 3 } })
  })
})
