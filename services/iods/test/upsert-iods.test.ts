import {
  communityInternal,
  DETAILS,
  DONE,
  evidenceApi,
  evidenceInternal,
  iodsApi,
  iodsInternal,
  type NewIod,
  type Tlp,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  iodInput,
  newId,
  runs,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'
import { iodUid } from '../src/iods/policies/names.js'

let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let api: ApiClient

const DAILY = 200
beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(
    readConfig(iodsConfigSchema, { ...fixture.env, QUOTA_IODS_A_DAY: String(DAILY) }),
    fixture.deps,
  )
  const url = await fixture.listen(service)
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})
afterAll(() => fixture?.stop())

const iodOf = (value: string, category: NewIod['category'] = 'URL'): NewIod => ({
  value,
  category,
  description: '',
  source_type: 'MANUAL',
})
const upsert = (
  iods: NewIod[],
  { user = ana.id, tlp = null as Tlp | null, import_id = undefined as string | undefined } = {},
) =>
  fixture.internal(iodsInternal.upsertIods, {
    body: { user_id: user, ...(import_id && { import_id }), iods: iods.map(iod => ({ iod, tlp })) },
  })
const find = (iods: NewIod[]) =>
  fixture.internal(iodsInternal.findIods, {
    body: { iods: iods.map(({ category, value }) => ({ category, value })) },
  })
const statement = async (id: string) =>
  (await fixture.internal(iodsInternal.stateIods, { body: { ids: [id] } }))[id]

describe('IODs of an import', () => {
  it('are created once by the user, and found afterwards', async () => {
    const { id: known } = await api.call(iodsApi.createIod, {
      body: iodInput({ value: 'Known', category: 'TITLE' }),
    })
    const mark = newId()
    const wanted = [iodOf(`https://e.org/${mark}`), iodOf(' KNOWN ', 'TITLE'), iodOf('known', 'SENTENCE')]
    expect(await find(wanted)).toEqual([null, known, null])
    const made = await upsert(wanted)
    expect(made.map(({ created }) => created)).toEqual([true, false, true])
    expect(made[1]?.id).toBe(known)
    expect(await upsert(wanted)).toEqual(made.map(({ id }) => ({ id, created: false })))
    expect(await find(wanted)).toEqual(made.map(({ id }) => id))
    const stored = await api.call(iodsApi.getIod, { params: { id: made[0]?.id as string } })
    expect(stored).toMatchObject({ value: `https://e.org/${mark}`, created_by_id: ana.id, votes: [] })
    expect((await api.call(iodsApi.listIods, { query: { q: mark } })).map(({ id }) => id)).toEqual([
      made[0]?.id,
    ])
    expect((await statement(stored.id))?.uid).toBe(iodUid(stored))
  })

  it('are equal for a hashtag with and without its sign, also in one call', async () => {
    const mark = newId()
    const made = await upsert([iodOf(`#Tag${mark}`, 'HASHTAGS'), iodOf(`tag${mark}`, 'HASHTAGS')])
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  it('are counted like other IODs', async () => {
    const before = await api.call(iodsApi.getIodFacets)
    await upsert([iodOf(newId(), 'KEYWORDS'), iodOf(newId(), 'KEYWORDS')])
    const after = await api.call(iodsApi.getIodFacets)
    expect(after.total - before.total).toBe(2)
    expect((after.categories.KEYWORDS ?? 0) - (before.categories.KEYWORDS ?? 0)).toBe(2)
  })

  it('have the level of their file; known IODs keep none', async () => {
    const [known, fresh] = [iodOf(newId()), iodOf(newId())]
    await upsert([known])
    const made = await upsert([known, fresh], { tlp: 'amber+strict' })
    expect((await statement(made[0]?.id as string))?.tlp).toBe(null)
    expect((await statement(made[1]?.id as string))?.tlp).toBe('amber+strict')
  })

  it('have the strictest level of the objects that name them', async () => {
    const [twice, lower, unmarked] = [iodOf(newId()), iodOf(newId()), iodOf(newId())]
    const made = await fixture.internal(iodsInternal.upsertIods, {
      body: {
        user_id: ana.id,
        iods: [
          { iod: twice, tlp: 'green' },
          { iod: lower, tlp: 'red' },
          { iod: unmarked, tlp: null },
          { iod: { ...twice, value: ` ${twice.value.toUpperCase()} ` }, tlp: 'red' },
          { iod: lower, tlp: 'amber' },
          { iod: unmarked, tlp: 'amber' },
        ],
      },
    })
    const levels = await Promise.all(made.map(async ({ id }) => (await statement(id))?.tlp))
    expect(levels).toEqual(['red', 'red', 'amber', 'red', 'red', 'amber'])
  })

  it('have the strictest level of their import’s parts; other imports do not raise it', async () => {
    const [known, marked, unmarked] = [iodOf(newId()), iodOf(newId()), iodOf(newId())]
    await upsert([known])
    const import_id = newId()
    await upsert([known, marked], { import_id, tlp: 'green' })
    await upsert([unmarked], { import_id })
    const levels = async (tlp: Tlp | null, of = import_id) => {
      const made = await upsert([known, marked, unmarked], { import_id: of, tlp })
      return Promise.all(made.map(async ({ id }) => (await statement(id))?.tlp))
    }
    expect(await levels('red', newId())).toEqual([null, 'green', null])
    expect(await levels('amber')).toEqual([null, 'amber', 'amber'])
    expect(await levels('clear')).toEqual([null, 'amber', 'amber'])
    expect(await levels(null)).toEqual([null, 'amber', 'amber'])
  })

  it('are published to the community in batches; a rejected IOD does not block others', async () => {
    const calls: string[][] = []
    let refused = ''
    fixture.answer(communityInternal.applyEvents, ({ body }) => {
      const ids = body.events.map(({ data }) => data.id)
      calls.push(ids)
      if (ids.includes(refused)) throw new HttpError(422, 'no')
      return DONE
    })
    const [one, two, three] = [iodOf(newId()), iodOf(newId()), iodOf(newId())]
    const ids = (await upsert([one, two, three])).map(({ id }) => id)
    await vi.waitFor(() => expect(calls.map(each => each.toSorted())).toEqual([ids.toSorted()]), 30_000)

    fixture.answer(communityInternal.applyEvents, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    const later = (await upsert([iodOf(newId()), iodOf(newId()), iodOf(newId())])).map(({ id }) => id)
    refused = later[1] as string
    const told: string[] = []
    fixture.answer(communityInternal.applyEvents, ({ body }) => {
      const ids = body.events.map(({ data }) => data.id)
      if (ids.includes(refused)) throw new HttpError(422, 'no')
      told.push(...ids)
      return DONE
    })
    await vi.waitFor(
      () => expect(told.toSorted()).toEqual(later.filter(id => id !== refused).toSorted()),
      30_000,
    )
    await vi.waitFor(async () => expect(await service.outbox.failed(9)).toHaveLength(1), 30_000)
  })

  it('expose their levels to services and users; other IODs have none', async () => {
    const mark = newId()
    const [secret] = await upsert([iodOf(`https://l.org/${mark}`)], { tlp: 'red' })
    const [plain] = await upsert([iodOf(`https://m.org/${mark}`)])
    const ids = [secret?.id as string, plain?.id as string, newId()]
    expect(await fixture.internal(iodsInternal.getLevels, { body: { ids } })).toEqual({
      [ids[0] as string]: 'red',
    })
    expect(await api.call(iodsApi.getLevels, { body: { ids } })).toEqual({ [ids[0] as string]: 'red' })
    const many = await api.send('POST', '/iods/levels', { ids: Array.from({ length: 501 }, newId) })
    expect(many.status).toBe(422)
  })

  it('receive the quotes of their file once', async () => {
    const value = `Mirrors ${newId()}`
    const [made] = await upsert([iodOf(value, 'SENTENCE')])
    const id = made?.id as string
    const exact = `So they say: ${value}`
    const quote = { role: 'text', pointer: '', start: 7, end: 7 + exact.length, exact } as const
    const rest = { prefix: '', suffix: '', url: null, captured_at: null }
    const body = { user_id: ana.id, iods: [{ id, quotes: [{ ...quote, ...rest }] }] }
    const take = () => fixture.internal(evidenceInternal.upsertEvidence, { body })
    expect(await take()).toEqual({ added: 1, known: 0, left_out: 0 })
    expect(await take()).toEqual({ added: 0, known: 1, left_out: 0 })
    const [listed] = await api.call(evidenceApi.listEvidence, { params: { id } })
    expect(listed).toMatchObject({ exact, kind: 'imported', seal: null, created_by_id: ana.id })
  })

  it('are created together or not: 413 when they exceed the quota', async () => {
    // The clock is fixed: the day must not end before its quota is used up.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const cy = await fixture.user('cy')
    const many = Array.from({ length: DAILY }, () => iodOf(newId()))
    await upsert(many.slice(0, DAILY - 1), { user: cy.id })
    const two = [many[DAILY - 1] as NewIod, iodOf(newId())]
    await expect(upsert(two, { user: cy.id })).rejects.toMatchObject({ status: 413 })
    expect(await find(two)).toEqual([null, null])
    expect(await upsert(many, { user: cy.id })).toHaveLength(DAILY)
  })

  it('are created once by concurrent calls', async () => {
    for (let round = 0; round < runs(3); round++) {
      const wanted = Array.from({ length: 10 }, () => iodOf(newId()))
      const user = (await fixture.user()).id
      const calls = await Promise.all(Array.from({ length: 8 }, () => upsert(wanted, { user })))
      for (const call of calls) expect(call.map(({ id }) => id)).toEqual(calls[0]?.map(({ id }) => id))
      expect(calls.flat().filter(({ created }) => created)).toHaveLength(10)
    }
  })
})
