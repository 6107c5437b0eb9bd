import { mock } from 'node:test'
import { authApi, authInternal, DETAILS, LIMITS, profileApi } from '@iodine/contracts'
import { apiClient, runs } from '@iodine/test-kit'
import { afterEach, describe, expect, it } from 'vitest'
import { DAY_MS, serverOfFile, sidOf, statusOf, type TestServer } from './test-server.js'

const server = serverOfFile()
afterEach(() => mock.timers.reset())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'

const isLive = async (token: string) =>
  (await statusOf(server.internal(authInternal.checkSession, { body: { sid: sidOf(token) } }))) === 200
/** Moves the service's clock, which runs in this process, to `ms` after `start`. */
const moveClock = (start: number, ms: number) => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now: start + ms })
}
const connectExtension = async (api: Awaited<ReturnType<TestServer['signIn']>>['api']) => {
  const { code } = await api.call(authApi.generateExtensionCode)
  return (await server.anyone.call(authApi.redeemExtensionCode, { body: { code } })).access_token
}

describe('the list of sessions', () => {
  it('shows kind, browser and system, newest first, and marks the requesting session', async () => {
    const token = await server.linkToken('lister@example.org')
    const first = await server.anyone.send(
      'POST',
      '/auth/verify-magic-link',
      { token },
      { 'user-agent': FIREFOX },
    )
    const { api, token: second } = await server.signIn('lister@example.org')
    await connectExtension(api)
    const sessions = await api.call(profileApi.listSessions)
    expect(sessions.map(({ kind, current }) => [kind, current])).toEqual([
      ['extension', false],
      ['web', true],
      ['web', false],
    ])
    expect(sessions[2]).toMatchObject({ browser: 'Firefox', system: 'Linux' })
    expect(JSON.stringify(sessions)).not.toContain(sidOf(second))
    expect(JSON.stringify(sessions)).not.toContain(sidOf(first.body.access_token))
  })

  it('has pages that contain each session once', async () => {
    const mine = []
    for (let n = 0; n < 7; n++) mine.push(await server.signIn('pager@example.org'))
    const { api } = mine.at(-1)!
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const page = await api.send('GET', `/profile/sessions?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.headers.get('x-total-count')).toBe('7')
      ids.push(...page.body.map(({ id }: { id: string }) => id))
      cursor = page.headers.get('x-next-cursor')
    } while (cursor)
    expect(new Set(ids).size).toBe(7)
    expect(ids).toEqual((await api.call(profileApi.listSessions)).map(({ id }) => id))
  })

  it.each(['', 'x', '\u202e'.repeat(20), `Mozilla/5.0 ${'('.repeat(8_000)}`])(
    'accepts any user agent: %#',
    async agent => {
      const token = await server.linkToken('agent@example.org')
      const { status, body } = await server.anyone.send(
        'POST',
        '/auth/verify-magic-link',
        { token },
        { 'user-agent': encodeURI(agent) },
      )
      expect(status).toBe(200)
      const [{ browser, system } = { browser: '', system: '' }] = await apiClient(
        server.url,
        body.access_token,
      ).call(profileApi.listSessions)
      for (const name of [browser, system]) expect(name?.length ?? 1).toBeGreaterThan(0)
    },
  )

  it('is not available to the extension, and contains only the user’s sessions', async () => {
    const { api } = await server.signIn('private@example.org')
    const other = await server.signIn('curious@example.org')
    const extension = apiClient(server.url, await connectExtension(api))
    expect(await statusOf(extension.call(profileApi.listSessions))).toBe(403)
    expect(await other.api.call(profileApi.listSessions)).toHaveLength(1)
    const [mine] = await api.call(profileApi.listSessions)
    const theft = other.api.call(profileApi.endSession, { params: { id: mine!.id } })
    expect(await statusOf(theft)).toBe(404)
    expect(await api.call(profileApi.listSessions)).toHaveLength(2)
  })
})

describe('the number of sessions', () => {
  it('is limited: a new session ends the oldest', { tags: 'long' }, async () => {
    const [oldest, second] = [
      await server.signIn('crowd@example.org'),
      await server.signIn('crowd@example.org'),
    ]
    for (let n = 2; n < LIMITS.sessionsMax; n++) await connectExtension(second.api)
    expect(await isLive(oldest.token)).toBe(true)
    const newest = await connectExtension(second.api)
    const list = await second.api.send('GET', '/profile/sessions?limit=1')
    expect(list.headers.get('x-total-count')).toBe(String(LIMITS.sessionsMax))
    expect([await isLive(oldest.token), await isLive(second.token), await isLive(newest)]).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('ending sessions', () => {
  it('ends one, of a browser or of the extension, and no other', async () => {
    const [one, two] = [await server.signIn('ender@example.org'), await server.signIn('ender@example.org')]
    const extension = await connectExtension(one.api)
    for (const kind of ['extension', 'web'] as const) {
      const ending = (await one.api.call(profileApi.listSessions)).find(
        each => each.kind === kind && !each.current,
      )!
      await one.api.call(profileApi.endSession, { params: { id: ending.id } })
      expect(await statusOf(one.api.call(profileApi.endSession, { params: { id: ending.id } }))).toBe(404)
    }
    expect([await isLive(one.token), await isLive(two.token), await isLive(extension)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('invalidates the extension code that an ended session has created', async () => {
    const [mine, thief] = [
      await server.signIn('robbed@example.org'),
      await server.signIn('robbed@example.org'),
    ]
    const { code } = await thief.api.call(authApi.generateExtensionCode)
    await mine.api.call(profileApi.endOtherSessions)
    const redeemed = server.anyone.call(authApi.redeemExtensionCode, { body: { code } })
    expect(await statusOf(redeemed)).toBe(400)
    expect(await mine.api.call(profileApi.listSessions)).toHaveLength(1)
  })

  it('ends all others, whatever their number', { tags: 'long' }, async () => {
    const others = []
    for (let n = 0; n < 12; n++) others.push(await server.signIn('many@example.org'))
    const { api, token } = await server.signIn('many@example.org')
    const stranger = await server.signIn('untouched@example.org')
    expect(await api.call(profileApi.endOtherSessions)).toEqual({ ended: 12 })
    expect(await Promise.all(others.map(each => isLive(each.token)))).toEqual(Array(12).fill(false))
    expect([await isLive(token), await isLive(stranger.token)]).toEqual([true, true])
    expect(await api.call(profileApi.endOtherSessions)).toEqual({ ended: 0 })
  })

  it('ends a session under concurrent requests', async () => {
    for (let round = 0; round < runs(5); round++) {
      const [one, two] = [await server.signIn('twice@example.org'), await server.signIn('twice@example.org')]
      const all = await one.api.call(profileApi.listSessions)
      const id = all.find(each => !each.current)!.id
      const ended = await Promise.all(
        Array.from({ length: 10 }, () => statusOf(one.api.call(profileApi.endSession, { params: { id } }))),
      )
      expect(ended).toContain(200)
      expect(ended.every(status => status === 200 || status === 404)).toBe(true)
      expect(await isLive(two.token)).toBe(false)
    }
  })
})

describe('an unused session', () => {
  it('expires after 14 days in a browser, after 30 in the extension', async () => {
    const { token, api } = await server.signIn('idle@example.org')
    const extension = await connectExtension(api)
    const start = Date.now()
    moveClock(start, 13.9 * DAY_MS)
    // The check is a use of the browser's session; the extension's was not checked.
    expect(await isLive(token)).toBe(true)
    moveClock(start, 27.8 * DAY_MS)
    expect(await isLive(token)).toBe(true)
    moveClock(start, 29.9 * DAY_MS)
    expect(await isLive(extension)).toBe(true)
    moveClock(start, LIMITS.sessionMs + 60_000)
    expect([await isLive(token), await isLive(extension)]).toEqual([false, false])
  })

  it('of a browser is expired just after 14 days', async () => {
    const { token } = await server.signIn('away@example.org')
    moveClock(Date.now(), 14 * DAY_MS + 60_000)
    expect(await isLive(token)).toBe(false)
  })

  it('records its use at most every five minutes', async () => {
    const { token, api } = await server.signIn('seen@example.org')
    const start = Date.now()
    const seen = async () => Date.parse((await api.call(profileApi.listSessions))[0]!.last_seen_at)
    const opened = await seen()
    moveClock(start, 4 * 60_000)
    await isLive(token)
    expect(await seen()).toBe(opened)
    moveClock(start, 6 * 60_000)
    await isLive(token)
    expect(await seen()).toBe(start + 6 * 60_000)
  })
})

describe('the account of a link', () => {
  const read = (token: string) => server.anyone.send('POST', '/auth/read-magic-link', { token })

  it('is shown for its token, which stays unused', async () => {
    const token = await server.linkToken('reader@example.org')
    for (let n = 0; n < 3; n++)
      expect(await read(token)).toMatchObject({ status: 200, body: { email: 'reader@example.org' } })
    const { status } = await server.anyone.send('POST', '/auth/verify-magic-link', { token })
    expect(status).toBe(200)
    expect(await read(token)).toMatchObject({ status: 400, body: { detail: DETAILS.badToken } })
  })

  it('is not shown without a valid token', async () => {
    for (const token of ['', 'x', 'reader@example.org']) expect((await read(token)).status).toBe(400)
  })
})
