import {
  authInternal,
  communityInternal,
  DETAILS,
  DONE,
  EXTRACTION_FAILURES,
  historyInternal,
  LIMITS,
  narrativesApi,
  narrativesInternal,
  personalDataInternal,
} from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { deferred, newId } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createWaits } from '../src/narratives/commands/waits.js'
import { CROWD_MS, startTestServer, type TestServer, triplet } from './test-server.js'

let server: TestServer
let ana: Awaited<ReturnType<TestServer['user']>>
let made = 0
const freshText = () => `They say number ${++made}. Nobody asks.`

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())
beforeEach(async () => {
  ana = await server.user('ana')
  server.work(id => server.finish(id, { triplets: [triplet('They'), triplet('Nobody', 'asks')] }))
})

const post = (body: unknown, api = ana.api) => api.send('POST', '/narratives/', body)
const list = (api = ana.api) => api.call(narrativesApi.listNarratives)
const openOf = async (userId: string) => {
  const open = await vi.waitFor(async () => {
    const found = await server.store.narratives.findOne({ user_id: userId, state: 'open' }).lean()
    expect(found).toBeTruthy()
    return found
  }, 30_000)
  return String(open?._id)
}

describe('creating', () => {
  it('responds 201 with id and number of triplets, and lists the narrative newest first', async () => {
    const first = await post({ text: '  as sent\n', src: 'https://example.org/a' })
    expect(first).toMatchObject({ status: 201, body: { triplets_extracted: 2 } })
    const second = await post({ text: freshText(), src: '' })
    const narratives = await list()
    expect(narratives.map(({ id }) => id)).toEqual([second.body.id, first.body.id])
    expect(narratives[1]).toMatchObject({ text: '  as sent\n', src: 'https://example.org/a' })
    expect(narratives[0]?.src).toBeNull()
    expect(narratives[1]?.triplets).toEqual([
      { id: expect.any(Number), ...triplet('They'), narrative_data: { src: 'https://example.org/a' } },
      {
        id: expect.any(Number),
        ...triplet('Nobody', 'asks'),
        narrative_data: { src: 'https://example.org/a' },
      },
    ])
    const ids = narratives.flatMap(({ triplets }) => triplets.map(({ id }) => id))
    expect(new Set(ids).size).toBe(4)
    expect(ids.every(Number.isSafeInteger)).toBe(true)
  })

  it('assigns unique ids to the triplets of 50 concurrent narratives', {
    tags: 'long',
    timeout: CROWD_MS,
  }, async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ text: freshText() })))
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    const ids = (await list()).flatMap(({ triplets }) => triplets.map(({ id }) => id))
    expect(ids).toHaveLength(100)
    expect(new Set(ids).size).toBe(100)
  })

  it('pages the list with the total', async () => {
    for (let n = 0; n < 3; n++) await post({ text: freshText() })
    const page = await ana.api.send('GET', '/narratives/data?limit=2')
    expect(page.body).toHaveLength(2)
    expect(page.headers.get('x-total-count')).toBe('3')
    const rest = await ana.api.send(
      'GET',
      `/narratives/data?limit=2&cursor=${page.headers.get('x-next-cursor')}`,
    )
    expect(rest.body).toHaveLength(1)
    expect(rest.headers.get('x-next-cursor')).toBeNull()
  })

  it('searches own texts for a substring, literally and case-insensitively', async () => {
    const mark = newId()
    const texts = [`They HIDE 100% (${mark}).`, `Cafe\u0301 ${mark}.`, `${mark}.`, 'Nothing of it.']
    for (const text of texts) await post({ text })
    await post({ text: mark }, (await server.user('bob')).api)
    const found = async (q: string) => {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = `limit=1&q=${encodeURIComponent(q)}${cursor && `&cursor=${cursor}`}`
        const { body, headers } = await ana.api.send('GET', `/narratives/data?${query}`)
        seen.push(...body.map(({ text }: { text: string }) => text))
        expect(headers.get('x-total-count')).toBe(String(texts.filter(text => has(text, q)).length))
        cursor = headers.get('x-next-cursor')
      }
      return seen
    }
    const fold = (text: string) => text.normalize('NFC').toLowerCase()
    const has = (text: string, q: string) => fold(text).includes(fold(q))
    for (const q of [mark, mark.toUpperCase(), 'hide 100% (', 'CAFÉ', 'hide.100', 'g of it.', '.']) {
      const wanted = texts.filter(text => has(text, q)).reverse()
      expect(await found(q)).toEqual(wanted)
      const whole = await ana.api.call(narrativesApi.listNarratives, { query: { q } })
      expect(whole.map(({ text }) => text)).toEqual(wanted)
    }
  })

  it('treats any search text up to 200 characters literally', async () => {
    for (const q of ['.*', '(', '[a-', '\\', '$where', '^', ' ', '%', '\ud83d\ude00', 'x'.repeat(200)])
      expect((await ana.api.send('GET', `/narratives/data?limit=1&q=${encodeURIComponent(q)}`)).status).toBe(
        200,
      )
    for (const query of [`q=${'x'.repeat(201)}`, 'q=a%00b', 'q=a&q=b', 'q[$ne]=1']) {
      const { status, body } = await ana.api.send('GET', `/narratives/data?${query}`)
      expect([status, Object.keys(body)]).toEqual([422, ['detail']])
    }
  })

  it('hides narratives from other users', async () => {
    const bob = await server.user('bob')
    await post({ text: freshText() })
    expect(await list(bob.api)).toEqual([])
  })

  it('requires an AI key before it stores anything', async () => {
    server.keyless.add(ana.id)
    expect(await post({ text: freshText() })).toMatchObject({
      status: 400,
      body: { detail: DETAILS.missingAiKey },
    })
    expect(DETAILS.missingAiKey).toContain('OpenAI API key')
    expect(await server.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
  })

  it('responds 503 while the auth service is down', async () => {
    server.fixture.answer(authInternal.getSealedAiKey, () => {
      throw new HttpError(503, 'down')
    })
    const answer = await post({ text: freshText() })
    server.fixture.answer(authInternal.getSealedAiKey, ({ params }) => ({
      sealed: server.keyless.has(params.id) ? null : 'sealed',
    }))
    expect(answer.status).toBe(503)
  })

  it.each([
    ['no text', {}, 'text'],
    ['white space', { text: ' \n ' }, 'text'],
    ['a number', { text: 7 }, 'text'],
    ['50,001 characters', { text: 'x'.repeat(50_001) }, 'text'],
    ['NUL', { text: 'nul \0' }, 'text'],
    ['a lone surrogate', { text: 'lone \ud800' }, 'text'],
    ['a script as source', { text: 'fine', src: 'javascript:alert(1)' }, 'src'],
    ['an unexpected field', { text: 'fine', user_id: newId() }, 'user_id'],
  ])('rejects %s with 422 and names the field', async (_, body, field) => {
    const { status, body: answer } = await post(body)
    expect(status).toBe(422)
    expect([answer.detail].flat().join()).toContain(field)
  })

  it('rejects anonymous requests and collector tokens', async () => {
    expect(
      (await server.user().then(({ id }) => fetch(`${server.url}/api/v1/narratives/data?${id}`))).status,
    ).toBe(401)
    const token = await server.fixture.token({ id: ana.id, scope: 'collector' })
    const answer = await ana.api.send(
      'POST',
      '/narratives/',
      { text: 'x' },
      { authorization: `Bearer ${token}` },
    )
    expect(answer.status).toBe(403)
  })
})

describe('failures', () => {
  const answers = {
    missing_key: [400, DETAILS.missingAiKey],
    rejected_key: [400, DETAILS.rejectedAiKey],
    rate_limited: [429, DETAILS.providerRateLimit],
    no_credit: [429, DETAILS.noCredit],
    refused: [422, DETAILS.providerRefused],
    provider_failed: [502, DETAILS.providerFailed],
  } as const
  it.each(EXTRACTION_FAILURES)('maps %s to its status, and stores no text', async failure => {
    server.work(id => server.finish(id, { failure, retry_after: 7 }))
    const text = freshText()
    const answer = await post({ text })
    const [status, detail] = answers[failure]
    expect(answer).toMatchObject({ status, body: { detail } })
    expect(answer.headers.get('retry-after')).toBe(
      { rate_limited: '7', no_credit: '3600' }[failure as string] ?? null,
    )
    expect(await list()).toEqual([])
    expect(await server.store.narratives.countDocuments({ text })).toBe(0)
  })

  it('sends a default Retry-After without one of the provider', async () => {
    server.work(id => server.finish(id, { failure: 'rate_limited' }))
    expect(Number((await post({ text: freshText() })).headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('accepts the same text again after a failure', async () => {
    const body = { text: freshText() }
    server.work(id => server.finish(id, { failure: 'provider_failed' }))
    expect((await post(body)).status).toBe(502)
    server.work(id => server.finish(id, { triplets: [] }))
    expect(await post(body)).toMatchObject({ status: 201, body: { triplets_extracted: 0 } })
    expect(await list()).toHaveLength(1)
  })

  it('responds 504 after the wait; the extraction continues and the narrative appears', {
    tags: 'long',
  }, async () => {
    const hasty = await startTestServer({ EXTRACTION_WAIT_MS: '700' })
    const answer = deferred()
    hasty.work(async id => {
      await answer.promise
      return hasty.finish(id, { triplets: [triplet('Late')] })
    })
    const eve = await hasty.user('eve')
    const body = { text: freshText() }
    const late = { status: 504, body: { detail: DETAILS.stillWorking } }
    expect(await post(body, eve.api)).toMatchObject(late)
    expect(await post(body, eve.api)).toMatchObject(late)
    expect(await list(eve.api)).toEqual([])
    answer.resolve()
    await vi.waitFor(async () => expect(await list(eve.api)).toHaveLength(1), 30_000)
    await hasty.stop()
  })

  it('responds 503 and fails the narrative if its job ends without a result', async () => {
    server.work(async () => {
      throw Object.assign(new Error('gone'), { name: 'UnrecoverableError' })
    })
    expect((await post({ text: freshText() })).status).toBe(503)
    expect(await server.store.narratives.countDocuments({ user_id: ana.id, state: 'open' })).toBe(0)
  })
})

describe('open narratives', () => {
  it('are listed only for their owner, with their progress, until they end', async () => {
    const finished = deferred()
    server.work(async id => {
      await finished.promise
      return server.finish(id, { triplets: [] })
    })
    const text = `${freshText()} ${'🛰'.repeat(200)}`
    const answer = post({ text, src: 'a/path' })
    const id = await openOf(ana.id)
    const open = () => ana.api.call(narrativesApi.listOpenNarratives)
    const told = {
      id,
      text: text.slice(0, 200).toWellFormed(),
      text_length: text.length,
      src: 'a/path',
      created_at: expect.any(String),
    }
    expect(await open()).toEqual([{ ...told, progress: null }])
    const job = await vi.waitFor(async () => {
      const found = await server.service.queues.queue('extraction').getJob(`narrative-${id}`)
      expect(found).toBeTruthy()
      return found
    }, 30_000)
    await job?.updateProgress({ done: 1, parts: 3 })
    expect(await open()).toEqual([{ ...told, progress: { done: 1, parts: 3 } }])
    expect(await (await server.user('bob')).api.call(narrativesApi.listOpenNarratives)).toEqual([])
    finished.resolve()
    await answer
    expect(await open()).toEqual([])
  })
})

describe('a double submit', () => {
  it('joins the open narrative: 20 concurrent requests create one', async () => {
    let runs = 0
    const joined = server.joins()
    server.work(async id => {
      runs++
      await joined(20)
      return server.finish(id, { triplets: [triplet('Once')] })
    })
    const body = { text: freshText(), src: 'a/path' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1)
    expect(runs).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  it('creates another narrative with another source, by another user, or once the first is done', async () => {
    const joined = server.joins()
    server.work(async id => {
      await joined(3)
      return server.finish(id, { triplets: [] })
    })
    const bob = await server.user('bob')
    const text = freshText()
    const answers = await Promise.all([
      post({ text }),
      post({ text, src: 'https://example.org' }),
      post({ text }, bob.api),
    ])
    answers.push(await post({ text }))
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(4)
  })
})

describe('deleting', () => {
  it('removes the own narrative, and rejects a late result', async () => {
    const { body } = await post({ text: freshText() })
    expect(await ana.api.send('DELETE', `/narratives/data/${body.id}`)).toMatchObject({
      status: 200,
      body: { id: body.id },
    })
    expect(await list()).toEqual([])
    expect((await ana.api.send('DELETE', `/narratives/data/${body.id}`)).status).toBe(404)
    await expect(server.finish(body.id, { triplets: [triplet('Back')] })).rejects.toMatchObject({
      status: 404,
    })
    expect(await list()).toEqual([])
  })

  it('responds 404 for another user’s, an unknown and a malformed id', async () => {
    const bob = await server.user('bob')
    const { body } = await post({ text: freshText() })
    for (const id of [body.id, newId(), 'nonsense'])
      expect(await bob.api.send('DELETE', `/narratives/data/${id}`)).toMatchObject({
        status: 404,
        body: { detail: DETAILS.notFound },
      })
    expect(await list()).toHaveLength(1)
  })

  it('during the job: the result is rejected, and nothing is stored', async () => {
    let outcome: unknown
    const deleted = deferred()
    server.work(async id => {
      await deleted.promise
      outcome = await server.finish(id, { triplets: [triplet('Ghost')] }).catch(error => error.status)
    })
    const answer = post({ text: freshText() })
    const id = await openOf(ana.id)
    expect((await ana.api.send('DELETE', `/narratives/data/${id}`)).status).toBe(200)
    await expect(
      server.internal(narrativesInternal.getExtractionWork, { params: { id } }),
    ).rejects.toMatchObject({
      status: 404,
    })
    deleted.resolve()
    expect((await answer).status).toBe(404)
    expect(outcome).toBe(404)
    expect(await list()).toEqual([])
    await server.published(id)
    expect(await server.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
    expect(await server.store.edges.countDocuments({ user_id: ana.id })).toBe(0)
  })
})

describe('restoring', () => {
  const remove = (id: string) => ana.api.send('DELETE', `/narratives/data/${id}`)
  const restore = (id: string, api = ana.api) => api.send('POST', `/narratives/data/${id}/restore`)
  const graph = async () => (await ana.api.send('GET', '/graph/triplets?limit=100')).body
  const stored = (id: string) => server.store.narratives.findById(id).lean()
  /** Ends the period in which a narrative can be restored. */
  const expire = (id: string) =>
    server.store.narratives.updateOne({ _id: id }, { $set: { restore_until: new Date() } })

  it('restores id, text, triplets, position in the list, and texts and counts of the graph', async () => {
    await server.clear()
    const { body } = await post({ text: freshText(), src: 'a/path' })
    await post({ text: freshText() })
    const link = '/graph/texts?from=entity:they&to=verb:says&source=a/path'
    const texts = async () => (await ana.api.send('GET', link)).body
    const before = [await list(), await graph(), await texts()]
    expect(before[2]).toHaveLength(1)
    await remove(body.id)
    expect(await list()).toHaveLength(1)
    expect(await texts()).toEqual([])
    expect(await restore(body.id)).toMatchObject({ status: 200, body: { id: body.id } })
    expect([await list(), await graph(), await texts()]).toEqual(before)
    // Again, with each change published to the community service.
    await remove(body.id)
    await server.published(body.id)
    expect((await restore(body.id)).status).toBe(200)
    await server.published(body.id)
    expect([await list(), await graph(), await texts()]).toEqual(before)
  })

  it('succeeds once on ten concurrent requests; others get 409, as for an undeleted narrative', async () => {
    const { body } = await post({ text: freshText() })
    expect(await restore(body.id)).toMatchObject({ status: 409, body: { detail: DETAILS.notDeleted } })
    const before = await graph()
    await remove(body.id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => restore(body.id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await graph()).toEqual(before)
  })

  it('is limited to the owner, and to narratives that were done', async () => {
    const bob = await server.user('bob')
    const { body } = await post({ text: freshText() })
    expect((await restore(body.id, bob.api)).status).toBe(404)
    await remove(body.id)
    for (const id of [body.id, newId(), 'nonsense'])
      expect(await restore(id, bob.api)).toMatchObject({ status: 404, body: { detail: DETAILS.notFound } })
    const removed = deferred()
    server.work(() => removed.promise)
    const open = post({ text: freshText() })
    const id = await openOf(ana.id)
    await remove(id)
    expect((await restore(id)).status).toBe(404)
    removed.resolve()
    expect((await open).status).toBe(404)
    expect((await restore(body.id)).status).toBe(200)
  })

  it('ends after a minute: the text is erased even while the community service is down', {
    tags: 'long',
  }, async () => {
    const { body } = await post({ text: freshText() })
    const begun = Date.now()
    await remove(body.id)
    const until = (await stored(body.id))?.restore_until?.getTime() ?? 0
    expect(until - begun).toBeGreaterThanOrEqual(LIMITS.restoreMs)
    expect(until - Date.now()).toBeLessThanOrEqual(LIMITS.restoreMs)
    await server.published(body.id)
    await expire(body.id)
    expect((await restore(body.id)).status).toBe(404)
    server.fixture.answer(communityInternal.applyEvents, () => {
      throw new HttpError(503, 'down')
    })
    try {
      await server.service.mongo.collection('outbox').updateMany({}, { $set: { due_at: new Date(0) } })
      server.service.outbox.wake()
      await vi.waitFor(async () => expect((await stored(body.id))?.text).toBe(''), 30_000)
      expect(await stored(body.id)).toMatchObject({ state: 'deleted', text: '', triplets: [], link_keys: [] })
      expect(await stored(body.id)).not.toHaveProperty('restore_until')
    } finally {
      server.fixture.answer(communityInternal.applyEvents, ({ body }) => {
        server.events.push(...body.events)
        return DONE
      })
    }
    expect((await restore(body.id)).status).toBe(404)
    await server.drain()
    expect(await stored(body.id)).toBeNull()
  })

  it('does not delay an account’s deletion; exports and history omit deleted narratives', async () => {
    const text = freshText()
    const { body } = await post({ text })
    await remove(body.id)
    const params = { id: ana.id }
    expect(await server.internal(personalDataInternal.exportUser, { params })).toEqual([])
    const { events } = await server.internal(historyInternal.listHistory, { body: { after: null } })
    expect(JSON.stringify(events)).not.toContain(body.id)
    await server.internal(personalDataInternal.eraseUser, { params })
    expect(await server.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
    expect((await restore(body.id)).status).toBe(404)
  })

  it('is possible for at most 100 narratives of a user: the oldest are erased first', async () => {
    const [first, second] = [await post({ text: freshText() }), await post({ text: freshText() })]
    await remove(first.body.id)
    await remove(second.body.id)
    const model = await stored(second.body.id)
    // Earlier than the third one's, whose period begins later.
    const soon = Date.now() + LIMITS.restoreMs - 1_000
    const later = (n: number) => new Date(soon + n)
    await server.store.narratives.updateOne({ _id: second.body.id }, { $set: { restore_until: later(0) } })
    await server.store.narratives.updateOne({ _id: first.body.id }, { $set: { restore_until: later(-1) } })
    await server.store.narratives.insertMany(
      Array.from({ length: 98 }, (_, n) => ({
        ...model,
        _id: new Types.ObjectId(),
        restore_until: later(n + 1),
      })),
    )
    const third = await post({ text: freshText() })
    await remove(third.body.id)
    expect((await restore(first.body.id)).status).toBe(404)
    expect((await stored(first.body.id))?.text).toBe('')
    expect((await restore(second.body.id)).status).toBe(200)
    expect((await restore(third.body.id)).status).toBe(200)
    await server.store.narratives.deleteMany({ user_id: ana.id })
  })
})

describe('the worker’s calls', () => {
  it('return text and user of open narratives only, to callers with the service key', async () => {
    // Stops the clock: a key that was read more than five seconds ago is not returned.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const text = freshText()
    const get = (id: string) => server.internal(narrativesInternal.getExtractionWork, { params: { id } })
    const answers: unknown[] = []
    server.work(async id => {
      answers.push(await get(id), await get(id))
      answers.push((await fetch(`${server.url}/internal/narratives/${id}/work`)).status)
      await server.finish(id, { triplets: [] })
    })
    const { body } = await post({ text })
    // The request's key is returned once: a retry reads it again.
    expect(answers).toEqual([{ user_id: ana.id, text, sealed_key: 'sealed' }, { user_id: ana.id, text }, 404])
    await expect(get(body.id)).rejects.toMatchObject({ status: 404 })
  })

  it('return no key that is older than five seconds or of an ended request', async () => {
    const id = new Types.ObjectId()
    const waits = createWaits()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const first = waits.enter(id, 'sealed')
      vi.advanceTimersByTime(5_001)
      expect(waits.takeKey(id.toHexString())).toBeUndefined()
      first.leave()
      const second = waits.enter(id, 'resealed')
      second.leave()
      expect(waits.takeKey(id.toHexString())).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('store the first result: repeated and contradicting ones change nothing', async () => {
    const { body } = await post({ text: freshText() })
    const before = [await list(), await server.store.edges.find({ user_id: ana.id }).sort('_id').lean()]
    expect(await server.finish(body.id, { triplets: [triplet('Other')] })).toBe(2)
    expect(await server.finish(body.id, { failure: 'refused' })).toBe(2)
    const pending = { kind: 'extraction', key: body.id }
    expect(await server.service.mongo.collection('outbox').countDocuments(pending)).toBe(0)
    expect([await list(), await server.store.edges.find({ user_id: ana.id }).sort('_id').lean()]).toEqual(
      before,
    )
  })

  it('store one of several concurrent results', async () => {
    server.work(id =>
      Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          server.finish(id, { triplets: [triplet(`Result ${n}`), triplet('x')] }),
        ),
      ),
    )
    expect((await post({ text: freshText() })).status).toBe(201)
    expect((await list())[0]?.triplets).toHaveLength(2)
    const counted = await server.store.edges.find({ user_id: ana.id }).lean()
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  })

  it('leave a failed narrative failed', async () => {
    let id = ''
    server.work(narrative => {
      id = narrative
      return server.finish(narrative, { failure: 'refused' })
    })
    await post({ text: freshText() })
    expect(await server.finish(id, { triplets: [triplet('Late')] })).toBe(0)
    expect(await list()).toEqual([])
  })
})

describe('events', () => {
  const events = () => server.events.filter(({ data }) => 'user_id' in data && data.user_id === ana.id)

  it('contain a long text up to its 280th non-white-space character', async () => {
    const text = `\n${'They  say\n 🌍 '.repeat(500)}`
    const { body } = await post({ text })
    await server.published(body.id)
    const [event] = events()
    const told = event?.type === 'narrative.created' ? event.data.text : ''
    expect(text.trim().startsWith(told)).toBe(true)
    expect(Array.from(told.replace(/\s/g, ''))).toHaveLength(280)
  })

  it('are published when a narrative is done, deleted and restored', async () => {
    await server.clear()
    const text = freshText()
    const { body } = await post({ text })
    const stored = async () => (await server.store.narratives.find({ user_id: ana.id }).lean())[0]
    const { created_at } = (await stored()) ?? {}
    await server.published(body.id)
    expect(events()).toEqual([
      {
        type: 'narrative.created',
        data: { id: body.id, user_id: ana.id, text, triplets: 2, created_at: created_at?.toISOString() },
      },
    ])
    await ana.api.send('DELETE', `/narratives/data/${body.id}`)
    await server.published(body.id)
    expect(events().at(-1)).toEqual({ type: 'narrative.deleted', data: { id: body.id, user_id: ana.id } })
    await ana.api.send('POST', `/narratives/data/${body.id}/restore`)
    await server.published(body.id)
    expect(events().at(-1)).toMatchObject({ type: 'narrative.created', data: { id: body.id, restored: 1 } })
    await ana.api.send('DELETE', `/narratives/data/${body.id}`)
    await server.store.narratives.updateMany({ user_id: ana.id }, { $set: { restore_until: new Date() } })
    await server.drain()
    expect(events().at(-1)).toEqual({
      type: 'narrative.deleted',
      data: { id: body.id, user_id: ana.id, restored: 1 },
    })
    expect(await stored()).toBeUndefined()
  })
})
