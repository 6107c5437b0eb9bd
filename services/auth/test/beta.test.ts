import { DETAILS } from '@iodine/contracts'
import type { ApiClient } from '@iodine/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { serverOfFile } from './test-server.js'

const server = serverOfFile({ BETA_REQUIRED: 'true' })
let admin: ApiClient
beforeAll(async () => {
  admin = (await server.signIn('boss@example.org')).api
})

interface Code {
  id: string
  code: string
}
const newCode = async (email?: string): Promise<Code> =>
  (await admin.send('POST', '/admin/beta-codes', { email })).body
const codeNow = async ({ id }: Code) =>
  (await admin.send('GET', '/admin/beta-codes')).body.find((code: Code) => code.id === id)
const request = (email: string, invite_code?: string) =>
  server.anyone.send('POST', '/auth/request-magic-link', { email, invite_code })
const verify = (token: string) => server.anyone.send('POST', '/auth/verify-magic-link', { token })
const refused = { status: 400, body: { detail: DETAILS.badInviteCode } }

describe('with beta codes required', () => {
  it('requires a code of an unknown address and sends no mail', async () => {
    const mails = server.mails.length
    expect(await request('new@example.org')).toMatchObject({
      status: 200,
      body: { requires_beta_code: true },
    })
    expect(await request('new@example.org', '')).toMatchObject({ body: { requires_beta_code: true } })
    expect(await request('new@example.org', '00000-00000')).toMatchObject(refused)
    expect(server.mails).toHaveLength(mails)
    expect(await server.service.mongo.models.MagicLinks!.countDocuments({ _id: 'new@example.org' })).toBe(0)
  })

  it('accepts a code once, consumes it at the first verification, and requires none of known addresses', async () => {
    const code = await newCode()
    const token = await server.linkToken('guest@example.org', ` ${code.code.toLowerCase()} `)
    expect(await codeNow(code)).toMatchObject({ used: false, used_at: null })
    expect((await verify(token)).status).toBe(200)
    expect(await codeNow(code)).toMatchObject({ used: true, used_at: expect.any(String) })
    expect(await request('late@example.org', code.code)).toMatchObject(refused)
    expect(await request('guest@example.org')).toMatchObject({ body: { requires_beta_code: false } })
    expect(await request('guest@example.org', 'whatever')).toMatchObject({ status: 200 })
  })

  it('accepts a bound code only for its address', async () => {
    const { code } = await newCode('Bound@Example.org')
    expect(await request('else@example.org', code)).toMatchObject(refused)
    expect((await verify(await server.linkToken('BOUND@example.org', code))).status).toBe(200)
  })

  it('creates one account for 20 concurrent uses of a code', { tags: 'long' }, async () => {
    const { code } = await newCode()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => server.linkToken(`crowd${n}@example.org`, code)),
    )
    const answers = await Promise.all(tokens.map(verify))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(refused)
    expect(await server.service.mongo.models.User!.countDocuments({ email: /^crowd/ })).toBe(1)
  })

  it('accepts the code again after a crash before the account was created', async () => {
    const { id, code } = await newCode()
    const used = { used: true, used_by: 'unlucky@example.org', used_at: new Date() }
    await server.service.mongo.models.BetaCode!.updateOne({ _id: id }, { $set: used })
    expect(await request('lucky@example.org', code)).toMatchObject(refused)
    expect((await verify(await server.linkToken('unlucky@example.org', code))).status).toBe(200)
  })
})
