import { iodsApi, repairInternal } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  commandsOf,
  iodInput,
  type ServiceBed,
  startServiceBed,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'
import { BY_DATE } from '../src/models/iod.js'
import { withValues } from '../src/queries/lookup-iods.js'

let bed: ServiceBed
let service: StoreService
let api: ApiClient

const IODS = 120

beforeAll(async () => {
  bed = await startServiceBed({ monitorCommands: true })
  const ana = await bed.user('ana')
  // No timer of the service sends a command of its own while those of a request are counted.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  service = await createApp(readConfig(iodsConfigSchema, bed.env), bed.deps).finally(() => vi.useRealTimers())
  api = apiClient(await bed.listen(service), ana.token)
  for (let n = 0; n < IODS; n++)
    await api.call(iodsApi.createIod, { body: iodInput({ value: `value ${n}`, category: 'TITLE' }) })
  const waiting = () => service.mongo.collection('outbox').countDocuments()
  await vi.waitFor(async () => expect(await waiting()).toBe(0), 30_000)
})
afterAll(() => bed?.stop())

const sent = async (run: () => Promise<unknown>) => (await commandsOf(service.mongo, run)).all.sort()

describe('a request takes no more commands than it needs', () => {
  it.each([
    [
      'a page',
      () => api.call(iodsApi.listIods, { query: { limit: '50' } }),
      ['aggregate tallies', 'find iods'],
    ],
    ['the counts', () => api.call(iodsApi.getIodFacets), ['aggregate tallies']],
    ['a lookup', () => api.call(iodsApi.lookupIods, { body: { values: ['value 7', '#x'] } }), ['find iods']],
  ])('%s', async (_, ask, commands) => {
    expect(await sent(ask)).toEqual(commands)
  })

  it('a lookup reads what it finds', async () => {
    const filter: object = withValues(['value 7', 'VALUE 8', 'none', '#x'])
    const { executionStats } = await service.mongo
      .collection('iods')
      .find(filter)
      .sort(BY_DATE)
      .explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 2, totalDocsExamined: 2 })
  })
})

describe('a repair', () => {
  it('writes nothing where nothing is owed, and reads no IODs', async () => {
    await bed.internal(repairInternal.repair)
    const { all, writes } = await commandsOf(service.mongo, () => bed.internal(repairInternal.repair))
    expect([all.includes('find iods'), writes]).toEqual([true, []])
    const created_at = { $gt: new Date(Date.now() - 600_000) }
    const { executionStats } = await service.mongo
      .collection('iods')
      .find({ created_at, revision: null })
      .explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 0, totalDocsExamined: 0 })
  })

  it('gives a revision to new IODs that have none', async () => {
    const iods = service.mongo.collection('iods')
    const { _id, revision, ...doc } = (await iods.findOne()) ?? expect.unreachable()
    await iods.insertOne({ ...doc, fold_key: 'late', created_at: new Date() })
    const { writes } = await commandsOf(service.mongo, () => bed.internal(repairInternal.repair))
    expect(writes).toEqual(['update iods'])
    expect(await iods.countDocuments({ revision: null })).toBe(0)
  })
})
