import {
  authApi,
  authInternal,
  type Campaign,
  campaignsApi,
  collectorApi,
  DONE,
  iodsApi,
  iodsInternal,
  mailsInternal,
  narrativesApi,
  type UserCard,
} from '@iodine/contracts'
import type { Model } from 'mongoose'
import { expectTypeOf, test } from 'vitest'
import {
  type ListPosition,
  type Peers,
  type ReplyHeaders,
  type Service,
  Streamed,
  sendList,
} from '../src/index.js'

declare const service: Service
declare const campaign: Campaign
declare const card: UserCard
declare const text: string

test('a handler of a public endpoint answers its response', () => {
  service.route(narrativesApi.deleteNarrative, async ({ params, user }) => {
    expectTypeOf(params).toEqualTypeOf<{ id: string }>()
    expectTypeOf(user.id).toBeString()
    return { id: params.id }
  })
  service.route(authApi.verifyMagicLink, async ({ body, user, query }) => {
    expectTypeOf(body).toEqualTypeOf<{ token: string }>()
    expectTypeOf(user).toBeUndefined()
    expectTypeOf(query).toBeUndefined()
    return { access_token: '', has_username: true }
  })
  // @ts-expect-error another shape
  service.route(narrativesApi.deleteNarrative, async () => ({ deleted: true }))
  // @ts-expect-error a field is missing
  service.route(authApi.verifyMagicLink, async () => ({ access_token: '' }))
  // @ts-expect-error a field of another type
  service.route(narrativesApi.deleteNarrative, async () => ({ id: 5 }))
  // @ts-expect-error nothing
  service.route(narrativesApi.deleteNarrative, async () => {})
  // @ts-expect-error perhaps nothing
  service.route(campaignsApi.updateCampaign, async () => [campaign][1])
  // @ts-expect-error a document as the database has it
  service.route(campaignsApi.updateCampaign, async () => ({ ...campaign, created_at: new Date() }))
  // @ts-expect-error an item instead of a list
  service.route(campaignsApi.listCampaigns, async () => campaign)
  // @ts-expect-error sent by hand
  service.route(narrativesApi.deleteNarrative, async ({ reply }) => reply.send('{}'))
})

test('a handler of an internal endpoint answers its response, and has no user', () => {
  service.internal(mailsInternal.completeMail, async () => DONE)
  service.internal(authInternal.lookupUsers, async ({ body }) => body.ids.map(() => card))
  // @ts-expect-error another shape
  service.internal(mailsInternal.completeMail, async () => ({ synced: true }))
  // @ts-expect-error a field is missing
  service.internal(authInternal.lookupUsers, async () => [{ id: '', username: null }])
  // @ts-expect-error an internal call is no user's
  service.internal(mailsInternal.completeMail, async ({ user }) => user)
})

test('a streamed answer has the type of the response', () => {
  service.route(campaignsApi.listCampaigns, async () => new Streamed<Campaign[]>(text))
  service.internal(authInternal.lookupUsers, async () => new Streamed<UserCard[]>(text))
  // @ts-expect-error items of another type
  service.route(campaignsApi.listCampaigns, async () => new Streamed<UserCard[]>(text))
  // @ts-expect-error text without a type
  service.route(campaignsApi.listCampaigns, async () => text)
  // @ts-expect-error of another shape
  service.internal(authInternal.lookupUsers, async () => new Streamed<UserCard>(text))
})

test('a file is text of its media type', () => {
  service.route(campaignsApi.exportCampaign, async () => new Streamed(text, 'text/csv'))
  // @ts-expect-error anything else
  service.route(campaignsApi.exportCampaign, async () => campaign)
})

test('a list has the item type of its presenter', () => {
  type Doc = ListPosition & { name: string }
  const list = <T>(reply: ReplyHeaders, present: (docs: Doc[]) => T[]) =>
    sendList(reply, {
      model: {} as Model<Doc>,
      filter: {},
      limit: undefined,
      cursor: undefined,
      present,
    })
  service.route(campaignsApi.listCampaigns, async ({ reply }) => list(reply, () => [campaign]))
  // @ts-expect-error documents as the database has them
  service.route(campaignsApi.listCampaigns, async ({ reply }) => list(reply, docs => docs))
})

test('public and internal endpoints are served and called by separate functions', () => {
  const peers = {} as Peers
  expectTypeOf(peers.call('auth', authInternal.lookupUsers, { body: { ids: [] } })).resolves.toEqualTypeOf<
    UserCard[]
  >()
  // @ts-expect-error internal endpoints are no part of the API
  service.route(iodsInternal.knownIods, async () => [])
  // @ts-expect-error public endpoints require a session
  service.internal(iodsApi.lookupIods, async () => [])
  // @ts-expect-error peers serve internal endpoints only
  peers.call('collector', collectorApi.deleteRecord, { params: { source: 'tiktok', id: 'x' } })
  // @ts-expect-error the body is missing
  peers.call('auth', authInternal.lookupUsers)
})
