import { DETAILS } from '@iodine/contracts'
import { connectRedis, SESSION_REVOKED, sessionKey } from '@iodine/service-kit'
import { type FaultProxy, startFaultProxy, startTestRedis } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let redis: Awaited<ReturnType<typeof startTestRedis>>
let link: FaultProxy
let app: TestApp
beforeAll(async () => {
  redis = await startTestRedis()
  link = await startFaultProxy(() => Number(new URL(redis.url).port))
  const through = new URL(redis.url)
  through.port = String(link.port)
  app = await startTestApp({ env: { REDIS_URL: through.href } })
})
afterAll(async () => {
  link?.set('open')
  await app?.stop()
  await link?.stop()
  await redis?.stop()
})

it('ends a session permanently while Redis is down, and returns 503 until this is certain', async () => {
  const { token, api } = await app.signUp('leaver@example.org')
  const me = async () => (await api.send('GET', '/profile/me')).status
  expect(await me()).toBe(200)
  const own = await connectRedis(redis.url)
  const sid: string = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid
  const kept = () => own.get(sessionKey(app.prefix, sid))
  await expect.poll(kept).toContain('full')

  link.set('reset')
  // Independent of the order in which lost connections are detected.
  await expect.poll(me).toBe(200)
  expect(await api.send('POST', '/auth/logout')).toMatchObject({
    status: 503,
    body: { detail: DETAILS.logoutUnfinished },
  })
  expect(await me()).toBe(401)

  // Redis restarts with its old data, which the gateway must not use.
  expect(await kept()).toContain('full')
  link.set('open')
  const seen = new Set<number>()
  await expect
    .poll(
      async () => {
        seen.add(await me())
        return kept()
      },
      { timeout: 30_000 },
    )
    .toBe(SESSION_REVOKED)
  expect([...seen]).toEqual([401])
  await app.parts.auth.stop()
  expect(await me()).toBe(401)
  await app.parts.auth.start()
  own.disconnect()
})
