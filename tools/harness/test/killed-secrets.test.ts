/** @module-tag long */
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, profileApi, secretsInternal, subscriptionsApi } from '@iodine/contracts'
import {
  type Connection,
  connectMongo,
  feedSecretContext,
  keyringOf,
  newSecretsKey,
  seal,
  sealedWith,
  unseal,
} from '@iodine/service-kit'
import { NO_LIMITS, newId, runs, type SignedInUser } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'
import { BLOCKED_MS, killAtWork, type SpawnedPart, spawnPart } from './spawned.js'

const KILLS = runs(3)
const ACCOUNTS = 3_000
const SUBSCRIPTIONS = 60

const [old, fresh] = [newSecretsKey(), newSecretsKey()]
const [oldId, freshId] = [keyringOf(old).id, keyringOf(fresh).id]

let app: TestApp
let auth: SpawnedPart
let accounts: Connection
let campaigns: Connection
let boss: SignedInUser
let editors: SignedInUser[]

beforeAll(async () => {
  // All parts have the new key, which auth starts to use.
  app = await startTestApp({
    env: { ...NO_LIMITS, ADMIN_EMAILS: 'boss@example.org', SECRETS_KEY: `${old},${fresh}` },
  })
  boss = await app.signUp('boss@example.org')
  editors = await Promise.all(Array.from({ length: 3 }, () => app.signUp()))
  accounts = await connectMongo(app.mongoUrl, `${app.prefix}_auth`)
  campaigns = await connectMongo(app.mongoUrl, `${app.prefix}_campaigns`)
  const { id: campaign_id } = await boss.api.call(campaignsApi.createCampaign, { body: { name: 'Feeds' } })
  const { id: first } = await boss.api.call(subscriptionsApi.createSubscription, {
    body: {
      url: 'https://feeds.example/taxii2/',
      kind: 'taxii',
      campaign_id,
      secret: { user: 'ana', key: 'first' },
    },
  })
  await boss.api.call(subscriptionsApi.updateSubscription, { params: { id: first }, body: { paused: true } })
  auth = await spawnPart(app, 'auth', { SECRETS_KEY: `${fresh},${old}` })
})
afterAll(async () => {
  await auth?.kill()
  await accounts?.close()
  await campaigns?.close()
  await app?.stop()
})

const countUnder = async (id: string) => {
  const users = await accounts
    .collection('users')
    .find({ sealed_ai_key: { $type: 'string' } })
    .project<{ sealed_ai_key: string }>({ sealed_ai_key: 1 })
    .toArray()
  return users.filter(user => sealedWith(user.sealed_ai_key) === id).length
}

it('auth killed while it reseals secrets during edits ends with all secrets under the new key', {
  timeout: (KILLS + 3) * BLOCKED_MS,
}, async () => {
  /** Each account's AI key. */
  const expected = new Map<string, string>()
  const users = Array.from({ length: ACCOUNTS }, (_, n) => {
    const _id = newId()
    const key = `sk-${n}`
    expected.set(_id, key)
    return {
      _id: new Types.ObjectId(_id),
      email: `${_id}@example.org`,
      username: null,
      sealed_ai_key: seal(old, `ai-key:${_id}`, key),
      created_at: new Date(),
      last_active_at: new Date(),
      revision: 0,
    }
  })
  await accounts.collection('users').insertMany(users)

  const subscriptions = campaigns.collection('subscriptions')
  const model = await subscriptions.findOne({ url: 'https://feeds.example/taxii2/' })
  const made = Array.from({ length: SUBSCRIPTIONS - 1 }, (_, n) => {
    const id = newId()
    const sealed = seal(old, feedSecretContext(id, model?.url), JSON.stringify({ user: 'ana', key: `${n}` }))
    return {
      ...model,
      _id: new Types.ObjectId(id),
      sealed,
    }
  })
  await subscriptions.insertMany(made)

  /** The last acknowledged AI key, and unacknowledged ones, which may also be stored. */
  const set = new Map<string, string[]>()
  let edits = 0
  const edit = (user: SignedInUser) => async (isRunning: () => boolean) => {
    while (isRunning()) {
      const api_key = `sk-edited-${++edits}`
      const before = set.get(user.id) ?? []
      set.set(user.id, [...before, api_key])
      const answer = await user.api.send('POST', '/profile/update-openai-key', { api_key })
      if (answer.status === 200) set.set(user.id, [api_key])
      await sleep(20)
    }
  }
  const cutOff: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await countUnder(oldId)
    // Auth reseals from its start.
    await auth.start()
    const isUnderWay = () =>
      vi.waitFor(async () => expect(await countUnder(oldId)).toBeLessThan(before), {
        timeout: BLOCKED_MS,
        interval: 5,
      })
    await killAtWork(auth, editors.map(edit), isUnderWay, 150)
    cutOff.push(await countUnder(oldId))
    // Simulates a replica with the old settings, which seals with the old key: auth reseals these secrets as well.
    for (const user of users.slice(kill * 100, kill * 100 + 100)) {
      const id = String(user._id)
      const key = `sk-old-${kill}-${id}`
      expected.set(id, key)
      await accounts
        .collection('users')
        .updateOne({ _id: user._id }, { $set: { sealed_ai_key: seal(old, `ai-key:${id}`, key) } })
    }
  }
  expect(cutOff[0]).toBeGreaterThan(0)

  await auth.start()
  // At its start, campaigns requests auth to reseal its secrets.
  await app.parts.campaigns.stop()
  await app.parts.campaigns.start()
  for (const name of ['auth', 'campaigns'] as const)
    await expect
      .poll(
        async () => {
          const counts = await app.peers.call(name, secretsInternal.countSealed)
          return counts.filter(({ kind, key }) => kind !== 'mails' && key !== freshId)
        },
        { timeout: BLOCKED_MS },
      )
      .toEqual([])

  // The new key opens all secrets.
  const stored = await accounts
    .collection('users')
    .find({ sealed_ai_key: { $type: 'string' } })
    .toArray()
  const keys = new Map(
    stored.map(user => {
      const id = String(user._id)
      return [id, unseal(fresh, `ai-key:${id}`, user.sealed_ai_key)]
    }),
  )
  for (const [id, key] of expected) expect([id, keys.get(id)]).toEqual([id, key])
  for (const { id } of editors) expect(set.get(id)).toContain(keys.get(id))
  const feeds = await subscriptions.find().toArray()
  const secrets = feeds.map(
    ({ _id, url, sealed }) => JSON.parse(unseal(fresh, feedSecretContext(String(_id), url), sealed)).key,
  )
  expect(secrets.sort()).toEqual(
    ['first', ...Array.from({ length: SUBSCRIPTIONS - 1 }, (_, n) => `${n}`)].sort(),
  )

  // The old key can be removed: auth starts without it, and users' keys still work.
  await auth.kill()
  app.parts.auth.env.SECRETS_KEY = fresh
  await auth.start()
  expect((await editors[0]?.api.call(profileApi.getProfile))?.has_openai_key).toBe(true)
})
