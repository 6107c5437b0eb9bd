import { accountsInternal, authApi, CATEGORIES, campaignsApi, iodsApi, SOURCE_TYPES } from '@iodine/contracts'
import { apiClient, facetsOf, iodInput, runs, seededRandom } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org' } })
})
afterAll(() => app?.stop())

it('permits only its creator to edit or delete a campaign, in any role', async () => {
  const [creator, member, admin, nameless] = await Promise.all([
    app.signUp(),
    app.signUp(),
    app.signUp('boss@example.org'),
    app.signUp(undefined, null),
  ])
  const { code } = await creator.api.call(authApi.generateExtensionCode)
  // Includes the creator's extension session, whose scope is collecting only.
  const { access_token } = await app.api.call(authApi.redeemExtensionCode, { body: { code } })
  const { id } = await creator.api.call(campaignsApi.createCampaign, { body: { name: 'Mine' } })
  const iod = await creator.api.call(iodsApi.createIod, { body: iodInput() })
  const path = `/campaigns/${id}`
  for (const [who, api, status, reads] of [
    ['anonymous', app.api, 401, 401],
    ['collector', apiClient(app.url, access_token), 403, 403],
    ['member', member.api, 403, 200],
    ['admin', admin.api, 403, 200],
    ['without a username', nameless.api, 403, 200],
  ] as const) {
    const answers = await Promise.all([
      api.send('PATCH', path, { name: 'Taken' }),
      api.send('PATCH', path, { created_by_id: member.id }),
      api.send('DELETE', path),
      api.send('GET', path),
      api.send('POST', `${path}/add-iod`, { iod_id: iod.id }),
      api.send('POST', `${path}/remove-iod`, { iod_id: iod.id }),
      api.send('GET', `${path}/export?format=csv`),
      api.send('GET', `${path}/statistics`),
    ])
    const statuses = answers.map(answer => answer.status)
    // An invalid key is rejected before ownership is checked.
    const misformed = reads === 200 ? 422 : status
    expect({ who, statuses }).toEqual({
      who,
      statuses: [status, misformed, status, reads, reads, reads, reads, reads],
    })
  }
  expect(await creator.api.call(campaignsApi.getCampaign, { params: { id } })).toMatchObject({ name: 'Mine' })
  expect((await creator.api.send('PATCH', path, { name: 'Still mine' })).body.name).toBe('Still mine')
  expect((await creator.api.send('DELETE', path)).status).toBe(200)
})

it('stores all of 20 concurrent additions, and none for a campaign deleted in between', {
  tags: 'long',
  timeout: 3_600_000,
}, async () => {
  const [ana, bo] = await Promise.all([app.signUp(), app.signUp()])
  const iods = await Promise.all(
    Array.from({ length: 20 }, () => ana.api.call(iodsApi.createIod, { body: iodInput() })),
  )
  const addAll = (id: string) =>
    iods.map((iod, n) => (n % 2 ? ana : bo).api.send('POST', `/campaigns/${id}/add-iod`, { iod_id: iod.id }))
  for (let round = 0; round < runs(2); round++) {
    const [kept, lost] = await Promise.all(
      ['Kept', 'Lost'].map(name => ana.api.call(campaignsApi.createCampaign, { body: { name } })),
    )
    const [keptId, lostId] = [kept?.id ?? '', lost?.id ?? '']
    for (const { status } of await Promise.all(addAll(keptId))) expect(status).toBe(200)
    const detail = await bo.api.call(campaignsApi.getCampaign, { params: { id: keptId } })
    expect(detail.iod_count).toBe(20)
    expect(detail.iods.map(({ id }) => id).sort()).toEqual(iods.map(({ id }) => id).sort())

    const adding = addAll(lostId)
    if (round % 2 === 0) await Promise.race(adding)
    expect((await ana.api.send('DELETE', `/campaigns/${lostId}`)).status).toBe(200)
    for (const { status } of await Promise.all(adding)) expect([200, 404]).toContain(status)
    for (const path of [`/campaigns/${lostId}`, `/campaigns/${lostId}/export`])
      expect((await ana.api.send('GET', path)).status).toBe(404)
    const mine = await ana.api.call(campaignsApi.listMyCampaigns)
    expect(mine.map(({ id }) => id)).not.toContain(lostId)
  }
})

it('returns statistics equal to a recount after additions, removals, votes and a deleted account', {
  tags: 'long',
  timeout: 3_600_000,
}, async () => {
  const random = seededRandom(7)
  const below = (n: number) => Math.floor(random() * n)
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] ?? expect.unreachable()
  const users = await Promise.all([app.signUp(), app.signUp(), app.signUp()])
  const [ana, leaver] = users
  const iods: string[] = []
  for (let n = 0; n < 200; n += 10) {
    const made = Array.from({ length: 10 }, () => {
      const body = iodInput({
        category: oneOf(CATEGORIES.slice(0, 4)),
        source_type: oneOf(SOURCE_TYPES.slice(0, 3)),
      })
      return oneOf(users).api.call(iodsApi.createIod, { body })
    })
    iods.push(...(await Promise.all(made)).map(({ id }) => id))
  }
  const { id } = await leaver.api.call(campaignsApi.createCampaign, { body: { name: 'Counted' } })
  const params = { id }
  const expectExact = async () => {
    const detail = await ana.api.call(campaignsApi.getCampaign, { params })
    const { total: iod_count, ...counts } = facetsOf(detail.iods)
    const votes = detail.iods.reduce((sum, iod) => sum + iod.votes.length, 0)
    const statistics = await ana.api.call(campaignsApi.getStatistics, { params })
    expect(statistics).toEqual({ ...counts, iod_count, votes, comments: 0 })
  }
  const add = (iod_ids: string[]) =>
    oneOf(users).api.call(campaignsApi.addIods, { params, body: { iod_ids } })
  await add(iods.slice(0, 150))
  await expectExact()
  for (let step = 0; step < 12 * runs(1); step++) {
    const work = [
      () => add(Array.from({ length: 20 }, () => oneOf(iods))),
      () => oneOf(users).api.send('POST', `/campaigns/${id}/remove-iod`, { iod_id: oneOf(iods) }),
      () => oneOf(users).api.send('POST', `/iods/${oneOf(iods)}/vote`, { vote_type: 'POSITIVE' }),
      () => ana.api.call(campaignsApi.getStatistics, { params }),
    ]
    await Promise.all(Array.from({ length: 6 }, () => oneOf(work)()))
    await expectExact()
  }
  const { id: deletion } = await app.peers.call('auth', accountsInternal.deleteAccount, {
    body: { email: leaver.email },
  })
  await expect
    .poll(() => app.peers.call('auth', accountsInternal.getDeletion, { params: { id: deletion } }), {
      timeout: 60_000,
    })
    .toEqual({ erased: true })
  await expectExact()
})
