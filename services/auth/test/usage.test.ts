import { authApi, profileApi, QUOTAS, usageInternal } from '@iodine/contracts'
import { apiClient } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { rigOfFile } from './rig.js'

// The collector's port is closed; the bed answers for the other services.
const rig = rigOfFile({ COLLECTOR_URL: 'http://127.0.0.1:9' })
let asked: string[]

it('a user sees their own usage; what a service that is down knows is null', async () => {
  asked = []
  rig.bed.answer(usageInternal.getUsage, ({ params }) => {
    asked.push(params.id)
    return { iods: { used: 3, limit: 5 }, narratives: { used: 0, limit: 7 } }
  })
  const { api } = await rig.signIn('ana@example.org')
  const { id } = await api.call(profileApi.getProfile)
  const usage = await api.call(profileApi.getUsage)
  expect(usage).toEqual({
    ...Object.fromEntries(QUOTAS.map(name => [name, null])),
    iods: { used: 3, limit: 5 },
    narratives: { used: 0, limit: 7 },
  })
  expect(new Set(asked)).toEqual(new Set([id]))
})

it('the extension’s token, and nobody, may not', async () => {
  const { api } = await rig.signIn('bo@example.org')
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await rig.anyone.call(authApi.redeemExtensionCode, { body: { code } })
  const collector = apiClient(rig.url, access_token)
  expect((await collector.send('GET', '/profile/usage')).status).toBe(403)
  expect((await rig.anyone.send('GET', '/profile/usage')).status).toBe(401)
})
