import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { accountsInternal, adminApi, authApi, DETAILS, LIMITS, profileApi } from '@iodine/contracts'
import { type ApiClient, apiClient, runs, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Authenticator } from './authenticator.js'
import { PUBLIC_URL, startTestServer, type TestServer } from './test-server.js'

let fixture: ServiceFixture
let server: TestServer
beforeAll(async () => {
  fixture = await startServiceFixture()
  server = await startTestServer(fixture)
})
afterEach(() => mock.timers.reset())
afterAll(async () => {
  await server?.close()
  await fixture?.stop()
})

const challengeOf = async (at = server) => (await at.anyone.call(authApi.passkeyOptions)).challenge
const signIn = async (credential: unknown, at = server) =>
  at.anyone.send('POST', '/auth/verify-passkey', { credential })
const refusal = (status: number, detail: string) => ({ status, body: { detail } })
const refused = refusal(400, DETAILS.badPasskey)

const addPasskey = async (api: ApiClient, authenticator = new Authenticator(PUBLIC_URL), name = 'Laptop') => {
  const { challenge } = await api.call(profileApi.newPasskeyOptions)
  const passkey = await api.call(profileApi.createPasskey, {
    body: { name, credential: authenticator.create(challenge) },
  })
  return { authenticator, passkey }
}

describe('a passkey', () => {
  it('is added, signs in, is renamed, and is rejected after its deletion', async () => {
    const { api } = await server.signIn('keys@example.org')
    const { authenticator, passkey } = await addPasskey(api)
    expect(passkey).toMatchObject({ name: 'Laptop', last_used_at: null })

    const answer = await signIn(authenticator.get(await challengeOf()))
    expect(answer).toMatchObject({ status: 200, body: { has_username: false } })
    const mine = apiClient(server.url, answer.body.access_token)
    expect(await mine.call(profileApi.getProfile)).toMatchObject({ email: 'keys@example.org' })
    const [listed] = await api.call(profileApi.listPasskeys)
    expect(listed?.last_used_at).not.toBeNull()

    const params = { id: passkey.id }
    expect(await api.call(profileApi.renamePasskey, { params, body: { name: '<b>Key</b>' } })).toMatchObject({
      name: '<b>Key</b>',
    })
    await api.call(profileApi.deletePasskey, { params })
    expect(await signIn(authenticator.get(await challengeOf()))).toMatchObject(refused)
    expect(await api.call(profileApi.listPasskeys)).toEqual([])
  })

  it('is accessible only to its owner', async () => {
    const { api } = await server.signIn('owner@example.org')
    const { passkey } = await addPasskey(api)
    const other = await server.signIn('other@example.org')
    const path = `/profile/passkeys/${passkey.id}`
    expect((await other.api.send('DELETE', path)).status).toBe(404)
    expect((await other.api.send('PATCH', path, { name: 'Mine' })).status).toBe(404)
    expect(await other.api.call(profileApi.listPasskeys)).toEqual([])
  })

  it('of a suspended or deleted account is rejected', async () => {
    const { api } = await server.signIn('closed@example.org')
    const { authenticator } = await addPasskey(api)
    const body = { email: 'closed@example.org' }
    await server.internal(accountsInternal.suspendAccount, { body })
    expect(await signIn(authenticator.get(await challengeOf()))).toMatchObject(refused)
    await server.internal(accountsInternal.unsuspendAccount, { body })
    expect((await signIn(authenticator.get(await challengeOf()))).status).toBe(200)
    await server.internal(accountsInternal.deleteAccount, { body })
    expect(await signIn(authenticator.get(await challengeOf()))).toMatchObject(refused)
    expect(await server.dump()).not.toContain(authenticator.id.toString('base64url'))
  })

  it('is limited to 20 per user, also under concurrency', { tags: 'long' }, async () => {
    const { api } = await server.signIn('collectionist@example.org')
    const challenges = await Promise.all(
      Array.from({ length: 24 }, async () => (await api.call(profileApi.newPasskeyOptions)).challenge),
    )
    const answers = await Promise.all(
      challenges.map(each =>
        api.send('POST', '/profile/passkeys', {
          name: 'One of many',
          credential: new Authenticator(PUBLIC_URL).create(each),
        }),
      ),
    )
    expect(await api.call(profileApi.listPasskeys)).toHaveLength(LIMITS.passkeysMax)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMITS.passkeysMax)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject(refusal(413, DETAILS.passkeysFull))
  })

  it('is rejected if it is known, or for another account’s challenge', async () => {
    const { api } = await server.signIn('twice@example.org')
    const { authenticator } = await addPasskey(api)
    const again = async (who: ApiClient, challenge: string) =>
      who.send('POST', '/profile/passkeys', { name: 'Again', credential: authenticator.create(challenge) })
    const { challenge } = await api.call(profileApi.newPasskeyOptions)
    expect(await again(api, challenge)).toMatchObject(refusal(409, DETAILS.passkeyKnown))
    const other = await server.signIn('thief@example.org')
    const theirs = (await other.api.call(profileApi.newPasskeyOptions)).challenge
    expect(await again(api, theirs)).toMatchObject(refused)
    expect(await again(api, await challengeOf())).toMatchObject(refused)
  })
})

describe('a response for a new passkey', () => {
  it('triggers no outgoing request, whatever certificates it contains', async () => {
    const asked: (string | undefined)[] = []
    const inside = createServer(({ url }, answer) => {
      asked.push(url)
      answer.end()
    })
    await once(inside.listen(0, '127.0.0.1'), 'listening')
    const { port } = inside.address() as AddressInfo
    const { api } = await server.signIn('attested@example.org')
    const { challenge } = await api.call(profileApi.newPasskeyOptions)
    const credential = await new Authenticator(PUBLIC_URL).createAttested(
      challenge,
      `http://127.0.0.1:${port}/internal`,
    )
    const answer = await api.send('POST', '/profile/passkeys', { name: 'Attested', credential })
    inside.close()
    expect(answer).toMatchObject(refused)
    expect(asked).toEqual([])
  })

  it('leaves no data of an account deleted meanwhile', async () => {
    const { api } = await server.signIn('leaving@example.org')
    const { challenge } = await api.call(profileApi.newPasskeyOptions)
    await server.internal(accountsInternal.deleteAccount, { body: { email: 'leaving@example.org' } })
    const authenticator = new Authenticator(PUBLIC_URL)
    const credential = authenticator.create(challenge)
    expect(await api.send('POST', '/profile/passkeys', { name: 'Late', credential })).toMatchObject(
      refusal(401, DETAILS.unauthenticated),
    )
    expect(await server.dump()).not.toContain(authenticator.id.toString('base64url'))
  })
})

describe('a response to a challenge', () => {
  let authenticator: Authenticator
  beforeAll(async () => {
    const { api } = await server.signIn('answers@example.org')
    authenticator = (await addPasskey(api)).authenticator
  })

  it('is accepted once of 50 concurrent requests', { tags: 'long' }, async () => {
    for (let round = 0; round < runs(3); round++) {
      const credential = authenticator.get(await challengeOf())
      const answers = await Promise.all(Array.from({ length: 50 }, () => signIn(credential)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
      expect(await signIn(credential)).toMatchObject(refused)
    }
  })

  it('is rejected from another origin or for another relying party', async () => {
    const evil = { origin: 'https://evil.example' }
    expect(await signIn(authenticator.get(await challengeOf(), evil))).toMatchObject(refused)
    const elsewhere = { rpId: 'evil.example' }
    expect(await signIn(authenticator.get(await challengeOf(), elsewhere))).toMatchObject(refused)
    const sub = { origin: PUBLIC_URL.replace('https://', 'https://sub.') }
    expect(await signIn(authenticator.get(await challengeOf(), sub))).toMatchObject(refused)
  })

  it('is rejected if the counter decreases, as of a copy', async () => {
    expect((await signIn(authenticator.get(await challengeOf()))).status).toBe(200)
    const known = authenticator.counter
    authenticator.counter = known - 2
    expect(await signIn(authenticator.get(await challengeOf()))).toMatchObject(refused)
    authenticator.counter = known - 1
    expect(await signIn(authenticator.get(await challengeOf()))).toMatchObject(refused)
    authenticator.counter = known
    expect((await signIn(authenticator.get(await challengeOf()))).status).toBe(200)
  })

  it('is rejected without user verification or with the signature of another response', async () => {
    const unverified = authenticator.get(await challengeOf(), { verified: false })
    expect(await signIn(unverified)).toMatchObject(refused)
    const [one, two] = [authenticator.get(await challengeOf()), authenticator.get(await challengeOf())]
    const mixed = { ...one, response: { ...one.response, signature: two.response.signature } }
    expect(await signIn(mixed)).toMatchObject(refused)
  })

  it('is rejected for an expired, invented, differently encoded, or foreign challenge', async () => {
    const challenge = await challengeOf()
    for (const made of [
      'AAAA',
      `${challenge.slice(0, -4)}AAAA`,
      `${challenge}=`,
      Buffer.alloc(54).toString('base64url'),
    ])
      expect(await signIn(authenticator.get(made))).toMatchObject(refused)
    const { api } = await server.signIn('answers@example.org')
    const forNew = (await api.call(profileApi.newPasskeyOptions)).challenge
    expect(await signIn(authenticator.get(forNew))).toMatchObject(refused)
    mock.timers.enable({ apis: ['Date'], now: Date.now() + LIMITS.passkeyChallengeMs + 1_000 })
    expect(await signIn(authenticator.get(challenge))).toMatchObject(refused)
  })

  it('is stored for longer than its challenge lasts, as clocks differ', async () => {
    const challenge = await challengeOf()
    expect((await signIn(authenticator.get(challenge))).status).toBe(200)
    const { expires_at } = await server.service.mongo.models.UsedChallenge!.findById(challenge).lean()
    const end = Buffer.from(challenge, 'base64url').readUIntBE(16, 6)
    expect(expires_at.getTime() - end).toBeGreaterThan(60_000)
  })

  it.each([
    {},
    { credential: {} },
    { credential: { id: 'x' } },
    { credential: { id: '../..', rawId: 'x', type: 'public-key', response: {} } },
  ])('is rejected if malformed: %j', async body => {
    expect((await server.anyone.send('POST', '/auth/verify-passkey', body)).status).toBe(422)
  })

  it('is limited per address', { tags: 'long' }, async () => {
    const strict = await startTestServer(fixture, { RATE_LIMITS: 'on' })
    const statuses: number[] = []
    for (let n = 0; n < 31; n++)
      statuses.push((await signIn(authenticator.get(await challengeOf(strict)), strict)).status)
    await strict.close()
    expect(statuses.at(-1)).toBe(429)
    expect(statuses[0]).not.toBe(429)
  })
})

describe('administrators, if passkeys are required', () => {
  let strict: TestServer
  beforeAll(async () => {
    strict = await startTestServer(fixture, { ADMIN_PASSKEYS: 'required' })
  })
  afterAll(() => strict?.close())

  it('administer and change passkeys only in sessions opened by a passkey', async () => {
    const byLink = await strict.signIn('boss@example.org')
    const passkeyNeeded = refusal(403, DETAILS.passkeySession)
    const codes = (api: ApiClient) => api.send('GET', '/admin/beta-codes')
    expect(await codes(byLink.api)).toMatchObject(passkeyNeeded)

    // The first passkey is added in a session opened by link.
    const { authenticator, passkey } = await addPasskey(byLink.api)
    expect(await codes(byLink.api)).toMatchObject(passkeyNeeded)
    const { body } = await signIn(authenticator.get(await challengeOf(strict)), strict)
    const byPasskey = apiClient(strict.url, body.access_token)
    expect((await codes(byPasskey)).status).toBe(200)
    await byPasskey.call(adminApi.createBetaCode, { body: {} })

    // Access to the administrator's mail does not suffice.
    const { api: thief } = await strict.signIn('boss@example.org')
    expect(await thief.send('POST', '/profile/passkeys/options')).toMatchObject(passkeyNeeded)
    expect(await thief.send('DELETE', `/profile/passkeys/${passkey.id}`)).toMatchObject(passkeyNeeded)
    await addPasskey(byPasskey)
    await byPasskey.call(profileApi.deletePasskey, { params: { id: passkey.id } })
  })

  it('keep no session of a concurrent sign-in after a reset of their passkeys', async () => {
    const email = 'robbed@example.org'
    const { authenticator } = await addPasskey((await strict.signIn(email)).api)
    const Session = strict.service.mongo.models.Session!
    const create = Session.create.bind(Session)
    vi.spyOn(Session, 'create').mockImplementationOnce((async (session: object) => {
      await strict.internal(accountsInternal.resetPasskeys, { body: { email } })
      return create(session)
    }) as never)
    const answer = authenticator.get(await challengeOf(strict))
    expect(await signIn(answer, strict)).toMatchObject(refused)
    vi.restoreAllMocks()
    const { api } = await strict.signIn(email)
    expect(await api.call(profileApi.listSessions)).toHaveLength(1)
  })

  it('regain access by the operator’s reset', async () => {
    await strict.internal(accountsInternal.resetPasskeys, { body: { email: 'boss@example.org' } })
    const { api } = await strict.signIn('boss@example.org')
    expect(await api.call(profileApi.listPasskeys)).toEqual([])
    expect((await addPasskey(api)).passkey.name).toBe('Laptop')
  })

  it('are the only users to whom it applies', async () => {
    const { api } = await strict.signIn('plain@example.org')
    await addPasskey(api)
    await addPasskey(api)
    expect((await api.send('GET', '/admin/beta-codes')).body).toEqual({ detail: DETAILS.forbidden })
  })
})
