import {
  type Campaign,
  campaignCommentsApi,
  campaignsApi,
  LIMITS,
  personalDataInternal,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

// Comments on IODs have the tests of their common rules.
let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let api: ApiClient
let campaign: Campaign

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(campaignsConfigSchema, fixture.env), fixture.deps)
  await fixture.listen(service)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  ana = await fixture.user('ana')
  api = apiClient(`http://127.0.0.1:${portOf(service)}`, ana.token)
  campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Mirrors' } })
})

const portOf = ({ app }: StoreService) => (app.server.address() as { port: number }).port
const send = (content: string) => api.send('POST', `/campaigns/${campaign.id}/comments`, { content })
const list = () => api.call(campaignCommentsApi.listComments, { params: { id: campaign.id }, query: {} })
const stored = () => service.mongo.collection('comments').countDocuments({})

describe('comments on campaigns', () => {
  it('are listed, edited and deleted', async () => {
    const { status, body } = await send('Who runs this?')
    expect(status).toBe(201)
    const params = { id: campaign.id, cid: body.id }
    const edited = await api.call(campaignCommentsApi.updateComment, {
      params,
      body: { content: 'Who runs it?' },
    })
    expect(await list()).toEqual([edited])
    expect(await api.call(campaignsApi.listCampaigns, { query: {} })).toMatchObject([{ comment_count: 1 }])
    await api.call(campaignCommentsApi.deleteComment, { params })
    expect(await list()).toEqual([])
  })

  it('are deleted with their campaign, or keep no name of a deleted account', async () => {
    await send('Who runs this?')
    await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id }, query: {} })
    expect(await list()).toMatchObject([{ content: 'Who runs this?', user_id: null }])
    campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake' } })
    const before = await stored()
    await send('Where?')
    await api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    expect(await stored()).toBe(before)
  })

  it('are refused above a rate, with the time to wait, while others can comment', async () => {
    expect((await send(' ')).status).toBe(422)
    const answers = await Promise.all(
      Array.from({ length: 3 * LIMITS.commentsAnHour }, (_, n) => send(`c${n}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMITS.commentsAnHour)
    expect(refused).toHaveLength(2 * LIMITS.commentsAnHour)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const bo = await fixture.user('bo_2')
    api = apiClient(`http://127.0.0.1:${portOf(service)}`, bo.token)
    expect((await send('Mine')).status).toBe(201)
  })
})
