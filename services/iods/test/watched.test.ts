import {
  DONE,
  iodCommentsApi,
  iodsApi,
  iodsInternal,
  type NotificationEvent,
  notificationsInternal,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  apiClient,
  type FixtureUser,
  iodInput,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let bo: FixtureUser

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  ;[ana, bo] = [await fixture.user('ana'), await fixture.user('bo_2')]
})
afterAll(() => fixture?.stop())
beforeEach(() => {
  fixture.notified.length = 0
})

const create = () => apiClient(url, ana.token).call(iodsApi.createIod, { body: iodInput() })
const vote = async (id: string, vote_type: 'POSITIVE' | 'NEGATIVE') =>
  apiClient(url, (await fixture.user()).token).call(iodsApi.voteIod, { params: { id }, body: { vote_type } })
const upsertRed = () =>
  fixture.internal(iodsInternal.upsertIods, {
    body: { user_id: ana.id, iods: [{ iod: iodInput(), tlp: 'red' }] },
  })
const ofType = <T extends NotificationEvent['type']>(type: T) =>
  fixture.notified.filter((event): event is Extract<NotificationEvent, { type: T }> => event.type === type)

it('publishes a new IOD, also after an outage, and none that is TLP:RED', async () => {
  let isDown = true
  fixture.answer(notificationsInternal.receiveEvents, ({ body }) => {
    if (isDown) throw new Error('down')
    fixture.notified.push(...body.events)
    return DONE
  })
  await upsertRed()
  const { id, value, description, category, source_type } = await create()
  await expect.poll(() => fixture.events.some(({ data }) => 'id' in data && data.id === id)).toBe(true)
  isDown = false
  await expect.poll(() => ofType('iod.created')).toHaveLength(1)
  expect(fixture.notified).toMatchObject([
    { id, user_id: ana.id, value, description, category, source_type, source: null, tlp: null },
  ])
})

it('publishes votes when a side passes 3, 10 or 30, and when the majority changes sides', async () => {
  const { id } = await create()
  const counted = async (): Promise<unknown[]> => {
    fixture.notified.length = 0
    await service.tasks.run('vote-news')
    return ofType('iod.voted').map(({ positive, negative }) => [positive, negative])
  }
  await vote(id, 'POSITIVE')
  await vote(id, 'POSITIVE')
  expect(await counted()).toEqual([])
  await vote(id, 'POSITIVE')
  expect(await counted()).toEqual([[3, 0]])
  expect(await counted()).toEqual([])
  for (const _ of [1, 2]) await vote(id, 'NEGATIVE')
  expect(await counted()).toEqual([])
  await vote(id, 'NEGATIVE')
  expect(await counted()).toEqual([[3, 3]])
  await vote(id, 'NEGATIVE')
  expect(await counted()).toEqual([[3, 4]])
  await vote(id, 'NEGATIVE')
  expect(await counted()).toEqual([])
})

it('publishes a comment with its mentions and the author that it replies to, and none about TLP:RED', async () => {
  const { id, value } = await create()
  const write = (user: FixtureUser, on: string, body: { content: string; reply_to?: string }) =>
    apiClient(url, user.token).call(iodCommentsApi.createComment, { params: { id: on }, body })
  const [red] = await upsertRed()
  await write(bo, red?.id ?? '', { content: 'unseen @ana' })
  const first = await write(ana, id, { content: 'first' })
  const reply = await write(bo, id, { content: 'no @ana, @ANA and @nobody', reply_to: first.id })
  await expect.poll(() => ofType('comment.created')).toHaveLength(2)
  const subject = { kind: 'iod', id, title: value }
  expect(ofType('comment.created')).toMatchObject([
    { id: first.id, subject, user_id: ana.id, mentions: [], replied_to: null },
    { id: reply.id, subject, user_id: bo.id, mentions: [ana.id], replied_to: ana.id },
  ])
})
