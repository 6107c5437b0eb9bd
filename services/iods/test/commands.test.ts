import { iodCommentsApi, iodsApi } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  commandsOf,
  iodInput,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'
import { BY_DATE } from '../src/iods/models/iod.js'
import { withValues } from '../src/iods/queries/lookup-iods.js'

let fixture: ServiceFixture
let service: StoreService
let api: ApiClient

const IODS = 120

beforeAll(async () => {
  fixture = await startServiceFixture({ monitorCommands: true })
  const ana = await fixture.user('ana')
  // No timer or task of the service may send commands while those of a request are counted.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  service = await createApp(
    readConfig(iodsConfigSchema, { ...fixture.env, ROLE: 'api' }),
    fixture.deps,
  ).finally(() => vi.useRealTimers())
  api = apiClient(await fixture.listen(service), ana.token)
  for (let n = 0; n < IODS; n++)
    await api.call(iodsApi.createIod, { body: iodInput({ value: `value ${n}`, category: 'TITLE' }) })
  await expectNothingWaits()
})
afterAll(() => fixture?.stop())

const expectNothingWaits = () =>
  vi.waitFor(async () => expect(await service.mongo.collection('outbox').countDocuments()).toBe(0), 30_000)

const sent = async (run: () => Promise<unknown>) => (await commandsOf(service.mongo, run)).all.sort()

describe('a request sends the minimum of commands', () => {
  it.each([
    [
      'a page',
      () => api.call(iodsApi.listIods, { query: { limit: '50' } }),
      ['aggregate tallies', 'find iods'],
    ],
    ['the whole list', () => api.call(iodsApi.listIods), ['find iods']],
    ['the counts', () => api.call(iodsApi.getIodFacets), ['aggregate tallies']],
    ['a lookup', () => api.call(iodsApi.lookupIods, { body: { values: ['value 7', '#x'] } }), ['find iods']],
  ])('%s', async (_, ask, commands) => {
    expect(await sent(ask)).toEqual(commands)
  })

  it('a page with comments on several IODs, by one more', async () => {
    const query = { limit: '50' }
    for (const { id } of (await api.call(iodsApi.listIods, { query })).slice(0, 3))
      await api.call(iodCommentsApi.createComment, { params: { id }, body: { content: 'Seen' } })
    await expectNothingWaits()
    const ask = () => api.call(iodsApi.listIods, { query })
    expect(await sent(ask)).toEqual(['aggregate tallies', 'find comments', 'find iods'])
  })

  it('a lookup reads only matching documents', async () => {
    const filter: object = withValues(['value 7', 'VALUE 8', 'none', '#x'])
    const { executionStats } = await service.mongo
      .collection('iods')
      .find(filter)
      .sort(BY_DATE)
      .explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 2, totalDocsExamined: 2 })
  })
})

it('an idle run of the tasks writes nothing', async () => {
  const run = async (names: string[]) => {
    for (const name of names) await service.tasks.run(name)
  }
  const all = ['votes', 'tallies', 'recount', 'usage']
  await run(all)
  const { writes } = await commandsOf(service.mongo, () => run(all))
  // The recount reads in one snapshot.
  expect(writes).toEqual(['commitTransaction'])
  expect(await sent(() => run(['votes', 'tallies']))).toEqual([
    'aggregate iods',
    'count tallies',
    'find covote_builds',
    'hello',
  ])
})
