import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runAccount } from '@iodine/auth'
import {
  API_SCOPES,
  API_TOKEN_PREFIX,
  type ApiScope,
  campaignsApi,
  DETAILS,
  iodsApi,
  OPERATIONS,
  profileApi,
} from '@iodine/contracts'
import { connectMongo, hashOf } from '@iodine/service-kit'
import { apiClient, iodInput, rounds, type SignedInUser, samplePath, temporaryFolder } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../src/index.js'

const run = promisify(execFile)

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack({ env: { LOG_LEVEL: 'trace' } })
})
afterAll(() => stack?.stop())

const make = async ({ api }: SignedInUser, scopes: readonly ApiScope[] = API_SCOPES) =>
  api.call(profileApi.createApiToken, {
    body: {
      name: 'A script',
      scopes: [...scopes],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  })
const me = (token: string) => apiClient(stack.url, token).send('GET', '/profile/me')

/** Every operation that a token may call. */
const open = OPERATIONS.filter(({ spec }) => spec.scopes).map(({ spec: { method, path } }) => ({
  method,
  path: samplePath(path),
}))
const expectDead = async (token: string) => {
  const api = apiClient(stack.url, token)
  for (const { method, path } of open) {
    const { status, body } = await api.send(method, path, method === 'GET' ? undefined : {})
    expect([method, path, status, body]).toEqual([method, path, 401, { detail: DETAILS.unauthenticated }])
  }
}

it('is dead at the next call, on every service, once it is revoked, or its account suspended or deleted', {
  tags: 'long',
  timeout: 300_000,
}, async () => {
  for (const how of ['revoke', 'suspend', 'delete']) {
    const user = await stack.signUp()
    const { id, token } = await make(user)
    // Used everywhere, so that every part has seen it live.
    for (const { method, path } of open.filter(each => each.method === 'GET'))
      expect((await apiClient(stack.url, token).send(method, path)).status).not.toBe(401)
    if (how === 'revoke') await user.api.call(profileApi.revokeApiToken, { params: { id } })
    else {
      const io = { say: () => {}, stdout: process.stdout, folder: '/nowhere' }
      expect(await runAccount(stack.peers, [how, user.email], io)).toBe(0)
    }
    await expectDead(token)
  }
})

it('that is revoked under fire lets nothing through after the answer', async () => {
  const user = await stack.signUp()
  for (let round = 0; round < rounds(3); round++) {
    const { id, token } = await make(user, ['contribute'])
    let isRevoked = false
    let isOver = false
    const late: number[] = []
    const fire = async () => {
      const api = apiClient(stack.url, token)
      while (!isOver) {
        const after = isRevoked
        const { status } = await api.send('POST', '/iods', iodInput())
        if (after) late.push(status)
      }
    }
    const firing = [fire(), fire(), fire(), fire()]
    await expect.poll(async () => (await me(token)).status).toBe(200)
    await user.api.call(profileApi.revokeApiToken, { params: { id } })
    isRevoked = true
    await expect.poll(() => late.length, { timeout: 30_000 }).toBeGreaterThan(8)
    isOver = true
    await Promise.all(firing)
    expect(new Set(late)).toEqual(new Set([401]))
  }
})

it('is nowhere to be seen once it was shown, whatever is done with it', async () => {
  const user = await stack.signUp()
  const { token } = await make(user)
  const secret = token.slice(API_TOKEN_PREFIX.length)
  const shapes = [
    secret,
    Buffer.from(token).toString('base64').replace(/=+$/, ''),
    Buffer.from(token).toString('hex'),
  ]
  const answers: unknown[] = []
  const send = async (api: SignedInUser['api'], method: string, path: string, body?: unknown) => {
    const answer = await api.send(method, path, body)
    answers.push([answer.status, answer.body, [...answer.headers]])
    return answer.status
  }
  const script = apiClient(stack.url, token)
  expect(await send(script, 'GET', '/profile/me')).toBe(200)
  expect(await send(script, 'POST', '/iods', iodInput())).toBe(201)
  expect(await send(script, 'POST', '/profile/api-tokens', { name: 'More' })).toBe(403)
  expect(await send(script, 'POST', '/iods', { value: 1 })).toBe(422)
  expect(await send(user.api, 'GET', '/profile/api-tokens')).toBe(200)
  // Where it does not belong.
  expect(await send(stack.api, 'GET', '/iods')).toBe(401)
  for (const api of [script, user.api])
    expect(await send(api, 'DELETE', `/profile/api-tokens/${token}`)).toBe(api === script ? 403 : 404)
  const { databases, redis } = await stack.dump()
  const seen = { databases, redis, log: stack.log(), answers: JSON.stringify(answers) }
  for (const [place, content] of Object.entries(seen))
    for (const shape of shapes) expect(content.includes(shape), `the token is in ${place}`).toBe(false)
  // Proves that the searched dump has the token's document; its hash is in no answer and no line of the log.
  expect(databases).toContain(hashOf(token))
  for (const place of [seen.log, seen.answers]) expect(place).not.toContain(hashOf(token))
})

it('acts in the audit log as its user, by a token', async () => {
  const user = await stack.signUp()
  const { token } = await make(user)
  const script = apiClient(stack.url, token)
  const { id } = await script.call(campaignsApi.createCampaign, { body: { name: 'By a script' } })
  expect((await script.send('GET', `/campaigns/${id}/export?format=csv`)).status).toBe(200)
  const mongo = await connectMongo(stack.mongoUrl, `${stack.prefix}_auth`)
  const find = () => mongo.collection('audit_entries').findOne({ 'entry.subject.id': id })
  await expect.poll(find, { timeout: 30_000 }).toMatchObject({
    entry: { action: 'campaign.exported', actor: { kind: 'user', id: user.id }, via: 'token' },
  })
  await mongo.close()
})

const GUIDE = readFileSync(new URL('../../../docs/api-tokens.md', import.meta.url), 'utf8')
const examples = (language: string) =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code ?? '')
const has = (command: string) => spawnSync(command, ['--version']).status === 0

it.skipIf(!has('curl'))('does what the guide says with curl', async () => {
  const user = await stack.signUp()
  const { token } = await make(user)
  const folder = temporaryFolder()
  const [, ...shown] = examples('sh')
  expect(shown.length).toBeGreaterThan(1)
  const script = ['set -eu', ...shown, 'echo', 'echo "$IOD $CAMPAIGN"'].join('\n')
  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, IODINE: stack.url, TOKEN: token },
  })
  expect(stdout).toContain(user.email)
  expect(stdout).toContain('"record_bytes"')
  const [iod, campaign] = stdout.trim().split('\n').at(-1)?.split(' ') ?? []
  const read = (name: string) => JSON.parse(readFileSync(join(folder.path, name), 'utf8'))
  expect(read('added.json')).toMatchObject({ id: campaign })
  expect(await user.api.call(iodsApi.getIod, { params: { id: iod ?? '' } })).toMatchObject({
    value: '#ScriptedExample',
  })
  expect(JSON.stringify(read('campaign.stix.json'))).toContain('#ScriptedExample')
  folder.remove()
})

it.skipIf(!has('python3'))('does what the guide says with Python', { tags: 'long' }, async () => {
  const user = await stack.signUp()
  const { token } = await make(user, ['read'])
  const values = Array.from({ length: 60 }, (_, n) => `a scripted narrative ${n}`)
  for (const value of values) await user.api.call(iodsApi.createIod, { body: { ...iodInput(), value } })
  const [program = ''] = examples('python')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, IODINE: stack.url, TOKEN: token }
  const { stdout } = await run('python3', ['-c', program], { env })
  const printed = stdout.split('\n').filter(line => line.includes('a scripted narrative'))
  expect(new Set(printed).size).toBe(60)
  expect(printed).toHaveLength(60)
  const failed = await run('python3', ['-c', program], { env: { ...env, TOKEN: `${token}x` } }).catch(
    ({ stderr }) => stderr,
  )
  expect(failed).toContain(`401: ${DETAILS.unauthenticated}`)
})
