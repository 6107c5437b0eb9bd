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
import { apiClient, iodInput, runs, type SignedInUser, samplePath, temporaryFolder } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const run = promisify(execFile)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { LOG_LEVEL: 'trace' } })
})
afterAll(() => app?.stop())

const make = async ({ api }: SignedInUser, scopes: readonly ApiScope[] = API_SCOPES) =>
  api.call(profileApi.createApiToken, {
    body: {
      name: 'A script',
      scopes: [...scopes],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  })
const me = (token: string) => apiClient(app.url, token).send('GET', '/profile/me')

/** All operations that a token may call. */
const open = OPERATIONS.filter(({ spec }) => spec.scopes).map(({ spec: { method, path } }) => ({
  method,
  path: samplePath(path),
}))
const expectDead = async (token: string) => {
  const api = apiClient(app.url, token)
  for (const { method, path } of open) {
    const { status, body } = await api.send(method, path, method === 'GET' ? undefined : {})
    expect([method, path, status, body]).toEqual([method, path, 401, { detail: DETAILS.unauthenticated }])
  }
}

it('is rejected at the next call by every service, once it is revoked, or its account suspended or deleted', {
  tags: 'long',
  timeout: 300_000,
}, async () => {
  for (const how of ['revoke', 'suspend', 'delete']) {
    const user = await app.signUp()
    const { id, token } = await make(user)
    // Used on every part, so that all have cached it as valid.
    for (const { method, path } of open.filter(each => each.method === 'GET'))
      expect((await apiClient(app.url, token).send(method, path)).status).not.toBe(401)
    if (how === 'revoke') await user.api.call(profileApi.revokeApiToken, { params: { id } })
    else {
      const io = { say: () => {}, stdout: process.stdout, folder: '/nowhere' }
      expect(await runAccount(app.peers, [how, user.email], io)).toBe(0)
    }
    await expectDead(token)
  }
})

it('is rejected after the response of its revocation, also under load', async () => {
  const user = await app.signUp()
  for (let round = 0; round < runs(3); round++) {
    const { id, token } = await make(user, ['contribute'])
    let isRevoked = false
    let isOver = false
    const late: number[] = []
    const fire = async () => {
      const api = apiClient(app.url, token)
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

it('appears in no response, log or database after its creation', async () => {
  const user = await app.signUp()
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
  const script = apiClient(app.url, token)
  expect(await send(script, 'GET', '/profile/me')).toBe(200)
  expect(await send(script, 'POST', '/iods', iodInput())).toBe(201)
  expect(await send(script, 'POST', '/profile/api-tokens', { name: 'More' })).toBe(403)
  expect(await send(script, 'POST', '/iods', { value: 1 })).toBe(422)
  expect(await send(user.api, 'GET', '/profile/api-tokens')).toBe(200)
  // Sends it in a wrong position.
  expect(await send(app.api, 'GET', '/iods')).toBe(401)
  for (const api of [script, user.api])
    expect(await send(api, 'DELETE', `/profile/api-tokens/${token}`)).toBe(api === script ? 403 : 404)
  const { databases, redis } = await app.dump()
  const seen = { databases, redis, log: app.log(), answers: JSON.stringify(answers) }
  for (const [place, content] of Object.entries(seen))
    for (const shape of shapes) expect(content.includes(shape), `the token is in ${place}`).toBe(false)
  // Proves that the searched dump has the token's document. Its hash is in no response and no log line.
  expect(databases).toContain(hashOf(token))
  for (const place of [seen.log, seen.answers]) expect(place).not.toContain(hashOf(token))
})

it('appears in the audit log as its user, by a token', async () => {
  const user = await app.signUp()
  const { token } = await make(user)
  const script = apiClient(app.url, token)
  const { id } = await script.call(campaignsApi.createCampaign, { body: { name: 'By a script' } })
  expect((await script.send('GET', `/campaigns/${id}/export?format=csv`)).status).toBe(200)
  const mongo = await connectMongo(app.mongoUrl, `${app.prefix}_auth`)
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

it.skipIf(!has('curl'))('works with the curl examples of the guide', async () => {
  const user = await app.signUp()
  const { token } = await make(user)
  const folder = temporaryFolder()
  const [, ...shown] = examples('sh')
  expect(shown.length).toBeGreaterThan(1)
  const script = ['set -eu', ...shown, 'echo', 'echo "$IOD $CAMPAIGN"'].join('\n')
  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, IODINE: app.url, TOKEN: token },
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

it.skipIf(!has('python3'))('works with the Python example of the guide', { tags: 'long' }, async () => {
  const user = await app.signUp()
  const { token } = await make(user, ['read'])
  const values = Array.from({ length: 60 }, (_, n) => `a scripted narrative ${n}`)
  for (const value of values) await user.api.call(iodsApi.createIod, { body: { ...iodInput(), value } })
  const [program = ''] = examples('python')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, IODINE: app.url, TOKEN: token }
  const { stdout } = await run('python3', ['-c', program], { env })
  const printed = stdout.split('\n').filter(line => line.includes('a scripted narrative'))
  expect(new Set(printed).size).toBe(60)
  expect(printed).toHaveLength(60)
  const failed = await run('python3', ['-c', program], { env: { ...env, TOKEN: `${token}x` } }).catch(
    ({ stderr }) => stderr,
  )
  expect(failed).toContain(`401: ${DETAILS.unauthenticated}`)
})
