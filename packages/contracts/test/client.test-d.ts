import { expectTypeOf, test } from 'vitest'
import type * as contracts from '../src/index.js'
import {
  authInternal,
  type Client,
  campaignsApi,
  communityApi,
  endpoint,
  type Iod,
  internalEndpoint,
  iodsApi,
  iodsInternal,
  narrativesInternal,
  type PublicEndpoint,
  profileApi,
  type ResponseOf,
} from '../src/index.js'

declare const client: Client

type Tables = Extract<keyof typeof contracts, `${string}Api` | `${string}Internal`>
type Endpoints = {
  [T in Tables]: (typeof contracts)[T][keyof (typeof contracts)[T]]
}[Tables]

test('a response is sent as the handler returns it: no response schema transforms', () => {
  expectTypeOf<Endpoints['response']['_zod']['input']>().toEqualTypeOf<
    Endpoints['response']['_zod']['output']
  >()
})

test('answers have the type of their schema', () => {
  expectTypeOf(client.call(iodsApi.listIods)).resolves.toEqualTypeOf<Iod[]>()
  expectTypeOf(client.page(iodsApi.listIods, { query: { limit: 5 } })).resolves.toEqualTypeOf<{
    items: Iod[]
    total: number | null
    exact?: false
    nextCursor: string | null
  }>()
  expectTypeOf<ResponseOf<typeof profileApi.getProfile>>().not.toBeAny()
})

test('params are required exactly if the path has some', () => {
  client.call(campaignsApi.getCampaign, { params: { id: 'x' } })
  // @ts-expect-error the path needs its id
  client.call(campaignsApi.getCampaign)
  // @ts-expect-error the path needs its id
  client.call(campaignsApi.getCampaign, {})
  // @ts-expect-error an id is text
  client.call(campaignsApi.getCampaign, { params: { id: 5 } })
  // @ts-expect-error no such parameter
  client.call(campaignsApi.getCampaign, { params: { id: 'x', name: 'y' } })
  // @ts-expect-error the path has none
  client.call(iodsApi.listIods, { params: { id: 'x' } })
})

test('query values are the known ones; numbers are accepted as text', () => {
  client.call(communityApi.listUsers, { query: { limit: 5, skip: '10', search: 'ana' } })
  client.call(iodsApi.listIods, { query: { category: ['URL', 'HASH'] } })
  // @ts-expect-error no such filter
  client.call(communityApi.listUsers, { query: { name: 'ana' } })
  // @ts-expect-error no such category
  client.call(iodsApi.listIods, { query: { category: 'LINK' } })
  // @ts-expect-error takes no query
  client.call(profileApi.getProfile, { query: { id: 'x' } })
})

test('bodies are complete and of the right shape', () => {
  client.call(iodsApi.voteIod, { params: { id: 'x' }, body: { vote_type: 'POSITIVE' } })
  client.call(iodsInternal.getIods, { body: { ids: ['x'] } })
  // @ts-expect-error the body is missing
  client.call(iodsApi.voteIod, { params: { id: 'x' } })
  // @ts-expect-error no such vote
  client.call(iodsApi.voteIod, { params: { id: 'x' }, body: { vote_type: 'UP' } })
  // @ts-expect-error a field is missing
  client.call(iodsApi.createIod, { body: { value: 'x', category: 'URL', description: '' } })
  // @ts-expect-error is_admin is not for clients
  client.call(profileApi.setupUsername, { body: { username: 'ana', is_admin: true } })
  // @ts-expect-error takes no body
  client.call(profileApi.getProfile, { body: {} })
  // @ts-expect-error no such failure
  client.call(narrativesInternal.finishExtraction, { params: { id: 'x' }, body: { failure: 'bored' } })
})

test('an internal endpoint is not a public one', () => {
  expectTypeOf(authInternal.checkSession).not.toExtend<PublicEndpoint>()
  const { response } = profileApi.getProfile
  const spec = { summary: '', response }
  endpoint('user', 'GET /x', spec)
  internalEndpoint('GET /internal/x', spec)
  // @ts-expect-error a public endpoint has an access
  endpoint('GET /x', spec)
  // @ts-expect-error an internal endpoint has no access
  internalEndpoint('GET /internal/x', { ...spec, access: 'user' })
  // @ts-expect-error an internal endpoint is below /internal
  internalEndpoint('GET /x', spec)
})
