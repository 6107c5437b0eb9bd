import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runAccount } from '@iodine/auth'
import {
  accountsInternal,
  authApi,
  campaignsApi,
  collectorApi,
  DETAILS,
  iodsApi,
  narrativesApi,
  OPERATIONS,
  profileApi,
} from '@iodine/contracts'
import { connectMongo, newSecretsKey, newSigningKey } from '@iodine/service-kit'
import {
  type AiAnswer,
  apiClient,
  blogArticle,
  iodInput,
  linkIn,
  platformPost,
  runs,
  type SignedInUser,
  samplePath,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    env: {
      LOG_LEVEL: 'trace',
      ADMIN_EMAILS: 'boss_leaves@example.org',
      // As during a key rotation.
      SECRETS_KEY: `${newSecretsKey()},${newSecretsKey()}`,
      JWT_PRIVATE_KEY: newSigningKey() + newSigningKey(),
    },
  })
})
afterAll(() => app?.stop())

/** Runs `npm run account`. Resolves to its messages and its standard output. */
const command = async (...args: string[]) => {
  const output: string[] = []
  const stdout = new PassThrough()
  const written = text(stdout)
  const io = { say: (line: string) => void output.push(line), stdout, folder: '/nowhere' }
  const code = await runAccount(app.peers, args, io)
  stdout.end()
  return { code, output: output.join('\n'), written: await written }
}

const collectorToken = async ({ api }: SignedInUser): Promise<string> => {
  const { code } = await api.call(authApi.generateExtensionCode)
  return (await app.api.call(authApi.redeemExtensionCode, { body: { code } })).access_token
}

/** All operations that require a session, with a valid path. */
const guarded = OPERATIONS.filter(({ spec }) => spec.access !== 'anyone').map(
  ({ spec: { method, path } }) => ({
    method,
    path: samplePath(path),
  }),
)

const expectDead = async (token: string) => {
  const api = apiClient(app.url, token)
  await Promise.all(
    guarded.map(async ({ method, path }) => {
      const { status, body } = await api.send(method, path, method === 'GET' ? undefined : {})
      expect([method, path, status, body]).toEqual([method, path, 401, { detail: DETAILS.unauthenticated }])
    }),
  )
}

it('a mailed link stays valid after fetches by scanners', async () => {
  const email = 'scanned@example.org'
  await app.api.call(authApi.requestMagicLink, { body: { email } })
  const link = linkIn(await app.mail.waitForMail(email))
  const token = new URL(link).searchParams.get('token') ?? ''
  const addresses = [
    link,
    `${app.url}/auth/verify?token=${token}`,
    `${app.url}/api/v1/auth/verify-magic-link?token=${token}`,
  ]
  for (let done = 0; done < runs(100); done += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const method = n % 2 ? 'GET' : 'HEAD'
        const headers = { accept: 'text/html' }
        await (await fetch(addresses[n % addresses.length] ?? '', { method, headers })).arrayBuffer()
      }),
    )
  const verified = await app.api.call(authApi.verifyMagicLink, { body: { token } })
  expect(verified.has_username).toBe(false)
}, 600_000)

describe('a token is rejected at the next call, by every service,', () => {
  const sessions = async () => {
    const user = await app.signUp()
    const collector = await collectorToken(user)
    // Both sessions are used, so that every part has cached them as live.
    await user.api.call(campaignsApi.listCampaigns)
    await apiClient(app.url, collector).call(iodsApi.lookupIods, { body: { values: ['x'] } })
    return { user, collector }
  }

  it('once its session is logged out', { tags: 'long', timeout: 240_000 }, async () => {
    const { user, collector } = await sessions()
    await user.api.call(authApi.logout)
    await expectDead(user.token)
    const extension = apiClient(app.url, collector)
    expect((await extension.call(profileApi.getProfile)).id).toBe(user.id)
    await extension.call(authApi.logout)
    await expectDead(collector)
  })

  it('once its account is suspended, without losing data', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const { user, collector } = await sessions()
    expect(await command('suspend', user.email)).toMatchObject({ code: 0 })
    await expectDead(user.token)
    await expectDead(collector)
    expect(await command('unsuspend', user.email)).toMatchObject({ code: 0 })
    await expectDead(user.token)
    expect((await command('suspend', 'nobody@example.org')).output).toContain('no account')
  })
})

interface Life {
  user: SignedInUser
  collector: string
  iodId: string
  othersIodId: string
  campaignId: string
  /** Texts that identify the user or belong to the user's private data. */
  traces: string[]
}

/** Creates a user who has used every feature. The name is long enough not to occur in a base64 hash by chance. */
const live = async (name: string, other: SignedInUser): Promise<Life> => {
  const user = await app.signUp(`${name}@example.org`, name)
  const { api } = user
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: `sk-${name}` } })
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  await api.call(profileApi.createApiToken, {
    body: { name: `script of ${name}`, scopes: ['read'], expires_at },
  })
  for (const [source, record] of [
    ['tiktok', tiktokPost({ description: `tok of ${name}` })],
    ['telegram', telegramPost({ description: `gram of ${name}` })],
    ['blog', blogArticle({ description: `blog of ${name}` })],
    ['post', platformPost({ text: `post of ${name}` })],
  ] as const)
    await api.call(collectorApi.ingestRecords, { params: { source }, body: { records: [record] } })
  const iod = await api.call(iodsApi.createIod, { body: iodInput() })
  const theirs = await other.api.call(iodsApi.createIod, { body: iodInput() })
  for (const [voter, id] of [
    [api, theirs.id],
    [other.api, theirs.id],
    [api, iod.id],
    [other.api, iod.id],
  ] as const)
    await voter.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Theirs no more' } })
  await other.api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: iod.id } })
  for (const [of, tid] of [
    [api, 'T0002'],
    [other.api, 'T0003'],
  ] as const)
    await of.call(campaignsApi.addTechnique, { params: { id: campaign.id, tid } })
  await api.call(narrativesApi.createNarrative, { body: { text: `Secrets of ${name} spread fast.` } })
  const collector = await collectorToken(user)
  await api.call(authApi.generateExtensionCode)
  await app.api.call(authApi.requestMagicLink, { body: { email: user.email } })
  await app.mail.waitForMail(user.email)
  await vi.waitFor(async () => {
    const { body } = await other.api.send('GET', `/community/users/${user.id}`)
    expect(body).toMatchObject({ total_iods: 1, total_narratives: 1 })
  }, 30_000)
  return {
    user,
    collector,
    iodId: iod.id,
    othersIodId: theirs.id,
    campaignId: campaign.id,
    traces: [name, user.email, `of ${name}`, user.id],
  }
}

/**
 * Expects that only the user's id remains: for minutes in auth, as a tombstone in community, for a year in the audit
 * log.
 */
const expectForgotten = async ({ traces, user }: Life) => {
  const { databases, redis } = await app.dump()
  const parsed = JSON.parse(databases) as [string, string, { _id: string }[]][]
  const held = parsed.flatMap(([database, collection, documents]) =>
    documents
      .filter(document => traces.some(trace => JSON.stringify(document).includes(trace)))
      .map(document => `${database.replace(/^\w+_/, '')}.${collection}: ${JSON.stringify(document)}`),
  )
  const logged = held.filter(each => each.startsWith('auth.audit_entries: '))
  expect(logged.length).toBeGreaterThan(0)
  for (const entry of logged)
    for (const trace of traces.filter(each => each !== user.id)) expect(entry).not.toContain(trace)
  expect(held.filter(each => !logged.includes(each)).sort()).toEqual([
    expect.stringMatching(
      /^auth\.deletions: \{"_id":"[0-9a-f]{24}","delete_comments":false(,"(deleted|erased)_at":"[^"]*"){2}\}$/,
    ),
    // Remains until the second erasure.
    expect.stringMatching(
      /^auth\.outbox: \{"_id":"[0-9a-f]{24}","kind":"user.deleted","payload":\{"id":"[^"]*"\},/,
    ),
    expect.stringMatching(
      /^community\.users: \{"_id":"[0-9a-f]{24}","username":null,"revision":0,"created_at":null,"deleted":true,/,
    ),
  ])
  for (const trace of traces.filter(each => each !== user.id)) expect(redis).not.toContain(trace)
  return redis
}

describe('the account command', () => {
  it('deletes an account: shared content stays anonymous, all other data is deleted', async () => {
    const other = await app.signUp()
    const life = await live('ana_leaves', other)
    const facets = await other.api.call(iodsApi.getIodFacets)
    const answer = await command('delete', ' Ana_Leaves@example.org')
    expect([answer.code, answer.output]).toEqual([0, expect.stringContaining('its data is removed')])
    await expectDead(life.user.token)
    await expectDead(life.collector)

    // A running handler holds the user's id until it ends.
    await vi.waitFor(() => expectForgotten(life), 60_000)
    const anonymous = { created_by: null, created_by_id: null, created_by_username: null }
    const iods = await other.api.call(iodsApi.listIods)
    const [iod, theirs] = [life.iodId, life.othersIodId].map(id => iods.find(each => each.id === id))
    expect(iod).toMatchObject(anonymous)
    for (const each of [iod, theirs]) {
      expect(each?.votes.map(vote => vote.user_id).sort()).toEqual([null, other.id].sort())
      expect(new Set(each?.votes.map(vote => vote.id)).size).toBe(2)
    }
    expect(await other.api.call(iodsApi.getIodFacets)).toEqual(facets)
    const ofNobody = { query: { created_by: life.user.id } }
    expect((await other.api.call(iodsApi.getIodFacets, ofNobody)).total).toBe(0)
    const vote = { params: { id: life.iodId }, body: { vote_type: 'NEGATIVE' } } as const
    await expect(other.api.call(iodsApi.voteIod, vote)).rejects.toThrow(DETAILS.alreadyVoted)
    const campaign = await other.api.call(campaignsApi.getCampaign, { params: { id: life.campaignId } })
    expect(campaign).toMatchObject({
      created_by_id: null,
      created_by_username: null,
      iods: [{ id: life.iodId }],
    })
    expect(
      await other.api.call(campaignsApi.listTechniques, { params: { id: life.campaignId } }),
    ).toMatchObject([
      { id: 'T0002', by: null, by_username: null },
      { id: 'T0003', by: other.id },
    ])
    for (const format of ['json', 'stix', 'misp', 'csv'])
      expect(
        (await other.api.send('GET', `/campaigns/${life.campaignId}/export?format=${format}`)).status,
      ).toBe(200)
    expect((await other.api.send('PATCH', `/campaigns/${life.campaignId}`, { name: 'x' })).status).toBe(403)
    for (const path of [`/community/users/${life.user.id}`, `/graph/triplets?user_id=${life.user.id}`])
      expect((await other.api.send('GET', path)).status).toBe(404)

    // The e-mail address and the username are free for a new user.
    const newUser = await app.signUp(life.user.email, 'ana_leaves')
    expect(newUser.id).not.toBe(life.user.id)
    expect((await newUser.api.call(profileApi.getProfile)).has_openai_key).toBe(false)
    expect(await newUser.api.call(narrativesApi.listNarratives)).toEqual([])
    await newUser.api.call(iodsApi.voteIod, vote)
    expect(await newUser.api.call(campaignsApi.listMyCampaigns)).toEqual([])
  }, 300_000)

  it('completes a deletion once stopped services are back, also of an admin’s own account', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const other = await app.signUp()
    const life = await live('boss_leaves', other)
    expect((await life.user.api.call(profileApi.getProfile)).is_admin).toBe(true)
    await Promise.all([app.parts.iods.stop(), app.parts.collector.stop(), app.parts.community.stop()])
    await app.parts.workers.stop()
    const body = { email: life.user.email }
    const { id } = await app.peers.call('auth', accountsInternal.deleteAccount, { body })
    await expectDead(life.user.token)
    await app.parts.workers.start()
    await Promise.all([app.parts.iods.start(), app.parts.collector.start(), app.parts.community.start()])
    const state = () => app.peers.call('auth', accountsInternal.getDeletion, { params: { id } })
    await vi.waitFor(async () => expect(await state()).toEqual({ erased: true }), 120_000)
    // A running handler holds the user's id until it ends.
    await vi.waitFor(() => expectForgotten(life), 60_000)
  })

  it('exports all data of an account from all services into one JSON file', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const other = await app.signUp()
    const { user, iodId, othersIodId, campaignId } = await live('eve_exports', other)
    const { code, written, output } = await command('export', user.email, '-')
    expect([code, output]).toEqual([0, expect.stringContaining('is above')])
    const file = JSON.parse(written)
    const kinds = (service: string) => file[service].map((item: { kind: string }) => item.kind).sort()
    expect(file.user_id).toBe(user.id)
    expect(kinds('auth')).toEqual([
      'account',
      'api_token',
      'audit_entry',
      'audit_entry',
      'extension_code',
      'session',
      'session',
      'sign_in_links',
    ])
    expect(file.auth[0].data).toMatchObject({
      email: user.email,
      username: 'eve_exports',
      has_openai_key: true,
      is_admin: false,
      last_active_at: expect.any(String),
    })
    expect(kinds('collector')).toEqual(Array(4).fill('collected_record'))
    expect(kinds('narratives')).toEqual(['graph_edge', 'narrative'])
    expect(kinds('iods')).toEqual(['iod', 'vote', 'vote'])
    expect(kinds('campaigns')).toEqual(['campaign', 'technique'])
    const techniques = file.campaigns.find(({ kind }: { kind: string }) => kind === 'technique')
    expect(techniques.data).toEqual({
      campaign: { _id: campaignId, name: 'Theirs no more' },
      techniques: [{ id: 'T0002', by: user.id, at: expect.any(String) }],
    })
    expect(kinds('community')).toEqual(['contribution', 'contribution', 'public_profile'])
    for (const part of [iodId, othersIodId, campaignId, 'blog of eve_exports', 'Secrets of eve_exports'])
      expect(written).toContain(part)
    // No data of other users, no secrets.
    for (const part of [other.id, other.email, 'sk-eve', 'sealed', 'token_hash'])
      expect(written).not.toContain(part)

    await app.parts.campaigns.stop()
    expect(await command('export', user.email, '-')).toMatchObject({ code: 1 })
    await app.parts.campaigns.start()
    expect((await command('export', user.email)).output).toContain('Failed: ')
    for (const args of [[], ['forget', user.email], ['delete'], ['delete', 'x'], ['delete', user.email, 'y']])
      expect(await command(...args)).toMatchObject({ code: 2 })
  })
})

describe('the AI key', () => {
  const canary = 'sk-canary-7d0c51f4a6e2'
  const edited = 'sk-canary-90aa17be3c55'
  const shapes = [canary, edited].flatMap(key => [
    key,
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
    Buffer.from(key).toString('hex'),
  ])
  /** Returns the keys of the deployment, which seal that key and sign sessions. */
  const ownKeys = () => {
    const { SECRETS_KEY = '', JWT_PRIVATE_KEY = '', SERVICE_KEY = '' } = app.parts.auth.env
    const bytes = [
      ...SECRETS_KEY.split(',').map(key => Buffer.from(key, 'base64')),
      // The last 32 bytes of an Ed25519 key in PKCS#8.
      ...[...JWT_PRIVATE_KEY.matchAll(/^[\w+/]{64}$/gm)].map(([line]) =>
        Buffer.from(line, 'base64').subarray(-32),
      ),
    ]
    expect(bytes.map(({ length }) => length)).toEqual([32, 32, 32, 32])
    const spellings = bytes.flatMap(key => [
      key.toString('base64').replace(/=+$/, ''),
      key.toString('base64url'),
      key.toString('hex'),
    ])
    return [SERVICE_KEY, ...spellings]
  }
  const answers: unknown[] = []
  const expectUnseen = async () => {
    const seen = { ...(await app.dump()), log: app.log(), answers: JSON.stringify(answers) }
    for (const [place, content] of Object.entries(seen))
      for (const shape of [...shapes, ...ownKeys()])
        expect(content.includes(shape), `a key is in ${place}`).toBe(false)
    return seen
  }

  it('appears in no response, log or database after any use', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const user = await app.signUp()
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await user.api.send(method, path, body)
      answers.push([answer.status, answer.body, [...answer.headers]])
      return answer
    }
    const set = (api_key: unknown) => send('POST', '/profile/update-openai-key', { api_key })
    let made = 0
    const analyze = () => send('POST', '/narratives/', { text: `They hide number ${++made}.` })

    expect((await set(`  ${canary} `)).status).toBe(200)
    await send('GET', '/profile/me')
    await expectUnseen()
    // Covers jobs that are waiting, active and parked.
    app.ai.always({ after: 400, answer: 'simple' })
    const underWay = [1, 2, 3, 4, 5].map(analyze)
    await vi.waitFor(() => expect(app.ai.requests.some(({ key }) => key === canary)).toBe(true), 30_000)
    await expectUnseen()
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(5).fill(201))

    const faults: AiAnswer[] = [
      'unauthorized',
      'rate-limited',
      'failing',
      'reset',
      'html',
      'broken-json',
      'refusal',
    ]
    for (const fault of faults) {
      app.ai.always(fault)
      expect((await analyze()).status).toBeGreaterThanOrEqual(400)
    }
    await expectUnseen()

    for (const body of [{ api_key: edited, more: edited }, `{"api_key":"${edited}"`, { api_key: [edited] }])
      expect((await send('POST', '/profile/update-openai-key', body)).status).toBeGreaterThanOrEqual(400)
    await send('POST', `/profile/update-openai-key/${edited}`, {})
    expect((await set(`${edited}\nx`)).status).toBe(422)
    expect((await set(edited)).status).toBe(200)
    app.ai.always('simple')
    expect((await analyze()).status).toBe(201)
    expect(app.ai.requests.at(-1)?.key).toBe(edited)
    await expectUnseen()

    // A sealed key moved to another user cannot be opened.
    const thief = await app.signUp()
    const mongo = await connectMongo(app.mongoUrl, `${app.prefix}_auth`)
    const users = mongo.collection('users')
    const sealed = (await users.findOne({ email: user.email }))?.sealed_ai_key
    expect(sealed).toEqual(expect.any(String))
    await users.updateOne({ email: thief.email }, { $set: { sealed_ai_key: sealed } })
    await mongo.close()
    const before = app.ai.requests.length
    const stolen = await thief.api.send('POST', '/narratives/', { text: 'They hide the thief.' })
    expect(stolen).toMatchObject({ status: 400, body: { detail: DETAILS.missingAiKey } })
    expect(app.ai.requests).toHaveLength(before)

    expect((await send('DELETE', '/profile/remove-openai-key')).status).toBe(200)
    expect((await analyze()).status).toBe(400)
    const { log, redis, databases } = await expectUnseen()
    // Proves that the searched dumps include the places that a leaked key would be in.
    expect(log).toContain('job failed')
    expect(redis).toContain(':extraction:')
    expect(databases).toContain('They hide number 1.')
    expect(databases).not.toContain(sealed === undefined ? '' : `${user.email}","sealed_ai_key":"${sealed}`)
  })
})
