import { accountsInternal, DETAILS, personalDataInternal } from '@iodine/contracts'
import { rounds } from '@iodine/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { type Rig, rigOfFile, startRig, tokenIn } from './rig.js'

const rig = rigOfFile()

type User = Awaited<ReturnType<Rig['signIn']>>
const models = () => rig.service.mongo.models
const use = (token: string) => rig.anyone.send('POST', '/auth/use-account-link', { token })
const read = (token: string) => rig.anyone.send('POST', '/auth/read-account-link', { token })
const profileOf = async ({ api }: User) => (await api.send('GET', '/profile/me')).body
const pending = async ({ api }: User) => (await api.send('GET', '/profile/address-change')).body
const dead = { status: 400, body: { detail: DETAILS.badToken } }

/** Asks for a change; resolves to the tokens of both mails. */
const ask = async ({ api }: User, from: string, to: string) => {
  const before = rig.mails.length
  const answer = await api.send('POST', '/profile/address-change', { email: to })
  expect([answer.status, answer.body.new_email]).toEqual([202, to])
  return {
    old: tokenIn(await rig.mail('confirm-old-address', from, before)),
    new: tokenIn(await rig.mail('confirm-new-address', to, before)),
  }
}

describe('a change of address', () => {
  it.each(['old', 'new'] as const)(
    'is made once both addresses have confirmed, the %s one first',
    async first => {
      const [from, to] = [`${first}.from@example.org`, `${first}.to@example.org`]
      const user = await rig.signIn(from)
      const { id } = await profileOf(user)
      const signIn = await rig.linkToken(from)
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
      // Reading, as scanners do, has confirmed nothing.
      const waiting = { new_email: to, old_confirmed: false, new_confirmed: false }
      expect(await pending(user)).toMatchObject(waiting)

      const second = first === 'old' ? 'new' : 'old'
      // Confirming twice from one address is not confirming from both.
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

      // The session goes on, with the same account.
      expect(await profileOf(user)).toMatchObject({ id, email: to })
      expect(await pending(user)).toBeNull()
      expect(await rig.mail('address-changed', from)).toMatchObject({ new_email: to })
      expect(await rig.anyone.send('POST', '/auth/verify-magic-link', { token: signIn })).toMatchObject(dead)
      for (const token of Object.values(tokens)) expect(await use(token)).toMatchObject(dead)
      expect(await profileOf(await rig.signIn(to))).toMatchObject({ id })
      // The old address is a new person's.
      expect((await profileOf(await rig.signIn(from))).id).not.toBe(id)
      const codes = await models()
        .BetaCode!.find({ code: new RegExp(`-${first}$`) })
        .lean()
      expect(codes).toMatchObject([{ code: `USED0-${first}`, email: to, used_by: to }])
    },
  )

  it('is made once by 50 confirmations at once', { tags: 'long' }, async () => {
    for (let round = 0; round < rounds(2); round++) {
      const [from, to] = [`many${round}.from@example.org`, `many${round}.to@example.org`]
      const user = await rig.signIn(from)
      const tokens = await ask(user, from, to)
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => use(n % 2 ? tokens.old : tokens.new)),
      )
      for (const { status } of answers) expect([200, 400]).toContain(status)
      expect(answers.filter(({ body }) => body.outcome === 'changed').length).toBeGreaterThan(0)
      expect((await profileOf(user)).email).toBe(to)
      expect(await models().User!.countDocuments({ email: { $in: [from, to] } })).toBe(1)
      await rig.mail('address-changed', from)
      expect(rig.mails.filter(mail => mail.template === 'address-changed' && mail.to === from)).toHaveLength(
        1,
      )
      expect(await models().AccountLink!.countDocuments()).toBe(0)
    }
  })

  it('is told to the old address, also if the rest fails and is completed later', async () => {
    const [from, to] = ['broken.from@example.org', 'broken.to@example.org']
    const user = await rig.signIn(from)
    const tokens = await ask(user, from, to)
    await use(tokens.old)
    const failure = vi.spyOn(models().BetaCode!, 'deleteMany').mockImplementationOnce(() => {
      throw new Error('the database fails')
    })
    expect((await use(tokens.new)).status).toBe(500)
    failure.mockRestore()
    expect(await use(tokens.new)).toMatchObject({ status: 200, body: { outcome: 'changed' } })
    expect((await profileOf(user)).email).toBe(to)
    expect(await rig.mail('address-changed', from)).toMatchObject({ new_email: to })
  })

  it('to one address is one of two users’, and the other is told', async () => {
    for (let round = 0; round < rounds(3); round++) {
      const to = `wanted${round}@example.org`
      const names = [`one${round}@example.org`, `two${round}@example.org`]
      const users = await Promise.all(names.map(rig.signIn))
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

  it('is refused to whoever signed up with the address meanwhile', async () => {
    const [from, to] = ['late.from@example.org', 'late.to@example.org']
    const user = await rig.signIn(from)
    const tokens = await ask(user, from, to)
    const newcomer = await profileOf(await rig.signIn(to))
    await use(tokens.old)
    expect(await use(tokens.new)).toMatchObject({ status: 409 })
    expect((await profileOf(user)).email).toBe(from)
    expect(newcomer.email).toBe(to)
  })

  it('does not tell whether the new address has an account: its mailbox is told', async () => {
    const from = 'curious@example.org'
    const user = await rig.signIn(from)
    const { id } = await profileOf(user)
    // As much is stored for each, so that the time of the answer is no other.
    const links = () => models().AccountLink!.countDocuments({ user_id: id })
    await rig.signIn('known@example.org')
    const answerFor = async (email: string) => {
      const { status, body } = await user.api.send('POST', '/profile/address-change', { email })
      return [status, { ...body, new_email: '', expires_at: '' }]
    }
    const free = await answerFor('unknown@example.org')
    expect(await links()).toBe(2)
    for (const email of ['known@example.org', 'boss@example.org']) {
      expect(await answerFor(email)).toEqual(free)
      expect(await links()).toBe(2)
      const mail = await rig.mail('address-not-free', email)
      expect(mail.link).not.toContain('token')
      expect(rig.mails.filter(each => each.template === 'confirm-new-address' && each.to === email)).toEqual(
        [],
      )
      // The old address may confirm: nothing comes of it.
      const before = rig.mails.length
      await user.api.send('POST', '/profile/address-change', { email })
      const token = tokenIn(await rig.mail('confirm-old-address', from, before))
      expect((await use(token)).body.outcome).toBe('confirmed')
      expect((await profileOf(user)).email).toBe(from)
    }
  })

  it('is replaced by a later one, and dropped when its owner withdraws it or is suspended', async () => {
    const from = 'fickle@example.org'
    const user = await rig.signIn(from)
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
    await rig.internal(accountsInternal.suspendAccount, { body: { email: from } })
    await rig.internal(accountsInternal.unsuspendAccount, { body: { email: from } })
    for (const token of Object.values(third)) expect(await use(token)).toMatchObject(dead)
  })

  it('is over after 24 hours', async () => {
    const [from, to] = ['slow.from@example.org', 'slow.to@example.org']
    const user = await rig.signIn(from)
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

  it('is no way to administration, nor away from it', async () => {
    const boss = await rig.signIn('boss@example.org')
    expect(
      await boss.api.send('POST', '/profile/address-change', { email: 'plain@example.org' }),
    ).toMatchObject({ status: 409, body: { detail: DETAILS.adminAddress } })

    // The settings change between request and confirmation.
    const [from, to] = ['climber@example.org', 'chief@example.org']
    const user = await rig.signIn(from)
    const tokens = await ask(user, from, to)
    await use(tokens.old)
    const after = await startRig(rig.bed, {
      JWT_PRIVATE_KEY: (rig.service.config as unknown as { JWT_PRIVATE_KEY: string }).JWT_PRIVATE_KEY,
      ADMIN_EMAILS: to,
    })
    const late = await after.anyone.send('POST', '/auth/use-account-link', { token: tokens.new })
    expect(late).toMatchObject({ status: 409 })
    await after.close()
    expect(await profileOf(user)).toMatchObject({ email: from, is_admin: false })
  })

  it('asks for another address that is one, in a session', async () => {
    const user = await rig.signIn('strict@example.org')
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
      expect((await rig.anyone.send(method, path)).status).toBe(401)
  })

  it('is asked for five times a day at most, as each mails somebody', { tags: 'long' }, async () => {
    const limited = await startRig(rig.bed, { RATE_LIMITS: 'on' })
    const { api } = await limited.signIn('pushy@example.org')
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) {
      // The limit of mails to the own address, five a minute, must not come first.
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

  it('is in its owner’s export, without its links', async () => {
    const [from, to] = ['shown.from@example.org', 'shown.to@example.org']
    const user = await rig.signIn(from)
    await ask(user, from, to)
    const { id } = await profileOf(user)
    const kept = await rig.internal(personalDataInternal.exportUser, { params: { id } })
    expect(kept.filter(({ kind }) => kind === 'address_change')).toMatchObject([
      { data: { old_email: from, new_email: to } },
    ])
    expect(JSON.stringify(kept)).not.toContain('change_id')
    await rig.internal(accountsInternal.deleteAccount, { body: { email: from } })
    const left = await rig.dump()
    for (const trace of [from, to]) expect(left).not.toContain(trace)
  })
})
