import { authApi, campaignsApi, iodsApi } from '@iodine/contracts'
import { apiClient, iodInput, rounds } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../src/index.js'

let stack: TestStack

beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: 'boss@example.org' } })
})
afterAll(() => stack?.stop())

it('lets nobody but its creator edit or delete a campaign, whatever their role', async () => {
  const [creator, member, admin, nameless] = await Promise.all([
    stack.signUp(),
    stack.signUp(),
    stack.signUp('boss@example.org'),
    stack.signUp(undefined, null),
  ])
  const { code } = await creator.api.call(authApi.generateExtensionCode)
  // The creator's extension session too: its scope is collecting only.
  const { access_token } = await stack.api.call(authApi.redeemExtensionCode, { body: { code } })
  const { id } = await creator.api.call(campaignsApi.createCampaign, { body: { name: 'Mine' } })
  const iod = await creator.api.call(iodsApi.createIod, { body: iodInput() })
  const path = `/campaigns/${id}`
  for (const [who, api, status, reads] of [
    ['anonymous', stack.api, 401, 401],
    ['collector', apiClient(stack.url, access_token), 403, 403],
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
    ])
    const statuses = answers.map(answer => answer.status)
    // An invalid key is refused before ownership is checked.
    const misformed = reads === 200 ? 422 : status
    expect({ who, statuses }).toEqual({
      who,
      statuses: [status, misformed, status, reads, reads, reads, reads],
    })
  }
  expect(await creator.api.call(campaignsApi.getCampaign, { params: { id } })).toMatchObject({ name: 'Mine' })
  expect((await creator.api.send('PATCH', path, { name: 'Still mine' })).body.name).toBe('Still mine')
  expect((await creator.api.send('DELETE', path)).status).toBe(200)
})

it('keeps all of 20 additions at once, and nothing of a campaign deleted among them', async () => {
  const [ana, bo] = await Promise.all([stack.signUp(), stack.signUp()])
  const iods = await Promise.all(
    Array.from({ length: 20 }, () => ana.api.call(iodsApi.createIod, { body: iodInput() })),
  )
  const addAll = (id: string) =>
    iods.map((iod, n) => (n % 2 ? ana : bo).api.send('POST', `/campaigns/${id}/add-iod`, { iod_id: iod.id }))
  for (let round = 0; round < rounds(2); round++) {
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
}, 3_600_000)
