import { accountsInternal, DETAILS, personalDataInternal } from '@iodine/contracts'
import { runs } from '@iodine/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { serverOfFile, startTestServer, type TestServer, tokenIn } from './test-server.js'

const server = serverOfFile()

type User = Awaited<ReturnType<TestServer['signIn']>>
const models = () => server.service.mongo.models
const use = (token: string) => server.anyone.send('POST', '/auth/use-account-link', { token })
const read = (token: string) => server.anyone.send('POST', '/auth/read-account-link', { token })
const profileOf = async ({ api }: User) => (await api.send('GET', '/profile/me')).body
const pending = async ({ api }: User) => (await api.send('GET', '/profile/address-change')).body
const dead = { status: 400, body: { detail: DETAILS.badToken } }

/** Requests a change; resolves to the tokens of both mails. */
const ask = async ({ api }: User, from: string, to: string) => {
  const before = server.mails.length
  const answer = await api.send('POST', '/profile/address-change', { email: to })
  expect([answer.status, answer.body.new_email]).toEqual([202, to])
  return {
    old: tokenIn(await server.mail('confirm-old-address', from, before)),
    new: tokenIn(await server.mail('confirm-new-address', to, before)),
  }
}

describe('a change of address', () => {
  it.each(['old', 'new'] as const)(
    'takes effect once both addresses have confirmed, the %s one first',
    async first => {
      const [from, to] = [`${first}.from@example.org`, `${first}.to@example.org`]
      const user = await server.signIn(from)
      const { id } = await profileOf(user)
      const signIn = await server.linkToken(from)
      await models().BetaCode!.create([
        { code: `USED0-${first}`, email: from, used: true, used_by: from, created_at: new Date() },
        { code: `FREE0-${first}`, email: from, used: false, created_at: new Date() },
      ])
      expect(await pending(user)).toBeNull()
      const tokens = await ask(user, from, to)
      for (const [token, purpose] of [
        [tokens.old, 'old-address'],
        [tokens.new, 'new-address'],
      ] as const)
        expect((await read(token)).body).toEqual({ purpose, email: from, new_email: to })
      // Reading a link, as mail scanners do, confirms nothing.
      const waiting = { new_email: to, old_confirmed: false, new_confirmed: false }
      expect(await pending(user)).toMatchObject(waiting)

      const second = first === 'old' ? 'new' : 'old'
      // Two confirmations from one address do not count as both.
      for (let times = 0; times < 2; times++)
        expect(await use(tokens[first])).toMatchObject({
          status: 200,
          body: { outcome: 'confirmed', email: from },
        })
      expect(await pending(user)).toMatchObject({ ...waiting, [`${first}_confirmed`]: true })
      expect((await profileOf(user)).email).toBe(from)
      expect(await use(tokens[second])).toMatchObject({
        status: 200,
        body: { outcome: 'changed', email: to },
      })

      // The session stays valid, with the same account.
      expect(await profileOf(user)).toMatchObject({ id, email: to })
      expect(await pending(user)).toBeNull()
      expect(await server.mail('address-changed', from)).toMatchObject({ new_email: to })
      expect(await server.anyone.send('POST', '/auth/verify-magic-link', { token: signIn })).toMatchObject(
        dead,
      )
      for (const token of Object.values(tokens)) expect(await use(token)).toMatchObject(dead)
      expect(await profileOf(await server.signIn(to))).toMatchObject({ id })
      // The old address signs in to a new account.
      expect((await profileOf(await server.signIn(from))).id).not.toBe(id)
      const codes = await models()
        .BetaCode!.find({ code: new RegExp(`-${first}$`) })
        .lean()
      expect(codes).toMatchObject([{ code: `USED0-${first}`, email: to, used_by: to }])
    },
  )

  it('takes effect once under 50 concurrent confirmations', { tags: 'long' }, async () => {
    for (let round = 0; round < runs(2); round++) {
      const [from, to] = [`many${round}.from@example.org`, `many${round}.to@example.org`]
      const user = await server.signIn(from)
      const tokens = await ask(user, from, to)
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => use(n % 2 ? tokens.old : tokens.new)),
      )
      for (const { status } of answers) expect([200, 400]).toContain(status)
      expect(answers.filter(({ body }) => body.outcome === 'changed').length).toBeGreaterThan(0)
      expect((await profileOf(user)).email).toBe(to)
      expect(await models().User!.countDocuments({ email: { $in: [from, to] } })).toBe(1)
      await server.mail('address-changed', from)
      expect(
        server.mails.filter(mail => mail.template === 'address-changed' && mail.to === from),
      ).toHaveLength(1)
      expect(await models().AccountLink!.countDocuments()).toBe(0)
    }
  })

  it('is mailed to the old address, also if the remaining steps fail and are completed later', async () => {
    const [from, to] = ['broken.from@example.org', 'broken.to@example.org']
    const user = await server.signIn(from)
    const tokens = await ask(user, from, to)
    await use(tokens.old)
    const failure = vi.spyOn(models().BetaCode!, 'deleteMany').mockImplementationOnce(() => {
      throw new Error('the database fails')
    })
    expect((await use(tokens.new)).status).toBe(500)
    failure.mockRestore()
    expect(await use(tokens.new)).toMatchObject({ status: 200, body: { outcome: 'changed' } })
    expect((await profileOf(user)).email).toBe(to)
    expect(await server.mail('address-changed', from)).toMatchObject({ new_email: to })
  })

  it('to the same address succeeds for one of two users and fails with 409 for the other', async () => {
    for (let round = 0; round < runs(3); round++) {
      const to = `wanted${round}@example.org`
      const names = [`one${round}@example.org`, `two${round}@example.org`]
      const users = await Promise.all(names.map(server.signIn))
      const tokens = []
      for (const [n, user] of users.entries()) tokens.push(await ask(user, names[n] ?? '', to))
      for (const { old } of tokens) await use(old)
      const answers = await Promise.all(tokens.map(each => use(each.new)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)?.body).toEqual({ detail: DETAILS.addressTaken })
      const emails = (await Promise.all(users.map(profileOf))).map(({ email }) => email)
      expect(emails.filter(email => email === to)).toHaveLength(1)
      for (const user of users) expect(await pending(user)).toBeNull()
    }
  })

  it('is rejected if another account has taken the address', async () => {
    const [from, to] = ['late.from@example.org', 'late.to@example.org']
    const user = await server.signIn(from)
    const tokens = await ask(user, from, to)
    const newcomer = await profileOf(await server.signIn(to))
    await use(tokens.old)
    expect(await use(tokens.new)).toMatchObject({ status: 409 })
    expect((await profileOf(user)).email).toBe(from)
    expect(newcomer.email).toBe(to)
  })

  it('reveals only to the new mailbox that the address is taken', async () => {
    const from = 'curious@example.org'
    const user = await server.signIn(from)
    const { id } = await profileOf(user)
    // Each request stores the same number of links, so that the response time reveals nothing.
    const links = () => models().AccountLink!.countDocuments({ user_id: id })
    await server.signIn('known@example.org')
    const answerFor = async (email: string) => {
      const { status, body } = await user.api.send('POST', '/profile/address-change', { email })
      return [status, { ...body, new_email: '', expires_at: '' }]
    }
    const free = await answerFor('unknown@example.org')
    expect(await links()).toBe(2)
    for (const email of ['known@example.org', 'boss@example.org']) {
      expect(await answerFor(email)).toEqual(free)
      expect(await links()).toBe(2)
      const mail = await server.mail('address-not-free', email)
      expect(mail.link).not.toContain('token')
      expect(
        server.mails.filter(each => each.template === 'confirm-new-address' && each.to === email),
      ).toEqual([])
      // A confirmation by the old address has no effect.
      const before = server.mails.length
      await user.api.send('POST', '/profile/address-change', { email })
      const token = tokenIn(await server.mail('confirm-old-address', from, before))
      expect((await use(token)).body.outcome).toBe('confirmed')
      expect((await profileOf(user)).email).toBe(from)
    }
  })

  it('is replaced by a later one, and deleted by its owner or a suspension', async () => {
    const from = 'fickle@example.org'
    const user = await server.signIn(from)
    const first = await ask(user, from, 'first@example.org')
    const second = await ask(user, from, 'second@example.org')
    for (const token of Object.values(first)) {
      expect(await read(token)).toMatchObject(dead)
      expect(await use(token)).toMatchObject(dead)
    }
    await use(second.new)
    for (let times = 0; times < 2; times++)
      expect((await user.api.send('DELETE', '/profile/address-change')).status).toBe(200)
    expect(await use(second.old)).toMatchObject(dead)
    expect(await pending(user)).toBeNull()

    const third = await ask(user, from, 'third@example.org')
    await server.internal(accountsInternal.suspendAccount, { body: { email: from } })
    await server.internal(accountsInternal.unsuspendAccount, { body: { email: from } })
    for (const token of Object.values(third)) expect(await use(token)).toMatchObject(dead)
  })

  it('expires after 24 hours', async () => {
    const [from, to] = ['slow.from@example.org', 'slow.to@example.org']
    const user = await server.signIn(from)
    const tokens = await ask(user, from, to)
    await use(tokens.old)
    const { expires_at } = await pending(user)
    expect((Date.parse(expires_at) - Date.now()) / 3_600_000).toBeCloseTo(24, 1)
    const past = { expires_at: new Date(Date.now() - 1_000) }
    await models().AddressChange!.updateMany({}, past)
    expect(await use(tokens.new)).toMatchObject(dead)
    await models().AccountLink!.updateMany({}, past)
    expect(await use(tokens.new)).toMatchObject(dead)
    expect(await read(tokens.new)).toMatchObject(dead)
    expect(await pending(user)).toBeNull()
  })

  it('neither grants nor removes administration', async () => {
    const boss = await server.signIn('boss@example.org')
    expect(
      await boss.api.send('POST', '/profile/address-change', { email: 'plain@example.org' }),
    ).toMatchObject({ status: 409, body: { detail: DETAILS.adminAddress } })

    // The settings change between request and confirmation.
    const [from, to] = ['climber@example.org', 'chief@example.org']
    const user = await server.signIn(from)
    const tokens = await ask(user, from, to)
    await use(tokens.old)
    const after = await startTestServer(server.fixture, {
      JWT_PRIVATE_KEY: (server.service.config as unknown as { JWT_PRIVATE_KEY: string }).JWT_PRIVATE_KEY,
      ADMIN_EMAILS: to,
    })
    const late = await after.anyone.send('POST', '/auth/use-account-link', { token: tokens.new })
    expect(late).toMatchObject({ status: 409 })
    await after.close()
    expect(await profileOf(user)).toMatchObject({ email: from, is_admin: false })
  })

  it('requires a session and a valid, different address', async () => {
    const user = await server.signIn('strict@example.org')
    const answer = (email: unknown) => user.api.send('POST', '/profile/address-change', { email })
    expect(await answer(' Strict@Example.org ')).toMatchObject({
      status: 422,
      body: { detail: [`email: ${DETAILS.ownAddress}`] },
    })
    for (const email of ['', 'nobody', 'a@b@c', 7, null, `${'x'.repeat(250)}@example.org`])
      expect((await answer(email)).status).toBe(422)
    expect(await pending(user)).toBeNull()
    for (const token of ['', 'x', 'x'.repeat(43)]) expect(await use(token)).toMatchObject(dead)
    expect((await use('x'.repeat(201))).status).toBe(422)
    for (const [method, path] of [
      ['GET', '/profile/address-change'],
      ['POST', '/profile/address-change'],
      ['DELETE', '/profile/address-change'],
    ] as const)
      expect((await server.anyone.send(method, path)).status).toBe(401)
  })

  it('is limited to five requests a day', { tags: 'long' }, async () => {
    const limited = await startTestServer(server.fixture, { RATE_LIMITS: 'on' })
    const { api } = await limited.signIn('pushy@example.org')
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) {
      // Resets the limit of five mails a minute, which would apply first.
      await limited.service.redis.del(
        ...(await limited.service.redis.keys('*sign-in-email*')).concat('nothing'),
      )
      statuses.push(
        (await api.send('POST', '/profile/address-change', { email: `stranger${n}@example.org` })).status,
      )
    }
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429])
    await limited.close()
  })

  it('is contained in its owner’s export, without its links', async () => {
    const [from, to] = ['shown.from@example.org', 'shown.to@example.org']
    const user = await server.signIn(from)
    await ask(user, from, to)
    const { id } = await profileOf(user)
    const kept = await server.internal(personalDataInternal.exportUser, { params: { id } })
    expect(kept.filter(({ kind }) => kind === 'address_change')).toMatchObject([
      { data: { old_email: from, new_email: to } },
    ])
    expect(JSON.stringify(kept)).not.toContain('change_id')
    await server.internal(accountsInternal.deleteAccount, { body: { email: from } })
    const left = await server.dump()
    for (const trace of [from, to]) expect(left).not.toContain(trace)
  })
})
