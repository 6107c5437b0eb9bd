import * as contracts from '@iodine/contracts'
import {
  campaignsApi,
  collectorApi,
  DETAILS,
  type EndpointSpec,
  iodsApi,
  narrativesApi,
  profileApi,
} from '@iodine/contracts'
import {
  type ApiClient,
  apiClient,
  iodInput,
  type SignedInUser,
  startTestStack,
  type TestStack,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Every operation of the public API: what the contracts export as a table of endpoints. */
const operations = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, table]) => Object.values(table as unknown as Record<string, EndpointSpec>))
const nameOf = ({ method, path }: EndpointSpec) => `${method} ${path}`

type Role = 'anonymous' | 'collector' | 'other' | 'admin' | 'owner'

interface Things {
  record: string
  iod: string
  campaign: string
  narrative: string
  owner: string
}
interface Row {
  /** What stands for `:id` in the path, or follows the path. */
  id?: keyof Things
  query?: (things: Things) => string
  body?: (things: Things, role: Role) => unknown
  /** Status for another user, an admin, and whose thing it is; one number for all of them. */
  status: number | Record<'other' | 'admin' | 'owner', number>
}

const MARK = 'only-its-owner-sees-this'
let made = 0
const mine = (success: number, refusal: number) => ({ other: refusal, admin: refusal, owner: success })
const admins = (success: number) => ({ other: 403, admin: success, owner: 403 })

/** In the order they are tried; each by everybody else before its owner. */
const ROWS: Record<string, Row> = {
  'POST /auth/request-magic-link': { body: () => ({ email: `asked${++made}@example.org` }), status: 200 },
  'POST /auth/verify-magic-link': { body: () => ({ token: 'unknown' }), status: 400 },
  'POST /auth/redeem-extension-code': { body: () => ({ code: 'unknown' }), status: 400 },
  'POST /auth/generate-extension-code': { status: 200 },
  'GET /profile/me': { status: 200 },
  'POST /profile/setup-username': { body: (_, role) => ({ username: `renamed_${role}` }), status: 200 },
  'POST /profile/update-openai-key': { body: () => ({ api_key: 'sk-anything' }), status: 200 },
  'GET /admin/beta-codes': { status: admins(200) },
  'POST /admin/beta-codes': { body: () => ({}), status: admins(201) },
  'GET /:source/data': { status: 200 },
  'POST /:source/data': { body: () => ({ records: [tiktokPost()] }), status: 200 },
  'DELETE /:source/data/:id': { id: 'record', status: mine(200, 404) },
  'GET /iods': { status: 200 },
  'GET /iods/facets': { status: 200 },
  'POST /iods': { body: () => iodInput(), status: 201 },
  'POST /iods/lookup': { body: () => ({ values: ['anything'] }), status: 200 },
  'POST /iods/:id/vote': { id: 'iod', body: () => ({ vote_type: 'POSITIVE' }), status: 200 },
  'GET /campaigns': { status: 200 },
  'GET /campaigns/my': { status: 200 },
  'GET /campaigns/:id': { id: 'campaign', status: 200 },
  'GET /campaigns/:id/export': { id: 'campaign', status: 200 },
  'POST /campaigns': { body: () => ({ name: 'Anybody’s' }), status: 201 },
  'POST /campaigns/:id/add-iod': { id: 'campaign', body: ({ iod }) => ({ iod_id: iod }), status: 200 },
  'POST /campaigns/:id/remove-iod': { id: 'campaign', body: ({ iod }) => ({ iod_id: iod }), status: 200 },
  'PATCH /campaigns/:id': { id: 'campaign', body: () => ({ name: 'Renamed' }), status: mine(200, 403) },
  'DELETE /campaigns/:id': { id: 'campaign', status: mine(200, 403) },
  'GET /narratives/data': { status: 200 },
  'GET /narratives/open': { status: 200 },
  'POST /narratives': { body: () => ({ text: 'They hide everything.' }), status: 201 },
  'DELETE /narratives/data/:id': { id: 'narrative', status: mine(200, 404) },
  'GET /graph/triplets': { query: ({ owner }) => `?user_id=${owner}`, status: 200 },
  'GET /graph/texts': {
    query: ({ owner }) => `?user_id=${owner}&from=entity:they&to=verb:hide`,
    status: 200,
  },
  'GET /community/users': { status: 200 },
  'GET /community/users/:id': { id: 'owner', status: 200 },
  'DELETE /profile/remove-openai-key': { status: 200 },
  'POST /auth/logout': { status: 200 },
}

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: 'boss@example.org' } })
}, 240_000)
afterAll(() => stack?.stop())

const prepare = async ({ api, id: owner }: SignedInUser): Promise<Things> => {
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
  const records = [tiktokPost({ description: MARK })]
  const ingested = await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records },
  })
  const [record] = ingested.results as { id: string }[]
  const iod = await api.call(iodsApi.createIod, { body: iodInput() })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Theirs' } })
  // Past what a public profile shows of it.
  const text = `${'They told everybody. '.repeat(15)}${MARK}`
  const narrative = await api.call(narrativesApi.createNarrative, { body: { text } })
  return { record: record?.id ?? '', iod: iod.id, campaign: campaign.id, narrative: narrative.id, owner }
}

it('lets each role do what the table says, on every route, and nothing else', async () => {
  expect(Object.keys(ROWS).sort()).toEqual(operations.map(nameOf).sort())

  stack.ai.always({ triplets: [{ subject: 'they', verb: 'told', object: 'everybody' }] })
  const [owner, other, admin] = [
    await stack.signUp(),
    await stack.signUp(),
    await stack.signUp('boss@example.org'),
  ] as const
  const things = await prepare(owner)
  const { code } = await owner.api.call(contracts.authApi.generateExtensionCode)
  const redeemed = await stack.api.call(contracts.authApi.redeemExtensionCode, { body: { code } })
  const clients: Record<Role, ApiClient> = {
    anonymous: stack.api,
    collector: apiClient(stack.url, redeemed.access_token),
    other: other.api,
    admin: admin.api,
    owner: owner.api,
  }

  for (const [name, { id, query, body, status }] of Object.entries(ROWS)) {
    const operation = operations.find(each => nameOf(each) === name) as EndpointSpec
    const path = operation.path.replace(':source', 'tiktok').replace(':id', id ? things[id] : '')
    const own = typeof status === 'number' ? { other: status, admin: status, owner: status } : status
    const expected: Record<Role, number> = {
      anonymous: operation.access === 'anyone' ? own.owner : 401,
      collector: operation.access === 'user' ? 403 : own.owner,
      ...own,
    }
    for (const role of Object.keys(clients) as Role[]) {
      const input = operation.method === 'GET' ? undefined : (body?.(things, role) ?? {})
      const answer = await clients[role].send(
        operation.method,
        `${path}${query?.(things) ?? ''}`,
        operation.method === 'DELETE' ? undefined : input,
      )
      expect([name, role, answer.status]).toEqual([name, role, expected[role]])
      if (answer.status === 401) expect(answer.body).toEqual({ detail: DETAILS.unauthenticated })
      if (answer.status === 403)
        expect(answer.body).toEqual({
          detail: role === 'collector' ? DETAILS.collectorScope : DETAILS.forbidden,
        })
      if (role !== 'owner') expect(JSON.stringify(answer.body)).not.toContain(MARK)
    }
  }
}, 240_000)
