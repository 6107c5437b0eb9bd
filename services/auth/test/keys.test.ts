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
  type ServiceBed,
  startServiceBed,
  uniquePrefix,
} from '@iodine/test-kit'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runAccount } from '../src/index.js'
import { type Rig, startRig } from './rig.js'

let bed: ServiceBed
beforeAll(async () => {
  bed = await startServiceBed({ monitorCommands: true })
})
afterAll(() => bed?.stop())

/** Settings of one deployment: what its replicas share. */
let shared: Record<string, string>
const rigs: Rig[] = []
beforeEach(() => {
  shared = { MONGODB_PREFIX: uniquePrefix() }
  return async () => {
    await Promise.all(rigs.splice(0).map(rig => rig.close()))
  }
})
const start = async (env: Record<string, string>): Promise<Rig> => {
  const rig = await startRig(bed, { ...shared, ...env })
  rigs.push(rig)
  return rig
}
const stop = async (rig: Rig) => {
  rigs.splice(rigs.indexOf(rig), 1)
  await rig.close()
}

const statusAt = async (rig: Rig, token: string) =>
  (await apiClient(rig.url, token).send('GET', '/profile/me')).status
const keysOf = (rig: Rig): Promise<KnownKey[]> => rig.internal(keysInternal.getKeys)
const users = (rig: Rig) => rig.service.mongo.models.User!

/** Accounts with AI keys, as many as `keys`; resolves to their ids. */
const insertUsers = async (rig: Rig, count: number, sealedOf: (id: string, n: number) => string) => {
  const ids = Array.from({ length: count }, () => newId())
  await users(rig).insertMany(
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
const sealedOf = async (rig: Rig, id: string) =>
  (await rig.internal(authInternal.getSealedAiKey, { params: { id } })).sealed ?? ''
const resealAll = (rig: Rig) => rig.service.tasks.run('secrets')
/** What runs of the task have logged. */
const resealed = ({ logs }: Rig) => logs.map(line => JSON.parse(line)).filter(line => 'resealed' in line)

describe('keys that sign', () => {
  const [old, fresh] = [newSigningKey(), newSigningKey()]

  it('sign nobody out while replicas are in neighbouring phases of an exchange', {
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

    // The old one is out: what it signed is refused, and the log says that this was so soon.
    const last = await start({ JWT_PRIVATE_KEY: fresh })
    expect(await statusAt(last, tokens[5] ?? '')).toBe(200)
    expect(await statusAt(last, tokens[0] ?? '')).toBe(401)
    expect(last.logs.join('\n')).toContain('JWT_PRIVATE_KEY lacks a key')
    const told = (rig: Rig, msg: string) =>
      rig.logs
        .map(line => JSON.parse(line))
        .filter(line => line.msg === msg && line.setting === 'JWT_PRIVATE_KEY')
    expect(told(last, 'a key is out')).toMatchObject([{ key: names[0] }])
    // Told once, and again when it is brought back.
    const again = await start({ JWT_PRIVATE_KEY: fresh })
    expect(told(again, 'a key is out')).toEqual([])
    const back = await start({ JWT_PRIVATE_KEY: old + fresh })
    expect(told(back, 'a key comes into use')).toMatchObject([{ key: names[0] }])
    // The audit log has each change once, whatever the number of replicas.
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

  it('are published with their names before they sign, without a private part', async () => {
    const rig = await start({ JWT_PRIVATE_KEY: old + fresh })
    const { keys } = (await (await fetch(`${rig.url}/internal/jwks`)).json()) as { keys: object[] }
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    expect((await keysOf(rig)).filter(({ setting }) => setting === 'JWT_PRIVATE_KEY')).toEqual([
      expect.objectContaining({ place: 'first', used_at: expect.any(String) }),
      expect.objectContaining({ place: 'other', used_at: null, needed_until: null }),
    ])
  })

  it('are needed until the last token that they signed has ended', { tags: 'long' }, async () => {
    const first = await start({ JWT_PRIVATE_KEY: old })
    await stop(first)
    const rig = await start({ JWT_PRIVATE_KEY: fresh + old })
    const { used_at, needed_until } = (await keysOf(rig)).find(
      ({ setting, place }) => setting === 'JWT_PRIVATE_KEY' && place === 'other',
    ) as KnownKey
    expect(Date.parse(needed_until ?? '') - Date.parse(used_at ?? '')).toBeGreaterThan(LIMITS.sessionMs)
    expect(LIMITS.sessionMs).toBeGreaterThanOrEqual(LIMITS.idleSessionMs.extension)
  })
})

describe('keys that seal', () => {
  const [old, fresh] = [newSecretsKey(), newSecretsKey()]
  const [oldId, freshId] = [keyringOf(old).id, keyringOf(fresh).id]

  it('stay needed while AI keys are sealed with them: a start without one is refused, unless it is lost', {
    tags: 'long',
  }, async () => {
    const before = await start({ SECRETS_KEY: old })
    const [id = ''] = await insertUsers(before, 3, user => seal(old, `ai-key:${user}`, 'sk-1'))
    await stop(before)
    const refused = await start({ SECRETS_KEY: fresh }).catch(error => error)
    expect(refused).toBeInstanceOf(ConfigError)
    expect(refused.message).toContain(`lacks the key ${oldId}, with which 3 AI keys are sealed`)
    expect(refused.message).not.toContain(fresh)

    const without = await start({ SECRETS_KEY: `${fresh},lost:${oldId}` })
    await resealAll(without)
    expect(resealed(without).at(-1)).toMatchObject({ level: 50, resealed: 0, unreadable: 3 })
    expect(await keysOf(without)).toContainEqual(expect.objectContaining({ id: oldId, place: 'lost' }))
    await stop(without)
    // It turned up: nothing was lost.
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

  it('give way to a new one in bounded steps, also of two replicas at once, which overwrite no edit', {
    tags: 'long',
  }, async () => {
    const rig = await start({ SECRETS_KEY: `${fresh},${old}` })
    const replica = await start({ SECRETS_KEY: `${fresh},${old}` })
    // The runs at start have ended.
    for (const each of [rig, replica]) await resealAll(each)
    const stored = await insertUsers(rig, 450, (user, n) =>
      seal(n % 3 === 0 ? fresh : old, `ai-key:${user}`, `sk-${n}`),
    )
    const foreign = seal(old, 'ai-key:another', 'sk-x')
    const [broken = ''] = await insertUsers(rig, 1, () => foreign)
    const counts = await rig.internal(secretsInternal.countSealed)
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
        await users(rig).updateOne({ _id: id }, { $set: { sealed_ai_key } })
      }),
    )
    await Promise.all([resealAll(rig), resealAll(replica), edits])
    expect(resealed(rig).at(-1)).toMatchObject({ level: 50, unreadable: 1 })
    const { writes } = await commandsOf(rig.service.mongo, () => resealAll(rig))
    expect(writes.filter(command => command.endsWith(' users'))).toEqual([])
    for (const [n, id] of stored.entries()) {
      const sealed = await sealedOf(rig, id)
      if (n < 60 && n % 2) expect(sealed).toBe('')
      else expect(unseal(fresh, `ai-key:${id}`, sealed)).toBe(n < 60 ? `sk-edited-${n}` : `sk-${n}`)
    }
    // What no key opens stays as it is.
    expect(await sealedOf(rig, broken)).toBe(foreign)
  })

  it('hand over queued mails, and secrets of subscriptions that they open', async () => {
    const rig = await start({ SECRETS_KEY: `${fresh},${old}` })
    // The run at the start would seal the mail again before it is counted.
    await resealAll(rig)
    const mail = seal(old, 'mail', '{}')
    // Delayed: the rig reads the queue.
    await rig.service.queues.add('mail', { sealed: mail }, { jobId: 'later', delay: 3_600_000 })
    const queued = async () =>
      (await rig.internal(secretsInternal.countSealed)).filter(({ kind }) => kind === 'queued_mails')
    expect(await queued()).toEqual([{ kind: 'queued_mails', key: oldId, count: 1 }])
    await resealAll(rig)
    expect(await queued()).toEqual([{ kind: 'queued_mails', key: freshId, count: 1 }])
    const job = await rig.service.queues.queue('mail').getJob('later')
    expect(unseal(fresh, 'mail', job?.data.sealed)).toBe('{}')

    const [id, url] = [newId(), 'https://feeds.example/taxii2/']
    const made = await rig.internal(authInternal.sealFeedSecret, { body: { id, url, secret: 's3cret' } })
    const before = seal(old, feedSecretContext(id, url), 's3cret')
    const answers = await rig.internal(keysInternal.resealFeedSecrets, {
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

  it('take challenges of each other, while a passkey is asked for', async () => {
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

  it('are told of in the audit log when they come into use, also one that comes back', {
    tags: 'long',
  }, async () => {
    const [one, two] = [newSecretsKey(), newSecretsKey()]
    const used = async (value: string, othersOf?: Date): Promise<unknown[]> => {
      const rig = await start({ SECRETS_KEY: value })
      const { AuditEntry, KeyUse } = rig.service.mongo.models
      const entries = await AuditEntry!.find({ 'entry.action': 'key.used', 'entry.detail': 'SECRETS_KEY' })
      // The others were last noted then.
      if (othersOf)
        await KeyUse!.updateMany({ _id: { $ne: keyringOf(value).id } }, { $set: { used_at: othersOf } })
      await stop(rig)
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

  it('can be read nowhere: not in answers, logs, the database or Redis', async () => {
    const [jwt, secrets] = [newSigningKey(), newSecretsKey()]
    const rig = await start({ SECRETS_KEY: `${secrets},${old}`, JWT_PRIVATE_KEY: jwt + newSigningKey() })
    const { api } = await rig.signIn('eve@example.org')
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-canary' } })
    const answers = [
      await keysOf(rig),
      await rig.internal(secretsInternal.countSealed),
      await (await fetch(`${rig.url}/internal/jwks`)).text(),
    ]
    const seen = JSON.stringify([answers, rig.logs, await rig.dump(), await redisContents(bed.redis.url)])
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

describe('the command of a container', () => {
  /** Runs it with the settings of a running service; resolves to what to set. */
  const command = async (rig: Rig, settings: Record<string, string>, ...args: string[]) => {
    const peers = createPeers({
      SERVICE_KEY: bed.env.SERVICE_KEY ?? '',
      AUTH_URL: rig.url,
      CAMPAIGNS_URL: bed.env.CAMPAIGNS_URL,
    })
    bed.answer(secretsInternal.countSealed, () => [])
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

  it('says what to set in each phase, until the old keys are out', { tags: 'long' }, async () => {
    let settings: Record<string, string> = { JWT_PRIVATE_KEY: newSigningKey(), SECRETS_KEY: newSecretsKey() }
    const phase = async (rig: Rig) => {
      const { set, code } = await command(rig, settings, 'rotate-keys')
      expect(code).toBe(0)
      await stop(rig)
      settings = { ...settings, ...set }
      return start(settings)
    }
    const seals = async (rig: Rig) =>
      (await keysOf(rig))
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

    // Nothing is sealed with the old key any more, and its last use is long ago.
    await resealAll(using)
    await using.service.mongo.collection('outbox').deleteMany({ kind: 'mail' })
    const uses = using.service.mongo.models.KeyUse!
    await uses.updateOne({ _id: oldId }, { $set: { used_at: new Date(Date.now() - 3_600_000) } })
    expect((await command(using, settings, 'keys')).said).toContain('needed no more')
    const done = await phase(using)
    expect(await seals(done)).toEqual([
      ['first', newId],
      ['missing', oldId],
    ])
    expect(unseal(settings.SECRETS_KEY ?? '', `ai-key:${id}`, await sealedOf(done, id))).toBe('sk-1')
    // The key that signed is needed for 30 days.
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

  it('refuses what it does not know', async () => {
    const rig = await start({})
    for (const args of [
      ['keys', 'x'],
      ['rotate-keys', 'SEAL_PRIVATE_KEY'],
      ['rotate-keys', 'SECRETS_KEY', 'x'],
    ])
      expect((await command(rig, {}, ...args)).code).toBe(2)
  })
})
