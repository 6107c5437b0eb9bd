import { campaignsApi, iodsApi, peopleApi, profileApi } from '@iodine/contracts'
import { apiClient, blogArticle, iodInput, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
let boss: SignedInUser
beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org', QUOTA_CAMPAIGNS: '2' } })
  boss = await app.signUp('boss@example.org')
})
afterAll(() => app?.stop())

const give = async (user: SignedInUser, body: object) => {
  const { id } = await user.api.call(profileApi.getProfile)
  return boss.api.call(peopleApi.changeLimits, { params: { id }, body })
}

it('a service enforces a user’s raised or lowered limit, without affecting other users', async () => {
  const [user, other] = [await app.signUp(), await app.signUp()]
  const campaign = async ({ api }: SignedInUser) =>
    (await api.send('POST', '/campaigns', { name: 'One' })).status
  expect([await campaign(user), await campaign(user), await campaign(user)]).toEqual([201, 201, 413])
  await give(user, { campaigns: 3 })
  expect([await campaign(user), await campaign(user)]).toEqual([201, 413])
  await give(user, { campaigns: 1 })
  const { campaigns } = await user.api.call(profileApi.getUsage)
  expect(campaigns).toEqual({ used: 3, limit: 1 })
  const [one] = await user.api.call(campaignsApi.listMyCampaigns)
  await user.api.call(campaignsApi.deleteCampaign, { params: { id: one?.id ?? '' } })
  expect(await campaign(user)).toBe(413)
  expect([await campaign(other), await campaign(other), await campaign(other)]).toEqual([201, 201, 413])
  await give(user, { campaigns: null })
  expect((await user.api.call(profileApi.getUsage)).campaigns).toEqual({ used: 2, limit: 2 })
})

it('services enforce a user’s limits of IODs, of records per request and of campaign members', {
  tags: 'long',
}, async () => {
  const user = await app.signUp()
  await give(user, { iods_today: 2, records: 1, campaign_iods: 1 })
  const iods = [await user.api.call(iodsApi.createIod, { body: iodInput() })]
  iods.push(await user.api.call(iodsApi.createIod, { body: iodInput() }))
  expect((await user.api.send('POST', '/iods', iodInput())).status).toBe(413)
  const { body } = await user.api.send('POST', '/blog/data', { records: [blogArticle(), blogArticle()] })
  expect(body.results.map((result: object) => 'error' in result)).toEqual([false, true])
  const { id } = await user.api.call(campaignsApi.createCampaign, { body: { name: 'Small' } })
  const add = (n: number) => user.api.send('POST', `/campaigns/${id}/add-iod`, { iod_id: iods[n]?.id })
  expect([(await add(0)).status, (await add(1)).status]).toEqual([200, 413])
  const other = await app.signUp()
  const others = await other.api.send('POST', `/campaigns/${id}/add-iods`, { iod_ids: [iods[1]?.id] })
  expect(others.status).toBe(413)
  await give(user, { campaign_iods: 2 })
  expect((await add(1)).status).toBe(200)
})

it('a stopped service applies a changed limit once it is back', { tags: 'long' }, async () => {
  const user = await app.signUp()
  await app.parts.campaigns.stop()
  try {
    const { limits_pending, usage } = await give(user, { campaigns: 1 })
    expect([limits_pending, usage.campaigns]).toEqual([true, null])
    const parts = await boss.api.send('GET', '/admin/parts')
    const states = Object.fromEntries(
      parts.body.map(({ name, state }: Record<string, string>) => [name, state]),
    )
    expect(states).toMatchObject({ campaigns: 'down', auth: 'up', workers: 'up' })
  } finally {
    await app.parts.campaigns.start()
  }
  await vi.waitFor(
    async () => expect((await user.api.call(profileApi.getUsage)).campaigns).toEqual({ used: 0, limit: 1 }),
    { timeout: 60_000, interval: 200 },
  )
})

it('rejects a user’s API tokens and feed keys at the next call after their revocation, also under load', async () => {
  const user = await app.signUp()
  const { id } = await user.api.call(profileApi.getProfile)
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  for (let round = 0; round < runs(2); round++) {
    const { token } = await user.api.call(profileApi.createApiToken, {
      body: { name: 'A script', scopes: ['read'], expires_at },
    })
    const { key } = await user.api.call(profileApi.createFeedKey, { body: { label: 'A tool', tlp: 'green' } })
    const script = apiClient(app.url, token)
    const paths = ['/profile/me', '/iods', '/campaigns', '/narratives/data', '/blog/data']
    const uses = [
      ...paths.map(path => async () => (await script.send('GET', path)).status),
      async () => {
        const headers = { authorization: `Bearer ${key}` }
        const answer = await fetch(`${app.url}/taxii2/`, { headers })
        await answer.text()
        return answer.status
      },
    ]
    for (const use of uses) expect(await use()).toBe(200)
    let isRevoked = false
    let isOver = false
    const late = uses.map((): number[] => [])
    const firing = uses.map(async (use, n) => {
      while (!isOver) {
        const after = isRevoked
        const status = await use()
        if (after) late[n]?.push(status)
      }
    })
    const revoked = await boss.api.call(peopleApi.revokePersonTokens, { params: { id } })
    isRevoked = true
    await expect
      .poll(() => Math.min(...late.map(({ length }) => length)), { timeout: 30_000 })
      .toBeGreaterThan(3)
    isOver = true
    await Promise.all(firing)
    expect(revoked).toEqual({ api_tokens: 1, feed_keys: 1 })
    expect(new Set(late.flat())).toEqual(new Set([401]))
  }
  // The revocation does not end sessions.
  expect((await user.api.send('GET', '/profile/me')).status).toBe(200)
})

it('every part immediately rejects a suspended user until the account is unsuspended', async () => {
  const user = await app.signUp('suspended@example.org')
  const { id } = await user.api.call(profileApi.getProfile)
  const paths = ['/profile/me', '/iods', '/campaigns', '/narratives/data', '/blog/data', '/community/users']
  const statuses = () => Promise.all(paths.map(async path => (await user.api.send('GET', path)).status))
  expect(new Set(await statuses())).toEqual(new Set([200]))
  await boss.api.call(peopleApi.suspendPerson, { params: { id } })
  expect(new Set(await statuses())).toEqual(new Set([401]))
  await boss.api.call(peopleApi.unsuspendPerson, { params: { id } })
  expect(new Set(await statuses())).toEqual(new Set([401]))
  expect((await (await app.signUp('suspended@example.org')).api.send('GET', '/iods')).status).toBe(200)
})
