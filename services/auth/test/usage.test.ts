import { authApi, profileApi, QUOTAS, usageInternal } from '@iodine/contracts'
import { apiClient } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { serverOfFile } from './test-server.js'

// The collector's port is closed; the fixture answers for the other services.
const server = serverOfFile({ COLLECTOR_URL: 'http://127.0.0.1:9' })
let asked: string[]

it('shows users their own usage, and null for a service that is down', async () => {
  asked = []
  server.fixture.answer(usageInternal.getUsage, ({ params }) => {
    asked.push(params.id)
    return { iods: { used: 3, limit: 5 }, narratives: { used: 0, limit: 7 } }
  })
  const { api } = await server.signIn('ana@example.org')
  const { id } = await api.call(profileApi.getProfile)
  const usage = await api.call(profileApi.getUsage)
  expect(usage).toEqual({
    ...Object.fromEntries(QUOTAS.map(name => [name, null])),
    iods: { used: 3, limit: 5 },
    narratives: { used: 0, limit: 7 },
  })
  expect(new Set(asked)).toEqual(new Set([id]))
})

it('rejects the extension’s token and requests without a session', async () => {
  const { api } = await server.signIn('bo@example.org')
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await server.anyone.call(authApi.redeemExtensionCode, { body: { code } })
  const collector = apiClient(server.url, access_token)
  expect((await collector.send('GET', '/profile/usage')).status).toBe(403)
  expect((await server.anyone.send('GET', '/profile/usage')).status).toBe(401)
})
