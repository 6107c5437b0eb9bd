import { createHash } from 'node:crypto'
import { authApi, authInternal, DETAILS } from '@iodine/contracts'
import { sessionKey } from '@iodine/service-kit'
import { apiClient, redisContents, runs, startTestRedis } from '@iodine/test-kit'
import { describe, expect, it } from 'vitest'
import {
  PUBLIC_URL,
  refusal,
  serverOfFile,
  sidOf,
  startTestServer,
  statusOf,
  tokenIn,
} from './test-server.js'

const server = serverOfFile()

const request = (body: unknown, headers?: Record<string, string>) =>
  server.anyone.send('POST', '/auth/request-magic-link', body, headers)
const verify = (token: unknown) => server.anyone.send('POST', '/auth/verify-magic-link', { token })
const links = () => server.service.mongo.models.MagicLinks!
const sessions = () => server.service.mongo.models.Session!

describe('a link', () => {
  it('is mailed to the address, opens a session once, and creates the account', async () => {
    const token = await server.linkToken(' First@Example.org ')
    expect(server.mails.at(-1)).toEqual({
      template: 'magic-link',
      to: 'first@example.org',
      link: `${PUBLIC_URL}/magic-login?token=${token}`,
    })
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)

    const first = await verify(token)
    expect(first).toMatchObject({ status: 200, body: { has_username: false } })
    expect(Object.keys(first.body).sort()).toEqual(['access_token', 'has_username'])
    expect(await verify(token)).toMatchObject(refusal(400, DETAILS.badToken))

    const again = await server.signIn('FIRST@example.org')
    const profile = await again.api.send('GET', '/profile/me')
    expect(profile.body).toMatchObject({ email: 'first@example.org', username: null, is_admin: false })
    expect(await server.service.mongo.models.User!.countDocuments({ email: 'first@example.org' })).toBe(1)
  })

  it('is stored only as a SHA-256 hash, for 15 minutes', async () => {
    const token = await server.linkToken('hash@example.org')
    expect(await server.dump()).not.toContain(token)
    const doc = (await links().findById('hash@example.org').lean()) as unknown as {
      links: { token_hash: string; expires_at: Date }[]
    }
    expect(doc.links[0]?.token_hash).toBe(createHash('sha256').update(token).digest('base64url'))
    const left = (doc.links[0]?.expires_at.getTime() ?? 0) - Date.now()
    expect(left).toBeGreaterThan(14 * 60_000)
    expect(left).toBeLessThanOrEqual(15 * 60_000)
    expect((await links().listIndexes()).find(index => index.key.expires_at)).toMatchObject({
      expireAfterSeconds: 0,
    })
  })

  it('is invalid after 15 minutes, even before the database removes it', async () => {
    const token = await server.linkToken('late@example.org')
    await links().updateOne({ _id: 'late@example.org' }, { $set: { 'links.0.expires_at': new Date() } })
    expect(await verify(token)).toMatchObject(refusal(400, DETAILS.badToken))
  })

  it('opens exactly one session under 50 concurrent requests', async () => {
    for (let round = 0; round < runs(5); round++) {
      const email = `race${round}@example.org`
      const token = await server.linkToken(email)
      const answers = await Promise.all(Array.from({ length: 50 }, () => verify(token)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
      const user = await server.service.mongo.models.User!.findOne({ email })
      expect(await sessions().countDocuments({ user_id: user?._id })).toBe(1)
    }
  }, 3_600_000)

  it('invalidates the other links of the address when used, also when all are used at once', async () => {
    const [old, used] = [await server.linkToken('two@example.org'), await server.linkToken('two@example.org')]
    const other = await server.linkToken('other@example.org')
    expect((await verify(used)).status).toBe(200)
    expect(await verify(old)).toMatchObject(refusal(400, DETAILS.badToken))
    expect((await verify(other)).status).toBe(200)

    const tokens = await Promise.all(Array.from({ length: 10 }, () => server.linkToken('many@example.org')))
    const answers = await Promise.all([...new Set(tokens)].map(verify))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('stays valid when fetched', async () => {
    const token = await server.linkToken('scanner@example.org')
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
      for (const path of ['/auth/verify-magic-link', '/auth/verify', '/magic-login'])
        expect((await fetch(`${server.url}/api/v1${path}?token=${token}`, { method })).status).toBe(404)
    expect((await verify(token)).status).toBe(200)
  })

  it.each([['x'], ['x'.repeat(43)], ['../..'], ['{"$ne":null}'], ['é']])('rejects %s', async token => {
    expect(await verify(token)).toMatchObject(refusal(400, DETAILS.badToken))
  })
})

describe('a request for a link', () => {
  it('gets the same response for a known and an unknown address', async () => {
    await server.signIn('known@example.org')
    const known = await request({ email: 'known@example.org', is_extension: false })
    const unknown = await request({ email: 'unknown@example.org', invite_code: 'ignored' })
    expect([known.status, known.body]).toEqual([200, { requires_beta_code: false }])
    expect([unknown.status, unknown.body]).toEqual([200, { requires_beta_code: false }])
  })

  it.each([
    [{}, /^email: /],
    [{ email: 'nobody' }, /^email: must be an e-mail address/],
    [{ email: ['a@example.org'] }, /^email: /],
    [{ email: { $gt: '' } }, /^email: /],
    [{ email: `${'x'.repeat(250)}@example.org` }, /^email: is too long/],
    [{ email: 'a@example.org, b@example.org' }, /^email: /],
    [{ email: 'a@example.org', is_admin: true }, /^is_admin: is not a known field/],
    [{ email: 'a@example.org', invite_code: 7 }, /^invite_code: /],
  ])('is rejected for %j', async (body, message) => {
    const answer = await request(body)
    expect(answer).toMatchObject({ status: 422, body: { detail: [expect.stringMatching(message)] } })
  })

  it('signs in to one account for every notation of the address', async () => {
    const idOf = async (email: string, to: string) => {
      const before = server.mails.length
      expect((await request({ email })).status).toBe(200)
      const { body } = await verify(tokenIn(await server.mail('magic-link', to, before)))
      return (await apiClient(server.url, body.access_token).send('GET', '/profile/me')).body
    }
    const [composed, sent] = ['jos\u00e9@b\u00fccher.example', 'jos\u00e9@xn--bcher-kva.example']
    const account = await idOf(composed, sent)
    expect(account.email).toBe(composed)
    for (const written of [
      'jose\u0301@bu\u0308cher.example',
      ' JOS\u00c9@B\u00dcCHER.Example ',
      sent,
      'Jose\u0301@XN--BCHER-KVA.EXAMPLE',
      'jos\u00e9@b\u00fccher\u3002example',
    ])
      expect([written, (await idOf(written, sent)).id]).toEqual([written, account.id])
    for (const none of ['a@ex\u00e4mple.org/x', 'a@\u00e4%41.org', 'a@xn--\u00e4.org', 'a@\u00e4..org'])
      expect([none, (await request({ email: none })).status]).toEqual([none, 422])
  })

  it('is rejected if it is not JSON', async () => {
    expect((await request('{"email":')).status).toBe(400)
    expect((await request('x', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('is limited per address and per client, with Retry-After', async () => {
    // A use is counted in the process, apart from the others, if Redis does not answer in time.
    const limited = await startTestServer(server.fixture, { RATE_LIMITS: 'on' }, { redisTimeoutMs: 60_000 })
    const ask = (email: string, from: string) =>
      limited.anyone.send('POST', '/auth/request-magic-link', { email }, { 'x-forwarded-for': from })
    const expectLimited = (answer: Awaited<ReturnType<typeof ask>>, seconds: number) => {
      expect(answer).toMatchObject(refusal(429, DETAILS.tooManyRequests))
      const wait = Number(answer.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(seconds)
    }
    for (let n = 1; n <= 5; n++) expect((await ask('same@example.org', `203.0.113.${n}`)).status).toBe(200)
    expectLimited(await ask(' Same@example.org', '203.0.113.6'), 60)
    for (let n = 1; n <= 30; n++) expect((await ask(`n${n}@example.org`, '198.51.100.1')).status).toBe(200)
    expectLimited(await ask('n31@example.org', '198.51.100.1'), 300)
    expect((await ask('n31@example.org', '198.51.100.2')).status).toBe(200)
    // The limiter counts IPv6 clients by network, as a client usually has a whole one.
    for (let n = 1; n <= 30; n++)
      expect((await ask(`v${n}@example.org`, `2001:db8:0:1::${n}`)).status).toBe(200)
    expectLimited(await ask('v31@example.org', '2001:db8:0:1:ffff::1'), 300)
    expect(await redisContents(server.fixture.redis.url)).not.toContain('same@example.org')
    await limited.close()
  })

  it('is limited to 20 mails an hour per address, for all clients and accounts', {
    tags: 'long',
  }, async () => {
    const limited = await startTestServer(server.fixture, { RATE_LIMITS: 'on' })
    const { redis, config } = limited.service
    const ask = (email: string, n: number) =>
      limited.anyone.send(
        'POST',
        '/auth/request-magic-link',
        { email },
        { 'x-forwarded-for': `203.0.113.${n}` },
      )
    const aMinuteLater = async () => {
      const counted = await redis.keys(`${config.REDIS_PREFIX}:limit:sign-in-email:*`)
      if (counted.length > 0) await redis.del(...counted)
    }
    const known = 'often@example.org'
    await limited.signIn(known)
    const refusals = await Promise.all(
      [
        { email: known, before: 1 },
        { email: 'never@example.org', before: 0 },
      ].map(async ({ email, before }) => {
        for (let n = before; n < 20; n++) {
          if (n % 4 === 0) await aMinuteLater()
          expect((await ask(email, n)).status).toBe(200)
        }
        await aMinuteLater()
        return ask(email, 100)
      }),
    )
    for (const answer of refusals) {
      expect(answer).toMatchObject(refusal(429, DETAILS.tooManyRequests))
      const wait = Number(answer.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(60)
      expect(wait).toBeLessThanOrEqual(3_600)
    }
    await limited.close()
  })

  it('sends its mail after an outage of Redis', async () => {
    const redis = await startTestRedis()
    const lonely = await startTestServer(server.fixture, { REDIS_URL: redis.url })
    const { api } = await lonely.signIn('before@example.org')
    await redis.stop()
    const email = 'away@example.org'
    const answer = await lonely.anyone.send('POST', '/auth/request-magic-link', { email })
    expect(answer.status).toBe(200)
    expect((await api.send('GET', '/profile/me')).status).toBe(200)
    await lonely.close()
    // Another process has a Redis that answers.
    expect(tokenIn(await server.mail('magic-link', email))).not.toBe('')
  })
})

describe('a session', () => {
  const check = (sid: string) => server.internal(authInternal.checkSession, { body: { sid } })

  it('lasts 30 days in its token, its document, and the response to the gateway', async () => {
    const { token } = await server.signIn('session@example.org')
    const { exp, iat, sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(exp - iat).toBe(30 * 24 * 3600)
    expect(await check(sidOf(token))).toEqual({ user_id: sub, scope: 'full' })
    const key = sessionKey(server.service.config.REDIS_PREFIX, sidOf(token))
    expect(JSON.parse((await server.service.redis.get(key)) ?? '')).toEqual({ user_id: sub, scope: 'full' })
    expect(await server.service.redis.ttl(key)).toBeLessThanOrEqual(60)
    expect((await sessions().listIndexes()).find(index => index.key.expires_at)).toMatchObject({
      expireAfterSeconds: 0,
    })
  })

  it('is not checked without the service key', async () => {
    const response = await fetch(`${server.url}/internal/sessions/check`, { method: 'POST' })
    expect(response.status).toBe(404)
  })

  it('ends at once and permanently, without effect on other sessions', async () => {
    const [one, two] = [await server.signIn('leaver@example.org'), await server.signIn('leaver@example.org')]
    const sid = sidOf(one.token)
    await check(sid)
    expect(await one.api.send('POST', '/auth/logout')).toMatchObject({
      status: 200,
      body: { logged_out: true },
    })
    expect(await statusOf(check(sid))).toBe(404)
    const key = sessionKey(server.service.config.REDIS_PREFIX, sid)
    expect(await server.service.redis.get(key)).toBe('revoked')
    await check(sidOf(two.token))
    expect((await one.api.send('POST', '/auth/logout', {})).status).toBe(200)
  })

  it('is never restored by a concurrent check', { tags: 'long' }, async () => {
    for (let round = 0; round < 20; round++) {
      const { token, api } = await server.signIn('racer@example.org')
      const sid = sidOf(token)
      await Promise.allSettled([check(sid), check(sid), api.call(authApi.logout), check(sid), check(sid)])
      const key = sessionKey(server.service.config.REDIS_PREFIX, sid)
      expect(await server.service.redis.get(key)).toBe('revoked')
      expect(await statusOf(check(sid))).toBe(404)
    }
  })

  it('is checked without delay while Redis hangs', async () => {
    const redis = await startTestRedis()
    const lonely = await startTestServer(server.fixture, { REDIS_URL: redis.url })
    const { token } = await lonely.signIn('patient@example.org')
    process.kill(redis.pid, 'SIGSTOP')
    try {
      // One quick answer shows the service's wait; a busy machine slows others down.
      const answerMs = async () => {
        const begun = performance.now()
        await lonely.internal(authInternal.checkSession, { body: { sid: sidOf(token) } })
        return performance.now() - begun
      }
      await expect.poll(answerMs, { interval: 0 }).toBeLessThan(1_000)
    } finally {
      process.kill(redis.pid, 'SIGCONT')
    }
    await lonely.close()
    await redis.stop()
  })

  it('is rejected after its expiry, even if it is still stored', async () => {
    const { token } = await server.signIn('old@example.org')
    await sessions().updateOne({ _id: sidOf(token) }, { $set: { expires_at: new Date() } })
    expect(await statusOf(check(sidOf(token)))).toBe(404)
  })

  it('requires a token signed by this service', async () => {
    const stranger = await startTestServer(server.fixture)
    const { token } = await stranger.signIn('stranger@example.org')
    await stranger.close()
    for (const value of [undefined, 'Bearer x', `Basic ${token}`, `Bearer ${token}`])
      expect(
        await server.anyone.send('GET', '/profile/me', undefined, value ? { authorization: value } : {}),
      ).toMatchObject(refusal(401, DETAILS.unauthenticated))
  })
})

describe('an extension code', () => {
  const redeem = (code: string) => server.anyone.send('POST', '/auth/redeem-extension-code', { code })

  it('becomes one token with the collector’s scope, once', async () => {
    const { api } = await server.signIn('collector@example.org')
    const before = Date.now()
    const { status, body } = await api.send('POST', '/auth/generate-extension-code')
    expect(status).toBe(200)
    // Ten characters of an alphabet of 32: 50 bits.
    expect(body.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
    expect(Date.parse(body.expires_at)).toBeGreaterThanOrEqual(before + 300_000)
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now() + 300_000)
    expect(await server.dump()).not.toContain(body.code)

    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(body.code)))
    const [done, ...others] = answers.filter(answer => answer.status === 200)
    expect(others).toEqual([])
    expect(answers.filter(answer => answer.status === 400)).toHaveLength(19)
    expect(await redeem(body.code)).toMatchObject(refusal(400, DETAILS.badExtensionCode))

    const collector = { authorization: `Bearer ${done?.body.access_token}` }
    const send = (method: string, path: string, input?: unknown) =>
      server.anyone.send(method, path, input, collector)
    expect((await send('GET', '/profile/me')).body.email).toBe('collector@example.org')
    for (const [method, path, input] of [
      ['POST', '/profile/setup-username', { username: 'sneaky' }],
      ['POST', '/profile/update-openai-key', { api_key: 'sk-x' }],
      ['DELETE', '/profile/remove-openai-key'],
      ['POST', '/auth/generate-extension-code'],
      ['GET', '/admin/beta-codes'],
      ['POST', '/admin/beta-codes', {}],
    ] as const)
      expect(await send(method, path, input)).toMatchObject(refusal(403, DETAILS.collectorScope))
    expect((await send('POST', '/auth/logout')).status).toBe(200)
  })

  it('is accepted as people type it', async () => {
    const { api } = await server.signIn('typist@example.org')
    const { body } = await api.send('POST', '/auth/generate-extension-code', {})
    expect((await redeem(` ${body.code.toLowerCase().replace('-', ' ')} `)).status).toBe(200)
  })

  it('is the only live code of its user, for 5 minutes', async () => {
    const { api } = await server.signIn('again@example.org')
    const generate = async (): Promise<string> =>
      (await api.send('POST', '/auth/generate-extension-code')).body.code
    const [first, second] = [await generate(), await generate()]
    expect((await redeem(first)).status).toBe(400)
    await server.service.mongo.models.ExtensionCode!.updateMany({}, { $set: { expires_at: new Date() } })
    expect((await redeem(second)).status).toBe(400)
    expect(await redeem('nonsense')).toMatchObject(refusal(400, DETAILS.badExtensionCode))
    const codes = await Promise.all(Array.from({ length: 10 }, generate))
    const answers = await Promise.all(codes.map(redeem))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})
