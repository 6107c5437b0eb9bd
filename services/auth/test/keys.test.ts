import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import {
  authInternal,
  type KnownKey,
  keysInternal,
  LIMITS,
  profileApi,
  secretsInternal,
} from '@iodine/contracts'
import {
  ConfigError,
  createPeers,
  feedSecretContext,
  keyringOf,
  newSecretsKey,
  newSigningKey,
  seal,
  unseal,
} from '@iodine/service-kit'
import {
  apiClient,
  commandsOf,
  newId,
  redisContents,
  type ServiceFixture,
  startServiceFixture,
  uniquePrefix,
} from '@iodine/test-kit'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAccount } from '../src/index.js'
import { startTestServer, type TestServer } from './test-server.js'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await startServiceFixture({ monitorCommands: true })
})
afterAll(() => fixture?.stop())

/** Settings that the replicas of one deployment share. */
let shared: Record<string, string>
const servers: TestServer[] = []
beforeEach(() => {
  shared = { MONGODB_PREFIX: uniquePrefix() }
  return async () => {
    await Promise.all(servers.splice(0).map(server => server.close()))
  }
})
const start = async (env: Record<string, string>): Promise<TestServer> => {
  const server = await startTestServer(fixture, { ...shared, ...env })
  servers.push(server)
  return server
}
const stop = async (server: TestServer) => {
  servers.splice(servers.indexOf(server), 1)
  await server.close()
}

const statusAt = async (server: TestServer, token: string) =>
  (await apiClient(server.url, token).send('GET', '/profile/me')).status
const keysOf = (server: TestServer): Promise<KnownKey[]> => server.internal(keysInternal.getKeys)
const users = (server: TestServer) => server.service.mongo.models.User!

/** Inserts `count` accounts with AI keys; resolves to their ids. */
const insertUsers = async (
  server: TestServer,
  count: number,
  sealedOf: (id: string, n: number) => string,
) => {
  const ids = Array.from({ length: count }, () => newId())
  await users(server).insertMany(
    ids.map((_id, n) => ({
      _id,
      email: `${_id}@example.org`,
      sealed_ai_key: sealedOf(_id, n),
      created_at: new Date(),
      last_active_at: new Date(),
      revision: 0,
    })),
  )
  return ids
}
const sealedOf = async (server: TestServer, id: string) =>
  (await server.internal(authInternal.getSealedAiKey, { params: { id } })).sealed ?? ''
const resealAll = (server: TestServer) => server.service.tasks.run('secrets')
/** Returns the log lines of the runs of the task. */
const resealed = ({ logs }: TestServer) =>
  logs.map(line => JSON.parse(line)).filter(line => 'resealed' in line)

describe('signing keys', () => {
  const [old, fresh] = [newSigningKey(), newSigningKey()]

  it('keep sessions valid while replicas are in adjacent phases of a rotation', {
    tags: 'long',
  }, async () => {
    const phases = [[old], [old, fresh], [fresh, old]].map(keys => ({ JWT_PRIVATE_KEY: keys.join('') }))
    const tokens: string[] = []
    for (const [n, phase] of phases.entries()) {
      const replicas = [
        await start(phases[Math.max(0, n - 1)] as object as Record<string, string>),
        await start(phase),
      ]
      for (const [m, replica] of replicas.entries())
        tokens.push((await replica.signIn(`user${n}${m}@example.org`)).token)
      for (const replica of replicas)
        for (const token of tokens) expect(await statusAt(replica, token)).toBe(200)
      await Promise.all(replicas.map(stop))
    }
    const names = tokens.map(token => decodeProtectedHeader(token).kid)
    expect(new Set(names.slice(0, 5)).size).toBe(1)
    expect(names[5]).not.toBe(names[0])

    // The old key is missing: its tokens are rejected, and the log warns that they have not expired.
    const last = await start({ JWT_PRIVATE_KEY: fresh })
    expect(await statusAt(last, tokens[5] ?? '')).toBe(200)
    expect(await statusAt(last, tokens[0] ?? '')).toBe(401)
    expect(last.logs.join('\n')).toContain('JWT_PRIVATE_KEY lacks a key')
    const told = (server: TestServer, msg: string) =>
      server.logs
        .map(line => JSON.parse(line))
        .filter(line => line.msg === msg && line.setting === 'JWT_PRIVATE_KEY')
    expect(told(last, 'key removed')).toMatchObject([{ key: names[0] }])
    // Logged once, and again when the key is added again.
    const again = await start({ JWT_PRIVATE_KEY: fresh })
    expect(told(again, 'key removed')).toEqual([])
    const back = await start({ JWT_PRIVATE_KEY: old + fresh })
    expect(told(back, 'key activated')).toMatchObject([{ key: names[0] }])
    // The audit log contains each change once, whatever the number of replicas.
    const entries = await back.service.mongo.collection('audit_entries').find().sort({ seq: 1 }).toArray()
    const ofKeys = entries.filter(({ entry }) => entry.detail === 'JWT_PRIVATE_KEY')
    expect(ofKeys.map(({ entry }) => entry.action)).toEqual([
      'key.used',
      'key.used',
      'key.dropped',
      'key.used',
    ])
    expect(ofKeys[2]?.entry.subject).toEqual(ofKeys[0]?.entry.subject)
    expect(JSON.stringify(entries)).not.toContain(names[0])
    expect(await keysOf(last)).toContainEqual(
      expect.objectContaining({ setting: 'JWT_PRIVATE_KEY', id: names[0], place: 'missing' }),
    )
  })

  it('are published with their ids before their first use, without private parts', async () => {
    const server = await start({ JWT_PRIVATE_KEY: old + fresh })
    const { keys } = (await (await fetch(`${server.url}/internal/jwks`)).json()) as { keys: object[] }
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    expect((await keysOf(server)).filter(({ setting }) => setting === 'JWT_PRIVATE_KEY')).toEqual([
      expect.objectContaining({ place: 'first', used_at: expect.any(String) }),
      expect.objectContaining({ place: 'other', used_at: null, needed_until: null }),
    ])
  })

  it('are needed until the last token that they signed has expired', { tags: 'long' }, async () => {
    const first = await start({ JWT_PRIVATE_KEY: old })
    await stop(first)
    const server = await start({ JWT_PRIVATE_KEY: fresh + old })
    const { used_at, needed_until } = (await keysOf(server)).find(
      ({ setting, place }) => setting === 'JWT_PRIVATE_KEY' && place === 'other',
    ) as KnownKey
    expect(Date.parse(needed_until ?? '') - Date.parse(used_at ?? '')).toBeGreaterThan(LIMITS.sessionMs)
    expect(LIMITS.sessionMs).toBeGreaterThanOrEqual(LIMITS.idleSessionMs.extension)
  })
})

describe('sealing keys', () => {
  const [old, fresh] = [newSecretsKey(), newSecretsKey()]
  const [oldId, freshId] = [keyringOf(old).id, keyringOf(fresh).id]

  it('are required at start while AI keys are sealed with them, unless declared lost', {
    tags: 'long',
  }, async () => {
    const before = await start({ SECRETS_KEY: old })
    const [id = ''] = await insertUsers(before, 3, user => seal(old, `ai-key:${user}`, 'sk-1'))
    await stop(before)
    const refused = await start({ SECRETS_KEY: fresh }).catch(error => error)
    expect(refused).toBeInstanceOf(ConfigError)
    expect(refused.message).toContain(`lacks the key ${oldId}, which seals 3 AI keys`)
    expect(refused.message).not.toContain(fresh)

    const without = await start({ SECRETS_KEY: `${fresh},lost:${oldId}` })
    await resealAll(without)
    expect(resealed(without).at(-1)).toMatchObject({ level: 50, resealed: 0, unreadable: 3 })
    expect(await keysOf(without)).toContainEqual(expect.objectContaining({ id: oldId, place: 'lost' }))
    await stop(without)
    // With the lost key found again, all values are readable.
    const found = await start({ SECRETS_KEY: `${fresh},${old}` })
    await resealAll(found)
    expect(resealed(found).at(-1)).toMatchObject({ level: 30, resealed: 3, unreadable: 0 })
    expect(unseal(fresh, `ai-key:${id}`, await sealedOf(found, id))).toBe('sk-1')
    await stop(found)
    const after = await start({ SECRETS_KEY: fresh })
    expect(await after.internal(secretsInternal.countSealed)).toEqual([
      { kind: 'ai_keys', key: freshId, count: 3 },
    ])
  })

  it('are replaced in bounded steps, also by two concurrent replicas, without overwriting edits', {
    tags: 'long',
  }, async () => {
    const server = await start({ SECRETS_KEY: `${fresh},${old}` })
    const replica = await start({ SECRETS_KEY: `${fresh},${old}` })
    // The runs at start have ended.
    for (const each of [server, replica]) await resealAll(each)
    const stored = await insertUsers(server, 450, (user, n) =>
      seal(n % 3 === 0 ? fresh : old, `ai-key:${user}`, `sk-${n}`),
    )
    const foreign = seal(old, 'ai-key:another', 'sk-x')
    const [broken = ''] = await insertUsers(server, 1, () => foreign)
    const counts = await server.internal(secretsInternal.countSealed)
    expect(counts.map(({ key, count }) => [key, count]).sort()).toEqual(
      [
        [freshId, 150],
        [oldId, 301],
      ].sort(),
    )
    // Owners change and remove their keys meanwhile.
    const edits = Promise.all(
      stored.slice(0, 60).map(async (id, n) => {
        const sealed_ai_key = n % 2 ? null : seal(fresh, `ai-key:${id}`, `sk-edited-${n}`)
        await users(server).updateOne({ _id: id }, { $set: { sealed_ai_key } })
      }),
    )
    await Promise.all([resealAll(server), resealAll(replica), edits])
    expect(resealed(server).at(-1)).toMatchObject({ level: 50, unreadable: 1 })
    const { writes } = await commandsOf(server.service.mongo, () => resealAll(server))
    expect(writes.filter(command => command.endsWith(' users'))).toEqual([])
    for (const [n, id] of stored.entries()) {
      const sealed = await sealedOf(server, id)
      if (n < 60 && n % 2) expect(sealed).toBe('')
      else expect(unseal(fresh, `ai-key:${id}`, sealed)).toBe(n < 60 ? `sk-edited-${n}` : `sk-${n}`)
    }
    // A value that no key opens is unchanged.
    expect(await sealedOf(server, broken)).toBe(foreign)
  })

  it('reseal queued mails, and secrets of subscriptions that they open', async () => {
    const server = await start({ SECRETS_KEY: `${fresh},${old}` })
    // Otherwise the run at the start would reseal the mail before it is counted.
    await resealAll(server)
    const mail = seal(old, 'mail', '{}')
    // Delayed: the test server consumes the queue.
    await server.service.queues.add('mail', { sealed: mail }, { jobId: 'later', delay: 3_600_000 })
    const queued = async () =>
      (await server.internal(secretsInternal.countSealed)).filter(({ kind }) => kind === 'queued_mails')
    expect(await queued()).toEqual([{ kind: 'queued_mails', key: oldId, count: 1 }])
    await resealAll(server)
    expect(await queued()).toEqual([{ kind: 'queued_mails', key: freshId, count: 1 }])
    const job = await server.service.queues.queue('mail').getJob('later')
    expect(unseal(fresh, 'mail', job?.data.sealed)).toBe('{}')

    const [id, url] = [newId(), 'https://feeds.example/taxii2/']
    const made = await server.internal(authInternal.sealFeedSecret, { body: { id, url, secret: 's3cret' } })
    const before = seal(old, feedSecretContext(id, url), 's3cret')
    const answers = await server.internal(keysInternal.resealFeedSecrets, {
      body: {
        values: [
          { id, url, sealed: before },
          { id, url, sealed: made.sealed },
          { id: newId(), url, sealed: before },
        ],
      },
    })
    expect(unseal(fresh, feedSecretContext(id, url), answers[0] ?? '')).toBe('s3cret')
    expect(answers.slice(1)).toEqual([made.sealed, null])
  })

  it('accept challenges that another replica created with another active key', async () => {
    const [a, b] = [
      await start({ SECRETS_KEY: `${old},${fresh}` }),
      await start({ SECRETS_KEY: `${fresh},${old}` }),
    ]
    const { isChallenge, newChallenge } = await import('../src/sign-in/commands/challenges.js')
    const context = (SECRETS_KEY: string) => ({ config: { SECRETS_KEY } }) as never
    const rings = [`${old},${fresh}`, `${fresh},${old}`]
    for (const made of rings)
      for (const asked of rings)
        expect(isChallenge(context(asked), 'sign-in', newChallenge(context(made), 'sign-in'))).toBe(true)
    expect(isChallenge(context(fresh), 'sign-in', newChallenge(context(old), 'sign-in'))).toBe(false)
    await Promise.all([stop(a), stop(b)])
  })

  it('are recorded in the audit log when they become active, also again', {
    tags: 'long',
  }, async () => {
    const [one, two] = [newSecretsKey(), newSecretsKey()]
    const used = async (value: string, othersOf?: Date): Promise<unknown[]> => {
      const server = await start({ SECRETS_KEY: value })
      const { AuditEntry, KeyUse } = server.service.mongo.models
      const entries = await AuditEntry!.find({ 'entry.action': 'key.used', 'entry.detail': 'SECRETS_KEY' })
      // Sets the last use of the other keys.
      if (othersOf)
        await KeyUse!.updateMany({ _id: { $ne: keyringOf(value).id } }, { $set: { used_at: othersOf } })
      await stop(server)
      return entries.map(({ entry }) => entry.subject.id)
    }
    expect(await used(one)).toHaveLength(1)
    expect(await used(`${one},${two}`)).toHaveLength(1)
    expect(await used(`${two},${one}`, new Date(Date.now() - 3_600_000))).toHaveLength(2)
    expect(await used(`${two},${one}`)).toHaveLength(2)
    const back = await used(`${one},${two}`)
    expect(back).toHaveLength(3)
    expect(new Set(back).size).toBe(2)
    expect(await used(`${one},${two}`)).toHaveLength(3)
  })

  it('appear in no response, log, database or Redis', async () => {
    const [jwt, secrets] = [newSigningKey(), newSecretsKey()]
    const server = await start({ SECRETS_KEY: `${secrets},${old}`, JWT_PRIVATE_KEY: jwt + newSigningKey() })
    const { api } = await server.signIn('eve@example.org')
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-canary' } })
    const answers = [
      await keysOf(server),
      await server.internal(secretsInternal.countSealed),
      await (await fetch(`${server.url}/internal/jwks`)).text(),
    ]
    const seen = JSON.stringify([
      answers,
      server.logs,
      await server.dump(),
      await redisContents(fixture.redis.url),
    ])
    const pem = jwt.split('\n')[1] ?? ''
    const seed = Buffer.from(pem, 'base64').subarray(-32)
    const bytes = Buffer.from(secrets, 'base64')
    for (const shape of [
      pem,
      ...[seed, bytes].flatMap(key => [
        key.toString('base64').replace(/=+$/, ''),
        key.toString('base64url'),
        key.toString('hex'),
      ]),
    ])
      expect(seen.includes(shape)).toBe(false)
  })
})

describe('the account command in a container', () => {
  /** Runs the command with the settings of a running service; resolves to the values to set. */
  const command = async (server: TestServer, settings: Record<string, string>, ...args: string[]) => {
    const peers = createPeers({
      SERVICE_KEY: fixture.env.SERVICE_KEY ?? '',
      AUTH_URL: server.url,
      CAMPAIGNS_URL: fixture.env.CAMPAIGNS_URL,
      NOTIFICATIONS_URL: fixture.env.NOTIFICATIONS_URL,
    })
    fixture.answer(secretsInternal.countSealed, () => [])
    const said: string[] = []
    const stdout = new PassThrough()
    const written = text(stdout)
    const code = await runAccount(peers, args, {
      say: line => void said.push(line),
      stdout,
      folder: '/nowhere',
      keys: { together: false, read: setting => settings[setting] ?? '', writer: () => undefined },
    })
    stdout.end()
    await peers.close()
    return { code, said: said.join('\n'), set: parseEnv(await written) as Record<string, string> }
  }

  it('prints the values to set in each phase until the old keys are gone', { tags: 'long' }, async () => {
    let settings: Record<string, string> = { JWT_PRIVATE_KEY: newSigningKey(), SECRETS_KEY: newSecretsKey() }
    const phase = async (server: TestServer) => {
      const { set, code } = await command(server, settings, 'rotate-keys')
      expect(code).toBe(0)
      await stop(server)
      settings = { ...settings, ...set }
      return start(settings)
    }
    const seals = async (server: TestServer) =>
      (await keysOf(server))
        .filter(({ setting }) => setting === 'SECRETS_KEY')
        .map(({ place, id }) => [place, id])

    const before = await start(settings)
    const { token } = await before.signIn('ana@example.org')
    const [id = ''] = await insertUsers(before, 1, user =>
      seal(settings.SECRETS_KEY ?? '', `ai-key:${user}`, 'sk-1'),
    )
    const oldId = keyringOf(settings.SECRETS_KEY ?? '').id

    const learning = await phase(before)
    expect(await seals(learning)).toEqual([
      ['first', oldId],
      ['other', expect.any(String)],
    ])
    expect(await statusAt(learning, token)).toBe(200)
    expect((await command(learning, settings, 'keys')).said).toContain('new: not in use yet')

    const using = await phase(learning)
    const newId = keyringOf(settings.SECRETS_KEY ?? '').id
    expect(await seals(using)).toEqual([
      ['first', newId],
      ['other', oldId],
    ])
    expect(await statusAt(using, token)).toBe(200)
    const waiting = await command(using, settings, 'rotate-keys')
    expect([waiting.code, waiting.set]).toEqual([0, {}])
    expect(waiting.said).toMatch(/JWT_PRIVATE_KEY: .* still needed[\s\S]*SECRETS_KEY: .* still needed/)

    // No value is sealed with the old key, and its last use is long ago.
    await resealAll(using)
    await using.service.mongo.collection('outbox').deleteMany({ kind: 'mail' })
    const uses = using.service.mongo.models.KeyUse!
    await uses.updateOne({ _id: oldId }, { $set: { used_at: new Date(Date.now() - 3_600_000) } })
    expect((await command(using, settings, 'keys')).said).toContain('not needed')
    const done = await phase(using)
    expect(await seals(done)).toEqual([
      ['first', newId],
      ['missing', oldId],
    ])
    expect(unseal(settings.SECRETS_KEY ?? '', `ai-key:${id}`, await sealedOf(done, id))).toBe('sk-1')
    // The signing key is needed for 30 days.
    expect(await statusAt(done, token)).toBe(200)
    const ended = await command(done, settings, 'rotate-keys', 'JWT_PRIVATE_KEY')
    expect(ended.set).toEqual({})
    const kid = decodeProtectedHeader(token).kid
    await done.service.mongo.models.KeyUse!.updateOne(
      { _id: kid },
      { $set: { used_at: new Date(Date.now() - LIMITS.sessionMs - 3_600_000) } },
    )
    const last = await command(done, settings, 'rotate-keys', 'JWT_PRIVATE_KEY')
    expect(last.set.JWT_PRIVATE_KEY?.match(/BEGIN/g)).toHaveLength(1)
  })

  it('rejects unknown arguments', async () => {
    const server = await start({})
    for (const args of [
      ['keys', 'x'],
      ['rotate-keys', 'SEAL_PRIVATE_KEY'],
      ['rotate-keys', 'SECRETS_KEY', 'x'],
    ])
      expect((await command(server, {}, ...args)).code).toBe(2)
  })
})
