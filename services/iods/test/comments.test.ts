import { randomUUID } from 'node:crypto'
import {
  authInternal,
  commentsInternal,
  DETAILS,
  type Iod,
  iodCommentsApi,
  iodsApi,
  iodsInternal,
  LIMITS,
  personalDataInternal,
} from '@iodine/contracts'
import { readConfig, type StoreService, usersVersionKey } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  iodInput,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let ana: FixtureUser
let bo: FixtureUser
let api: ApiClient
let bosApi: ApiClient
let iod: Iod
const admins = new Set<string>()

beforeAll(async () => {
  fixture = await startServiceFixture()
  // Tests of the rate of comments are those of campaigns.
  service = await createApp(
    readConfig(iodsConfigSchema, { ...fixture.env, RATE_LIMITS: 'off' }),
    fixture.deps,
  )
  const url = await fixture.listen(service)
  ana = await fixture.user('ana')
  bo = await fixture.user('bo_2')
  api = apiClient(url, ana.token)
  bosApi = apiClient(url, bo.token)
  fixture.answer(authInternal.checkAdmin, ({ params }) => ({ is_admin: admins.has(params.id) }))
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  admins.clear()
  iod = await api.call(iodsApi.createIod, { body: iodInput() })
})

const write = (content: string, more: { reply_to?: string; key?: string } = {}, client = api) =>
  client.call(iodCommentsApi.createComment, { params: { id: iod.id }, body: { content, ...more } })
const send = (body: unknown) => api.send('POST', `/iods/${iod.id}/comments`, body)
const list = (id = iod.id) => api.call(iodCommentsApi.listComments, { params: { id }, query: {} })
const remove = (cid: string, client = api) => client.send('DELETE', `/iods/${iod.id}/comments/${cid}`)
const read = () => api.call(iodsApi.getIod, { params: { id: iod.id } })
const count = async () =>
  (await fixture.internal(iodsInternal.countIods, { body: { ids: [iod.id] } })).comments
const contents = (comments: { content: string }[]) => comments.map(({ content }) => content)

describe('comments', () => {
  it('are listed oldest first, and are in the IOD in the specified shape', async () => {
    const first = await write('Seen before: https://example.org')
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      content: 'Seen before: https://example.org',
      user_id: ana.id,
      username: 'ana',
      created_at: expect.any(String),
      mentions: [],
      reply_to: null,
      edited_at: null,
      deleted: null,
      imported: false,
    })
    const second = await write('Where?', {}, bosApi)
    expect(await list()).toEqual([first, second])
    const { id, content, user_id, username, created_at } = second
    expect((await read()).comments[1]).toEqual({ id, content, user_id, username, created_at })
    expect(await count()).toBe(2)
  })

  it('are paged, with their number', async () => {
    for (const content of ['a', 'b', 'c']) await write(content)
    const path = `/iods/${iod.id}/comments?limit=2`
    const page = await api.send('GET', path)
    expect(contents(page.body)).toEqual(['a', 'b'])
    expect(page.headers.get('x-total-count')).toBe('3')
    const rest = await api.send('GET', `${path}&cursor=${page.headers.get('x-next-cursor')}`)
    expect(contents(rest.body)).toEqual(['c'])
    expect(rest.headers.get('x-next-cursor')).toBeNull()
  })

  it('are all in one IOD, the latest 50 in lists and look-ups', async () => {
    const given = Array.from({ length: 53 }, (_, n) => ({
      id: newId(),
      author: 'lu',
      content: `c${n}`,
      created_at: new Date(1_700_000_000_000 + n).toISOString(),
    }))
    const body = { user_id: ana.id, iods: [{ id: iod.id, comments: given }] }
    await fixture.internal(commentsInternal.upsertComments, { body })
    const other = await api.call(iodsApi.createIod, { body: iodInput() })
    await api.call(iodCommentsApi.createComment, { params: { id: other.id }, body: { content: 'one' } })
    const listed = await api.call(iodsApi.listIods, { query: { limit: 2 } })
    expect(contents((await read()).comments)).toEqual(contents(given))
    expect(listed.map(({ comments }) => contents(comments))).toEqual([['one'], contents(given.slice(3))])
    const [found] = await api.call(iodsApi.lookupIods, { body: { values: [iod.value] } })
    expect(found?.comments).toHaveLength(50)
  })

  it('of 50 concurrent requests are 50, and the count is right', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => write(`c${n}`, {}, n % 2 ? api : bosApi)))
    expect(contents(await list()).sort()).toEqual(Array.from({ length: 50 }, (_, n) => `c${n}`).sort())
    expect(await count()).toBe(50)
  })

  it('are created once for a key, also concurrently', async () => {
    const key = randomUUID()
    const [one, two] = await Promise.all([write('once', { key }), write('once', { key })])
    expect(two).toEqual(one)
    expect(await send({ content: 'once', key })).toMatchObject({ status: 200, body: { id: one?.id } })
    expect(contents(await list())).toEqual(['once'])
    expect(await count()).toBe(1)
  })

  it('have one level of replies', async () => {
    const { id } = await write('Where?')
    const reply = await write('There', { reply_to: id })
    expect(reply.reply_to).toBe(id)
    expect(await send({ content: 'And there', reply_to: reply.id })).toMatchObject({
      status: 422,
      body: { detail: [DETAILS.replyToReply] },
    })
    expect(await count()).toBe(2)
  })

  it.each([
    ['a blank text', { content: ' \u200b\u2060\n' }, 'content: must not be empty'],
    ['2,001 characters', { content: '🛰'.repeat(2_001) }, 'content: must have at most 2000 characters'],
    ['an unknown field', { content: 'a', user_id: newId() }, 'user_id: is not a known field'],
  ])('refuse %s', async (_, body, detail) => {
    expect(await send(body)).toMatchObject({ status: 422, body: { detail: [detail] } })
    expect(await count()).toBe(0)
  })

  it.each([
    ['HTML', '<img src=x onerror=alert(1)>'],
    ['characters of right-to-left text and without width', 'left \u202eright to left\u202c \u200bnone'],
    ['2,000 characters', '🛰'.repeat(2_000)],
    ['names of no user, an address and a URL', '@nobody_here, a@ana and https://example.org/@ana'],
  ])('keep %s as text', async (_, content) => {
    expect(await write(content)).toMatchObject({ content, mentions: [] })
    expect(contents((await read()).comments)).toEqual([content])
  })

  it('on an unknown IOD are 404', async () => {
    iod = { ...iod, id: newId() }
    expect((await send({ content: 'a' })).status).toBe(404)
    expect((await api.send('GET', `/iods/${iod.id}/comments`)).status).toBe(404)
  })

  it('reach a limit', async () => {
    await service.mongo.collection('iods').updateMany({}, { $set: { comment_count: LIMITS.commentsMax } })
    expect(await send({ content: 'a' })).toMatchObject({
      status: 413,
      body: { detail: DETAILS.commentsFull },
    })
    expect(await list()).toEqual([])
  })
})

describe('mentions', () => {
  it('are stored by id, so that a rename shows', async () => {
    const comment = await write('Ask @BO_2, or @ana.')
    expect(comment).toMatchObject({
      content: 'Ask @bo_2, or @ana.',
      mentions: [
        { user_id: bo.id, start: 4, end: 9 },
        { user_id: ana.id, start: 14, end: 18 },
      ],
    })
    const card = fixture.users.get(bo.id)
    fixture.users.set(bo.id, { ...bo, username: 'boleslaw' })
    await service.redis.set(usersVersionKey(service.config.REDIS_PREFIX), 'renamed')
    const [renamed] = await list()
    expect(renamed).toMatchObject({
      content: 'Ask @boleslaw, or @ana.',
      mentions: [
        { user_id: bo.id, start: 4, end: 13 },
        { user_id: ana.id, start: 18, end: 22 },
      ],
    })
    expect(contents((await read()).comments)).toEqual(['Ask @boleslaw, or @ana.'])
    if (card) fixture.users.set(bo.id, card)
    await service.redis.set(usersVersionKey(service.config.REDIS_PREFIX), 'again')
  })

  it('are at most ten', async () => {
    expect((await write('@ana '.repeat(10))).mentions).toHaveLength(10)
    expect(await send({ content: '@ana '.repeat(11) })).toMatchObject({
      status: 422,
      body: { detail: [DETAILS.tooManyMentions] },
    })
  })
})

describe('editing', () => {
  const edit = (cid: string, content: string, client = api) =>
    client.send('PATCH', `/iods/${iod.id}/comments/${cid}`, { content })

  it('is the author’s, and shows', async () => {
    const { id } = await write('Fisrt')
    expect(await edit(id, 'First', bosApi)).toMatchObject({ status: 403 })
    expect(await edit(id, ' ')).toMatchObject({ status: 422 })
    const { status, body } = await edit(id, 'First @ana')
    expect(status).toBe(200)
    expect(body).toMatchObject({ content: 'First @ana', edited_at: expect.any(String) })
    expect(body.mentions).toHaveLength(1)
    const statements = await fixture.internal(iodsInternal.stateIods, { body: { ids: [iod.id] } })
    expect(statements[iod.id]?.edited).toEqual({ [id]: body.edited_at })
  })

  it('ends after 24 hours', async () => {
    const { id } = await write('Old')
    const created_at = new Date(Date.now() - LIMITS.commentEditMs - 1)
    await service.mongo.collection('comments').updateMany({}, { $set: { created_at } })
    expect(await edit(id, 'New')).toMatchObject({ status: 403, body: { detail: DETAILS.editTooLate } })
  })
})

describe('deleting', () => {
  it('removes a comment of the author’s', async () => {
    const { id } = await write('Gone')
    expect((await remove(id, bosApi)).status).toBe(403)
    expect(await remove(id)).toMatchObject({ status: 200, body: { id } })
    expect((await remove(id)).status).toBe(404)
    expect(await list()).toEqual([])
    expect(await count()).toBe(0)
    expect(await service.mongo.collection('comments').countDocuments({ subject_id: iod.id })).toBe(0)
  })

  it('keeps the position of a comment with replies until the last one is deleted', async () => {
    const { id } = await write('Where, @bo_2?')
    const reply = await write('There', { reply_to: id }, bosApi)
    await remove(id)
    const [deleted] = await list()
    expect(deleted).toEqual({
      id,
      content: '',
      user_id: null,
      username: null,
      created_at: expect.any(String),
      mentions: [],
      reply_to: null,
      edited_at: null,
      deleted: 'author',
      imported: false,
    })
    expect(await count()).toBe(1)
    expect(contents((await read()).comments)).toEqual(['There'])
    expect(await send({ content: 'a', reply_to: id })).toMatchObject({
      status: 409,
      body: { detail: DETAILS.repliedDeleted },
    })
    expect((await remove(reply.id, bosApi)).status).toBe(200)
    expect(await list()).toEqual([])
  })

  it('of another user’s comment is an administrator’s', async () => {
    const { id } = await write('Not here')
    await write('Why?', { reply_to: id })
    admins.add(bo.id)
    expect((await remove(id, bosApi)).status).toBe(200)
    expect((await list())[0]).toMatchObject({ deleted: 'administrator', content: '' })
  })
})

describe('an import', () => {
  const given = { id: newId(), author: 'lu', content: 'From @ana', created_at: '2026-01-02T03:04:05Z' }
  const bring = (...comments: (typeof given)[]) =>
    fixture.internal(commentsInternal.upsertComments, {
      body: { user_id: bo.id, iods: [{ id: iod.id, comments }] },
    })

  it('adds comments once, with the author’s name as text', async () => {
    given.id = newId()
    const own = await write('Own')
    const known = { ...given, id: own.id }
    expect(await bring(given, known)).toEqual({ added: 1, known: 1, left_out: 0 })
    expect(await bring(given)).toEqual({ added: 0, known: 1, left_out: 0 })
    expect((await list())[0]).toEqual({
      id: given.id,
      content: 'From @ana',
      user_id: null,
      username: 'lu',
      created_at: '2026-01-02T03:04:05.000Z',
      mentions: [],
      reply_to: null,
      edited_at: null,
      deleted: null,
      imported: true,
    })
    expect(await count()).toBe(2)
  })

  it('leaves out comments above the limit, and none is in the future', async () => {
    const comment_count = LIMITS.commentsMax - 1
    await service.mongo.collection('iods').updateMany({}, { $set: { comment_count } })
    const [one, two] = [newId(), newId()]
    const created_at = '2999-01-01T00:00:00Z'
    expect(await bring({ ...given, id: one, created_at }, { ...given, id: two })).toEqual({
      added: 1,
      known: 0,
      left_out: 1,
    })
    expect(Date.parse((await list())[0]?.created_at ?? '')).toBeLessThanOrEqual(Date.now())
  })
})

describe('a deleted account', () => {
  const erase = (id: string, comments?: 'delete') =>
    fixture.internal(personalDataInternal.eraseUser, { params: { id }, query: { comments } })
  const exported = (id: string) => fixture.internal(personalDataInternal.exportUser, { params: { id } })

  it('leaves its comments without an author, and mentions of it as text', async () => {
    await service.mongo.collection('comments').deleteMany({})
    const { id } = await write('Mine', {}, bosApi)
    await write('Thanks, @bo_2')
    expect((await exported(bo.id)).filter(({ kind }) => kind === 'comment')).toHaveLength(1)
    await erase(bo.id)
    expect(await list()).toMatchObject([
      { id, content: 'Mine', user_id: null, username: null, imported: false },
      { content: 'Thanks, @bo_2', mentions: [] },
    ])
    expect((await exported(bo.id)).filter(({ kind }) => kind === 'comment')).toEqual([])
  })

  it('takes its comments with it if its owner wishes', async () => {
    const { id } = await write('Mine', {}, bosApi)
    await write('Theirs', { reply_to: id })
    await write('Also mine', {}, bosApi)
    await erase(bo.id, 'delete')
    expect(await list()).toMatchObject([{ deleted: 'author', content: '' }, { content: 'Theirs' }])
    expect(await count()).toBe(1)
  })
})
