import { DETAILS } from '@iodine/contracts'
import type { ApiClient } from '@iodine/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { rigOfFile } from './rig.js'

const rig = rigOfFile({ BETA_REQUIRED: 'true' })
let admin: ApiClient
beforeAll(async () => {
  admin = (await rig.signIn('boss@example.org')).api
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
  rig.anyone.send('POST', '/auth/request-magic-link', { email, invite_code })
const verify = (token: string) => rig.anyone.send('POST', '/auth/verify-magic-link', { token })
const refused = { status: 400, body: { detail: DETAILS.badInviteCode } }

describe('with beta codes required', () => {
  it('asks an unknown address for one, and mails nothing', async () => {
    const mails = rig.mails.length
    expect(await request('new@example.org')).toMatchObject({
      status: 200,
      body: { requires_beta_code: true },
    })
    expect(await request('new@example.org', '')).toMatchObject({ body: { requires_beta_code: true } })
    expect(await request('new@example.org', '00000-00000')).toMatchObject(refused)
    expect(rig.mails).toHaveLength(mails)
    expect(await rig.service.mongo.models.MagicLinks!.countDocuments({ _id: 'new@example.org' })).toBe(0)
  })

  it('lets a code in once, uses it up at the first verify, and asks nothing of who is known', async () => {
    const code = await newCode()
    const token = await rig.linkToken('guest@example.org', ` ${code.code.toLowerCase()} `)
    expect(await codeNow(code)).toMatchObject({ used: false, used_at: null })
    expect((await verify(token)).status).toBe(200)
    expect(await codeNow(code)).toMatchObject({ used: true, used_at: expect.any(String) })
    expect(await request('late@example.org', code.code)).toMatchObject(refused)
    expect(await request('guest@example.org')).toMatchObject({ body: { requires_beta_code: false } })
    expect(await request('guest@example.org', 'whatever')).toMatchObject({ status: 200 })
  })

  it('keeps a bound code to its address', async () => {
    const { code } = await newCode('Bound@Example.org')
    expect(await request('else@example.org', code)).toMatchObject(refused)
    expect((await verify(await rig.linkToken('BOUND@example.org', code))).status).toBe(200)
  })

  it('gives one account for a code that 20 asked with, at once', { tags: 'long' }, async () => {
    const { code } = await newCode()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rig.linkToken(`crowd${n}@example.org`, code)),
    )
    const answers = await Promise.all(tokens.map(verify))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(refused)
    expect(await rig.service.mongo.models.User!.countDocuments({ email: /^crowd/ })).toBe(1)
  })

  it('lets an address try again whose account a crash kept from being made', async () => {
    const { id, code } = await newCode()
    const used = { used: true, used_by: 'unlucky@example.org', used_at: new Date() }
    await rig.service.mongo.models.BetaCode!.updateOne({ _id: id }, { $set: used })
    expect(await request('lucky@example.org', code)).toMatchObject(refused)
    expect((await verify(await rig.linkToken('unlucky@example.org', code))).status).toBe(200)
  })
})
