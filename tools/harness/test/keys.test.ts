/** @module-tag long */
import { createServer, request as httpRequest, type Server } from 'node:http'
import { campaignsApi, iodsApi, profileApi } from '@iodine/contracts'
import { PARTS } from '@iodine/dev-stack/parts'
import { createLogger, newSecretsKey, newSigningKey, type Part } from '@iodine/service-kit'
import { apiClient, NO_LIMITS } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const signing = { old: newSigningKey(), fresh: newSigningKey() }
const sealing = { old: newSecretsKey(), fresh: newSecretsKey() }

/** Returns the name of the key that signed a token. */
const signerOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

let app: TestApp
/** Distributes requests to auth over its replicas, round-robin. */
let balancer: Server
const replicas: { part: Part; url: URL }[] = []

const startReplica = async (env: Record<string, string>) => {
  const create = PARTS.auth.prepare({ ...app.parts.auth.env, PORT: '0', ...env })
  const part = await create({ logger: createLogger('auth', 'silent') })
  return { part, url: new URL(await part.listen()) }
}
/** Replaces a replica by a new one, as a rolling restart does. */
const replace = async (index: number, env: Record<string, string>) => {
  const before = replicas[index]
  replicas[index] = await startReplica(env)
  // The regular shutdown: it completes pending requests before it closes.
  await before?.part.drain()
  await before?.part.close()
}

beforeAll(async () => {
  // The workers already have the new key; only auth signs and seals.
  app = await startTestApp({
    env: {
      ...NO_LIMITS,
      JWT_PRIVATE_KEY: signing.old,
      SECRETS_KEY: `${sealing.old},${sealing.fresh}`,
    },
  })
  const address = new URL(app.parts.auth.url)
  await app.parts.auth.stop()
  await replace(0, {})
  await replace(1, {})
  let turn = 0
  balancer = createServer((request, response) => {
    const { url } = replicas[turn++ % replicas.length] as { url: URL }
    const { method, headers } = request
    const onward = httpRequest(
      new URL(request.url ?? '/', url),
      { method, headers, agent: false },
      answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    // A replica with an incomplete body would not close before Node's request timeout of 300 s.
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>(resolve => balancer.listen(Number(address.port), address.hostname, resolve))
})
afterAll(async () => {
  balancer?.closeAllConnections()
  balancer?.close()
  await app?.stop()
  for (const { part } of replicas) await part.close()
})

it('rotates keys on two replicas of auth under load without ending sessions', async () => {
  const refused: unknown[] = []
  const tokens: string[] = []
  const answered = new Map<string, number>()
  let isRunning = true
  const use = async (token: string) => {
    const api = apiClient(app.url, token)
    while (isRunning)
      for (const endpoint of [profileApi.getProfile, iodsApi.getIodFacets, campaignsApi.listMyCampaigns]) {
        const { status } = await api.send('GET', endpoint.path)
        if (status !== 200) refused.push([endpoint.path, status, signerOf(token)])
        answered.set(token, (answered.get(token) ?? 0) + 1)
      }
  }
  const working: Promise<void>[] = []
  /** Creates a session, and sends requests with all sessions. */
  const signIn = async () => {
    const { token, api } = await app.signUp()
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
    tokens.push(token)
    working.push(use(token))
    const before = new Map(answered)
    await expect
      .poll(() => tokens.every(each => (answered.get(each) ?? 0) > (before.get(each) ?? 0) + 3), {
        timeout: 60_000,
      })
      .toBe(true)
  }
  try {
    await signIn()
    const { old, fresh } = signing
    const phases: Record<string, string>[] = [
      { JWT_PRIVATE_KEY: old + fresh },
      { JWT_PRIVATE_KEY: fresh + old, SECRETS_KEY: `${sealing.fresh},${sealing.old}` },
    ]
    for (const phase of phases)
      for (const place of [0, 1]) {
        await replace(place, phase)
        // Other parts immediately accept signatures of both replicas.
        for (let times = 0; times < 2; times++) await signIn()
      }
  } finally {
    isRunning = false
    await Promise.all(working)
  }
  expect(refused).toEqual([])
  const names = tokens.map(signerOf)
  expect(new Set(names).size).toBe(2)
  expect(names.at(-1)).not.toBe(names[0])
}, 300_000)
