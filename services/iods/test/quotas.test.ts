import { iodsApi, personalDataInternal, usageInternal } from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  iodInput,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await startServiceFixture()
})
afterAll(() => fixture?.stop())

interface Running {
  service: StoreService
  url: string
  user(): Promise<{ id: string; api: ApiClient }>
}

/** Starts the service with the given quotas. */
const withQuotas = async (
  quotas: Record<string, number>,
  use: (running: Running) => Promise<void>,
): Promise<void> => {
  const env = Object.fromEntries(Object.entries(quotas).map(([name, limit]) => [name, String(limit)]))
  const prefix = { MONGODB_PREFIX: `p${newId()}`, REDIS_PREFIX: `p${newId()}` }
  const service = await createApp(
    readConfig(iodsConfigSchema, { ...fixture.env, ...prefix, ...env }),
    fixture.deps,
  )
  try {
    const url = await fixture.listen(service)
    await use({
      service,
      url,
      async user() {
        const { id, token } = await fixture.user()
        return { id, api: apiClient(url, token) }
      },
    })
  } finally {
    await service.close()
  }
}
const usage = (id: string) => fixture.internal(usageInternal.getUsage, { params: { id } })
const post = (api: ApiClient, fields: Parameters<typeof iodInput>[0] = {}) =>
  api.send('POST', '/iods', iodInput(fields))
const statuses = (answers: { status: number }[], status: number) =>
  answers.filter(answer => answer.status === status).length

describe('IODs', () => {
  it(
    'are limited: one of 50 concurrent creations is accepted, across sessions and tokens',
    { tags: 'long' },
    () =>
      withQuotas({ QUOTA_IODS: 3 }, async ({ url, user }) => {
        const { id, api } = await user()
        const again = apiClient(url, await fixture.token({ id }))
        const collector = apiClient(url, await fixture.token({ id, scope: 'collector' }))
        const { body } = await post(api)
        // A duplicate is rejected and uses no quota.
        const { value, category, description, source_type } = body
        expect((await api.send('POST', '/iods', { value, category, description, source_type })).status).toBe(
          409,
        )
        await post(api)
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, n) => post([api, again, collector][n % 3] as ApiClient)),
        )
        expect(statuses(answers, 201)).toBe(1)
        expect(statuses(answers, 413)).toBe(49)
        expect(answers.find(({ status }) => status === 413)?.body).toEqual({
          detail: 'You created 3 of 3 IODs: ask the operator of this site for more',
        })
        expect(await usage(id)).toMatchObject({ iods: { used: 3, limit: 3 } })
        expect((await post((await user()).api)).status).toBe(201)
      }),
  )

  it('per day are limited, and a new day begins at midnight UTC', () =>
    withQuotas({ QUOTA_IODS_A_DAY: 2 }, async ({ service, user }) => {
      // The clock is fixed: the day must not end before its quota is used up.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      onTestFinished(() => void vi.useRealTimers())
      const { id, api } = await user()
      expect([await post(api), await post(api)].map(({ status }) => status)).toEqual([201, 201])
      expect(await post(api)).toMatchObject({
        status: 413,
        body: { detail: 'You created 2 of 2 IODs a day: continue after midnight UTC' },
      })
      const kept = service.mongo.collection<{ _id: string }>('usage')
      await kept.updateOne({ _id: id }, { $set: { day: '2026-01-01' } })
      expect(await usage(id)).toMatchObject({
        iods_today: { used: 0, limit: 2 },
        iods: { used: 2 },
      })
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(api)))
      expect(statuses(answers, 201)).toBe(2)
      expect(await usage(id)).toMatchObject({
        iods_today: { used: 2, limit: 2 },
        iods: { used: 4 },
      })
    }))

  it('without a stored usage are counted at the first use', () =>
    withQuotas({ QUOTA_IODS: 6 }, async ({ service, user }) => {
      const { id, api } = await user()
      for (let n = 0; n < 4; n++) await post(api, { value: `ü${newId()}`, description: 'für alle' })
      const before = await usage(id)
      await service.mongo.collection('usage').deleteMany({})
      const answers = await Promise.all(Array.from({ length: 10 }, () => post(api)))
      expect(statuses(answers, 201)).toBe(2)
      await service.mongo.collection('iods').deleteMany({ description: { $ne: 'für alle' } })
      await service.mongo.collection('usage').updateMany({}, { $set: { checked_at: new Date(0) } })
      await service.tasks.run('usage')
      expect(await usage(id)).toEqual(before)
    }))

  it(
    'of a member who fills the quota do not block list, search and creation of others',
    { tags: 'long' },
    () =>
      withQuotas({ QUOTA_IOD_BYTES: 1_000_000 }, async ({ user }) => {
        const [mallory, bo] = [await user(), await user()]
        const mine = await post(bo.api, { value: `lighthouse ${newId()}` })
        const long = () => Array.from({ length: 417 }, newId).join('').slice(0, 10_000)
        let refusal: Awaited<ReturnType<typeof post>> | undefined
        for (let tries = 0; tries < 100 && !refusal; tries++) {
          const answer = await post(mallory.api, { value: long(), description: long() })
          if (answer.status !== 201) refusal = answer
        }
        expect(refusal).toMatchObject({
          status: 413,
          body: {
            detail:
              'The texts of your IODs take 1,000,000 bytes of 1,000,000 bytes, and this needs 20,000 bytes more: shorten it, or ask the operator of this site for more',
          },
        })
        expect(await usage(mallory.id)).toMatchObject({ iod_bytes: { used: 1_000_000 } })
        expect((await post(bo.api)).status).toBe(201)
        const found = await bo.api.call(iodsApi.listIods, { query: { q: 'lighthouse', limit: '5' } })
        expect(found.map(({ id }) => id)).toEqual([mine.body.id])
        expect((await bo.api.send('GET', '/iods?limit=5')).headers.get('x-total-count')).toBe('52')
      }),
  )

  it('of a deleted account count as unowned', () =>
    withQuotas({ QUOTA_IODS: 3 }, async ({ user, service }) => {
      const { id, api } = await user()
      for (let n = 0; n < 3; n++) expect((await post(api)).status).toBe(201)
      for (let times = 0; times < 2; times++)
        await fixture.internal(personalDataInternal.eraseUser, { params: { id } })
      const usage = service.mongo.collection<{ _id: string; used: object }>('usage')
      expect(await usage.findOne({ _id: id })).toBeNull()
      expect((await usage.findOne({ _id: 'unowned' }))?.used).toMatchObject({ iods: 3 })
    }))
})
