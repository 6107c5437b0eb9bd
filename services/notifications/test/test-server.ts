import {
  authInternal,
  campaignsInternal,
  iodsInternal,
  type NotificationEvent,
  notificationsApi,
  notificationsInternal,
  type SightingRecord,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { createApp, notificationsConfigSchema } from '../src/index.js'

export interface TestServer {
  fixture: ServiceFixture
  url: string
  service: StoreService
  /** The API of a user. */
  as(user: FixtureUser): ReturnType<typeof apiClient>
  /** Delivers events, and waits until their notifications are stored. */
  publish(...events: NotificationEvent[]): Promise<void>
  records(owner: FixtureUser, ...records: SightingRecord[]): Promise<void>
  notificationsOf(user: FixtureUser): Promise<Awaited<ReturnType<typeof listOf>>>
  /** Waits until the outbox is empty. */
  settled(): Promise<void>
}

const listOf = (url: string, { token }: FixtureUser) =>
  apiClient(url, token).call(notificationsApi.listNotifications, { query: { limit: '100' } })

/** Starts the service with stubs: each IOD and campaign exists. */
export const startTestServer = async (): Promise<TestServer> => {
  const fixture = await startServiceFixture()
  fixture.answer(iodsInternal.getIods, ({ body }) => body.ids.map(id => iodOf(id)))
  fixture.answer(campaignsInternal.nameCampaigns, ({ body }) =>
    body.ids.map(id => ({ id, name: `Campaign ${id}` })),
  )
  fixture.answer(authInternal.sealFeedSecret, ({ body }) => ({ sealed: `sealed.${body.secret}` }))
  const service = await createApp(readConfig(notificationsConfigSchema, fixture.env), fixture.deps)
  const url = await fixture.listen(service)
  const settled = async () => {
    const { OutboxEntry } = service.mongo.models
    while ((await OutboxEntry?.countDocuments({ kind: 'notices' })) ?? 0)
      await new Promise(resolve => setTimeout(resolve, 10))
  }
  return {
    fixture,
    url,
    service,
    as: ({ token }) => apiClient(url, token),
    async publish(...events) {
      await fixture.internal(notificationsInternal.receiveEvents, { body: { events } })
      await settled()
    },
    async records(owner, ...records) {
      await fixture.internal(notificationsInternal.receiveRecords, { body: { user_id: owner.id, records } })
      await settled()
    },
    notificationsOf: user => listOf(url, user),
    settled,
  }
}

const iodOf = (id: string) => ({
  id,
  value: `Value ${id}`,
  category: 'KEYWORDS' as const,
  description: '',
  source_type: 'MANUAL' as const,
  source: null,
  source_id: null,
  created_by: null,
  created_by_id: null,
  created_by_username: null,
  created_at: new Date().toISOString(),
  votes: [],
  comments: [],
})

type IodCreated = Extract<NotificationEvent, { type: 'iod.created' }>
/** Returns the event of a new IOD of a user. */
export const iodCreated = (author: FixtureUser, fields: Partial<IodCreated> = {}): IodCreated => ({
  type: 'iod.created',
  id: newId(),
  user_id: author.id,
  value: 'stolen election',
  category: 'KEYWORDS',
  description: '',
  source_type: 'MANUAL',
  source: null,
  source_id: null,
  tlp: null,
  at: new Date().toISOString(),
  ...fields,
})

type CommentCreated = Extract<NotificationEvent, { type: 'comment.created' }>
/** Returns the event of a new comment on an IOD. */
export const commentCreated = (
  author: FixtureUser,
  iod: string,
  fields: Partial<CommentCreated> = {},
): CommentCreated => ({
  type: 'comment.created',
  id: newId(),
  subject: { kind: 'iod', id: iod, title: 'stolen election' },
  user_id: author.id,
  mentions: [],
  replied_to: null,
  tlp: null,
  at: new Date().toISOString(),
  ...fields,
})

/** Returns a record with a text. */
export const recordOf = (text: string, fields: Partial<SightingRecord> = {}): SightingRecord => ({
  id: newId(),
  source: 'telegram',
  key: newId(),
  account: 'channel',
  url: null,
  posted_at: null,
  claimed_at: null,
  fetched_at: new Date().toISOString(),
  edited: false,
  text,
  forwarded_from: null,
  links: [],
  media: [],
  shared: null,
  revision: 0,
  ...fields,
})
