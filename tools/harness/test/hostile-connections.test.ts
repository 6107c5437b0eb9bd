/** @module-tag long */
import { iodsApi, LIMITS, narrativesApi, profileApi } from '@iodine/contracts'
import { BOUNDS, type Load } from '@iodine/gateway'
import { iodInput, type SignedInUser, startSlowClients } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

/** Number of sockets of an attack: more than a service's connections. */
const SOCKETS = 160
/** Timeout of other users' requests. Without per-client connection limits, they would wait until the attack ends. */
const TIMEOUT_MS = 45_000

let app: TestApp
let attacker: SignedInUser
let other: SignedInUser
beforeAll(async () => {
  app = await startTestApp()
  attacker = await app.signUp()
  other = await app.signUp()
  for (const { api } of [attacker, other])
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-any' } })
  // More than the buffers of two sockets.
  const filler = '€'.repeat(LIMITS.fieldMax - 10)
  for (let n = 0; n < 120; n++)
    await other.api.call(iodsApi.createIod, {
      body: iodInput({ value: `${filler} ${n}`, description: filler }),
    })
})
afterAll(() => app?.stop())

const load = async (): Promise<Load> => (await (await fetch(`${app.url}/readyz`)).json()).load

/** Expects that other users read each section and sign in successfully during the attack. */
const expectOthersServed = async (isUnderWay: () => Promise<boolean>) => {
  const paths = ['/profile/me', '/iods?limit=5', '/narratives/data', '/graph/triplets']
  const expectUnderWay = () => expect.poll(isUnderWay, { timeout: TIMEOUT_MS }).toBe(true)
  await expectUnderWay()
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      paths.map(async path => {
        const answer = await fetch(`${app.url}/api/v1${path}`, {
          headers: { authorization: `Bearer ${other.token}` },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        await answer.arrayBuffer()
        return [path, answer.status]
      }),
    )
    expect(answers).toEqual(paths.map(path => [path, 200]))
  }
  const { token } = await app.signUp()
  expect(token).toBeTruthy()
  await expectUnderWay()
}

const bearer = () => `Host: x\r\nAuthorization: Bearer ${attacker.token}\r\n`
const TEST_MS = 300_000

it(
  'endless request bodies do not delay other users',
  async () => {
    const crowd = await startSlowClients(app.url, {
      count: SOCKETS,
      text: 'POST /api/v1/auth/request-magic-link HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
      dripMs: 500,
    })
    try {
      await expectOthersServed(async () => (await load()).arriving > BOUNDS.pool.all)
    } finally {
      await crowd.stop()
    }
  },
  TEST_MS,
)

it(
  'unread responses do not delay other users',
  async () => {
    const crowd = await startSlowClients(app.url, {
      count: SOCKETS,
      text: `GET /api/v1/iods HTTP/1.1\r\n${bearer()}\r\n`,
      isDeaf: true,
    })
    try {
      await expectOthersServed(async () => (await load()).pools.iods?.active === BOUNDS.pool.user)
    } finally {
      await crowd.stop()
    }
  },
  TEST_MS,
)

it(
  'requests to a slow AI provider do not delay other users, including their own AI requests',
  async () => {
    app.ai.always(text => (text.includes('attack') ? 'hang' : 'simple'))
    const body = JSON.stringify({ text: 'They attack everybody.' })
    const crowd = await startSlowClients(app.url, {
      count: SOCKETS,
      text: `POST /api/v1/narratives HTTP/1.1\r\n${bearer()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    })
    try {
      await expectOthersServed(
        async () => (await load()).pools['narratives waits']?.active === BOUNDS.waitPool.user,
      )
      const { triplets_extracted } = await other.api.call(narrativesApi.createNarrative, {
        body: { text: 'They told everybody.' },
      })
      expect(triplets_extracted).toBe(1)
    } finally {
      await crowd.stop()
      app.ai.always('simple')
    }
  },
  TEST_MS,
)

it('serves all concurrent requests of one user within the limits', async () => {
  const iod = await attacker.api.call(iodsApi.createIod, { body: iodInput() })
  const votes = await Promise.all(
    Array.from({ length: 50 }, () =>
      other.api.send('POST', `/iods/${iod.id}/vote`, { vote_type: 'POSITIVE' }),
    ),
  )
  expect(votes.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(votes.filter(({ status }) => status === 409)).toHaveLength(49)
})
