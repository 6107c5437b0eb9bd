import { campaignsApi, collectorApi, graphApi, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { type StartedApp, startApp } from '@iodine/harness'
import { type AiProvider, startAiProvider, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { collectPosts, connectCollector, signUp } from '../support/fixtures.js'
import { keepLog } from '../support/keep-log.js'

let ai: AiProvider
let app: StartedApp
test.afterEach(async () => {
  await keepLog(test.info(), app)
  await app?.stop()
  await ai?.stop()
})

test('a power cut loses no acknowledged data', { tag: '@long' }, async () => {
  test.setTimeout(300_000)
  ai = await startAiProvider()
  app = await startApp({ OPENAI_BASE_URL: ai.url, RATE_LIMITS: 'off' })
  const { api } = await signUp(app, 'keeper')
  const collector = await connectCollector(app, api)
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-keeper' } })
  await collectPosts(
    collector,
    Array.from({ length: 20 }, () => tiktokPost()),
  )
  const iod = await api.call(iodsApi.createIod, {
    body: { value: 'kept value', category: 'KEYWORDS', description: '', source_type: 'MANUAL' },
  })
  await api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Kept' } })
  await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: iod.id } })
  await api.call(narrativesApi.createNarrative, {
    body: { text: 'Mirrors heat lakes. Engineers hide mirrors.' },
  })
  const before = await Promise.all([
    api.call(collectorApi.listRecords, { params: { source: 'tiktok' } }),
    api.call(iodsApi.listIods),
    api.call(campaignsApi.getCampaign, { params: { id: campaign.id } }),
    api.call(narrativesApi.listNarratives),
    api.call(graphApi.getTriplets),
    api.call(profileApi.getProfile),
  ])
  // The last write, acknowledged just before the cut.
  const last = await api.call(iodsApi.createIod, {
    body: { value: 'a hair before', category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })
  await app.cutPower()
  await app.start()

  const [records, iods, detail, narratives, graph, profile] = await Promise.all([
    api.call(collectorApi.listRecords, { params: { source: 'tiktok' } }),
    api.call(iodsApi.listIods),
    api.call(campaignsApi.getCampaign, { params: { id: campaign.id } }),
    api.call(narrativesApi.listNarratives),
    api.call(graphApi.getTriplets),
    api.call(profileApi.getProfile),
  ])
  expect(iods).toEqual([last, ...before[1]])
  expect([records, detail, narratives, graph, profile]).toEqual([before[0], ...before.slice(2)])
  expect(records).toHaveLength(20)
  expect(detail.iods).toHaveLength(1)
  expect(graph.links.length).toBeGreaterThan(0)
})
