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
import { type Bench, CROWD_MS, startBench, triplet } from './bench.js'

let bench: Bench
let ana: Awaited<ReturnType<Bench['user']>>
let made = 0
const freshText = () => `They say number ${++made}. Nobody asks.`

beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench?.stop())
beforeEach(async () => {
  ana = await bench.user('ana')
  bench.work(id => bench.finish(id, { triplets: [triplet('They'), triplet('Nobody', 'asks')] }))
})

const post = (body: unknown, api = ana.api) => api.send('POST', '/narratives/', body)
const list = (api = ana.api) => api.call(narrativesApi.listNarratives)
const openOf = async (userId: string) => {
  const open = await vi.waitFor(async () => {
    const found = await bench.store.narratives.findOne({ user_id: userId, state: 'open' }).lean()
    expect(found).toBeTruthy()
    return found
  }, 30_000)
  return String(open?._id)
}

describe('creating', () => {
  it('answers 201 with id and number of triplets, and lists the narrative newest first', async () => {
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

  it('gives every triplet its own id, also to fifty narratives at once', {
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

  it('lists those whose text contains another, literally and in any case, and nobody else’s', async () => {
    const mark = newId()
    const texts = [`They HIDE 100% (${mark}).`, `Cafe\u0301 ${mark}.`, `${mark}.`, 'Nothing of it.']
    for (const text of texts) await post({ text })
    await post({ text: mark }, (await bench.user('bob')).api)
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

  it('takes any text up to 200 characters for a search as itself', async () => {
    for (const q of ['.*', '(', '[a-', '\\', '$where', '^', ' ', '%', '\ud83d\ude00', 'x'.repeat(200)])
      expect((await ana.api.send('GET', `/narratives/data?limit=1&q=${encodeURIComponent(q)}`)).status).toBe(
        200,
      )
    for (const query of [`q=${'x'.repeat(201)}`, 'q=a%00b', 'q=a&q=b', 'q[$ne]=1']) {
      const { status, body } = await ana.api.send('GET', `/narratives/data?${query}`)
      expect([status, Object.keys(body)]).toEqual([422, ['detail']])
    }
  })

  it('keeps one user’s narratives from another', async () => {
    const bob = await bench.user('bob')
    await post({ text: freshText() })
    expect(await list(bob.api)).toEqual([])
  })

  it('asks for an AI key before anything else happens', async () => {
    bench.keyless.add(ana.id)
    expect(await post({ text: freshText() })).toMatchObject({
      status: 400,
      body: { detail: DETAILS.missingAiKey },
    })
    expect(DETAILS.missingAiKey).toContain('OpenAI API key')
    expect(await bench.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
  })

  it('answers 503 while the auth service is down', async () => {
    bench.bed.answer(authInternal.getSealedAiKey, () => {
      throw new HttpError(503, 'down')
    })
    const answer = await post({ text: freshText() })
    bench.bed.answer(authInternal.getSealedAiKey, ({ params }) => ({
      sealed: bench.keyless.has(params.id) ? null : 'sealed',
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
    ['a key of ours', { text: 'fine', user_id: newId() }, 'user_id'],
  ])('refuses %s with 422 and names the field', async (_, body, field) => {
    const { status, body: answer } = await post(body)
    expect(status).toBe(422)
    expect([answer.detail].flat().join()).toContain(field)
  })

  it('refuses strangers and the collector', async () => {
    expect(
      (await bench.user().then(({ id }) => fetch(`${bench.url}/api/v1/narratives/data?${id}`))).status,
    ).toBe(401)
    const token = await bench.bed.token({ id: ana.id, scope: 'collector' })
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
  it.each(EXTRACTION_FAILURES)('answers %s by the contract and shows nothing of it', async failure => {
    bench.work(id => bench.finish(id, { failure, retry_after: 7 }))
    const text = freshText()
    const answer = await post({ text })
    const [status, detail] = answers[failure]
    expect(answer).toMatchObject({ status, body: { detail } })
    expect(answer.headers.get('retry-after')).toBe(
      { rate_limited: '7', no_credit: '3600' }[failure as string] ?? null,
    )
    expect(await list()).toEqual([])
    expect(await bench.store.narratives.countDocuments({ text })).toBe(0)
  })

  it('says when to come back where the provider does not', async () => {
    bench.work(id => bench.finish(id, { failure: 'rate_limited' }))
    expect(Number((await post({ text: freshText() })).headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('tries the same text anew after a failure', async () => {
    const body = { text: freshText() }
    bench.work(id => bench.finish(id, { failure: 'provider_failed' }))
    expect((await post(body)).status).toBe(502)
    bench.work(id => bench.finish(id, { triplets: [] }))
    expect(await post(body)).toMatchObject({ status: 201, body: { triplets_extracted: 0 } })
    expect(await list()).toHaveLength(1)
  })

  it('answers 504 past the wait, goes on, and the narrative appears', { tags: 'long' }, async () => {
    const hasty = await startBench({ EXTRACTION_WAIT_MS: '700' })
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

  it('answers 503 and closes the narrative when its job ends without a result', async () => {
    bench.work(async () => {
      throw Object.assign(new Error('gone'), { name: 'UnrecoverableError' })
    })
    expect((await post({ text: freshText() })).status).toBe(503)
    expect(await bench.store.narratives.countDocuments({ user_id: ana.id, state: 'open' })).toBe(0)
  })
})

describe('texts under way', () => {
  it('are told to their owner alone, with how far they are, until they end', async () => {
    const finished = deferred()
    bench.work(async id => {
      await finished.promise
      return bench.finish(id, { triplets: [] })
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
      const found = await bench.service.queues.queue('extraction').getJob(`narrative-${id}`)
      expect(found).toBeTruthy()
      return found
    }, 30_000)
    await job?.updateProgress({ done: 1, parts: 3 })
    expect(await open()).toEqual([{ ...told, progress: { done: 1, parts: 3 } }])
    expect(await (await bench.user('bob')).api.call(narrativesApi.listOpenNarratives)).toEqual([])
    finished.resolve()
    await answer
    expect(await open()).toEqual([])
  })
})

describe('a double submit', () => {
  it('joins the one under way: twenty at once make one narrative', async () => {
    let runs = 0
    const joined = bench.joins()
    bench.work(async id => {
      runs++
      await joined(20)
      return bench.finish(id, { triplets: [triplet('Once')] })
    })
    const body = { text: freshText(), src: 'a/path' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1)
    expect(runs).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  it('is another narrative with another source, by another user, or once the first is done', async () => {
    const joined = bench.joins()
    bench.work(async id => {
      await joined(3)
      return bench.finish(id, { triplets: [] })
    })
    const bob = await bench.user('bob')
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
  it('removes the own narrative, whatever the worker brings later', async () => {
    const { body } = await post({ text: freshText() })
    expect(await ana.api.send('DELETE', `/narratives/data/${body.id}`)).toMatchObject({
      status: 200,
      body: { id: body.id },
    })
    expect(await list()).toEqual([])
    expect((await ana.api.send('DELETE', `/narratives/data/${body.id}`)).status).toBe(404)
    await expect(bench.finish(body.id, { triplets: [triplet('Back')] })).rejects.toMatchObject({
      status: 404,
    })
    expect(await list()).toEqual([])
  })

  it('answers 404 for another’s, an unknown and a malformed id', async () => {
    const bob = await bench.user('bob')
    const { body } = await post({ text: freshText() })
    for (const id of [body.id, newId(), 'nonsense'])
      expect(await bob.api.send('DELETE', `/narratives/data/${id}`)).toMatchObject({
        status: 404,
        body: { detail: DETAILS.notFound },
      })
    expect(await list()).toHaveLength(1)
  })

  it('while the job runs: the job finds nothing to finish, and nothing comes back', async () => {
    let outcome: unknown
    const deleted = deferred()
    bench.work(async id => {
      await deleted.promise
      outcome = await bench.finish(id, { triplets: [triplet('Ghost')] }).catch(error => error.status)
    })
    const answer = post({ text: freshText() })
    const id = await openOf(ana.id)
    expect((await ana.api.send('DELETE', `/narratives/data/${id}`)).status).toBe(200)
    await expect(
      bench.internal(narrativesInternal.getExtractionWork, { params: { id } }),
    ).rejects.toMatchObject({
      status: 404,
    })
    deleted.resolve()
    expect((await answer).status).toBe(404)
    expect(outcome).toBe(404)
    expect(await list()).toEqual([])
    await bench.published(id)
    expect(await bench.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
    expect(await bench.store.edges.countDocuments({ user_id: ana.id })).toBe(0)
  })
})

describe('restoring', () => {
  const remove = (id: string) => ana.api.send('DELETE', `/narratives/data/${id}`)
  const restore = (id: string, api = ana.api) => api.send('POST', `/narratives/data/${id}/restore`)
  const graph = async () => (await ana.api.send('GET', '/graph/triplets?limit=100')).body
  const stored = (id: string) => bench.store.narratives.findById(id).lean()
  /** As if its minute had passed. */
  const expire = (id: string) =>
    bench.store.narratives.updateOne({ _id: id }, { $set: { restore_until: new Date() } })

  it('brings back what was deleted: id, text, triplets, place in the list, texts and counts of the graph', async () => {
    await bench.clear()
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
    // And again, after the community has heard of each change.
    await remove(body.id)
    await bench.published(body.id)
    expect((await restore(body.id)).status).toBe(200)
    await bench.published(body.id)
    expect([await list(), await graph(), await texts()]).toEqual(before)
  })

  it('ten at once restore one, and what is there is told so', async () => {
    const { body } = await post({ text: freshText() })
    expect(await restore(body.id)).toMatchObject({ status: 409, body: { detail: DETAILS.notDeleted } })
    const before = await graph()
    await remove(body.id)
    const answers = await Promise.all(Array.from({ length: 10 }, () => restore(body.id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await graph()).toEqual(before)
  })

  it('is the owner’s alone, and not for what was never there or never done', async () => {
    const bob = await bench.user('bob')
    const { body } = await post({ text: freshText() })
    expect((await restore(body.id, bob.api)).status).toBe(404)
    await remove(body.id)
    for (const id of [body.id, newId(), 'nonsense'])
      expect(await restore(id, bob.api)).toMatchObject({ status: 404, body: { detail: DETAILS.notFound } })
    const removed = deferred()
    bench.work(() => removed.promise)
    const open = post({ text: freshText() })
    const id = await openOf(ana.id)
    await remove(id)
    expect((await restore(id)).status).toBe(404)
    removed.resolve()
    expect((await open).status).toBe(404)
    expect((await restore(body.id)).status).toBe(200)
  })

  it('ends after a minute: the text is erased also while the community service is down', {
    tags: 'long',
  }, async () => {
    const { body } = await post({ text: freshText() })
    const begun = Date.now()
    await remove(body.id)
    const until = (await stored(body.id))?.restore_until?.getTime() ?? 0
    expect(until - begun).toBeGreaterThanOrEqual(LIMITS.restoreMs)
    expect(until - Date.now()).toBeLessThanOrEqual(LIMITS.restoreMs)
    await bench.published(body.id)
    await expire(body.id)
    expect((await restore(body.id)).status).toBe(404)
    bench.bed.answer(communityInternal.applyEvents, () => {
      throw new HttpError(503, 'down')
    })
    try {
      await bench.service.mongo.collection('outbox').updateMany({}, { $set: { due_at: new Date(0) } })
      bench.service.outbox.wake()
      await vi.waitFor(async () => expect((await stored(body.id))?.text).toBe(''), 30_000)
      expect(await stored(body.id)).toMatchObject({ state: 'deleted', text: '', triplets: [], link_keys: [] })
      expect(await stored(body.id)).not.toHaveProperty('restore_until')
    } finally {
      bench.bed.answer(communityInternal.applyEvents, ({ body }) => {
        bench.heard.push(...body.events)
        return DONE
      })
    }
    expect((await restore(body.id)).status).toBe(404)
    await bench.workOff()
    expect(await stored(body.id)).toBeNull()
  })

  it('an account’s deletion does not wait for it, and nobody is told of what is deleted', async () => {
    const text = freshText()
    const { body } = await post({ text })
    await remove(body.id)
    const params = { id: ana.id }
    expect(await bench.internal(personalDataInternal.exportUser, { params })).toEqual([])
    const { events } = await bench.internal(historyInternal.listHistory, { body: { after: null } })
    expect(JSON.stringify(events)).not.toContain(body.id)
    await bench.internal(personalDataInternal.forgetUser, { params })
    expect(await bench.store.narratives.countDocuments({ user_id: ana.id })).toBe(0)
    expect((await restore(body.id)).status).toBe(404)
  })

  it('is offered for a hundred of a user at most: the oldest are erased first', async () => {
    const [first, second] = [await post({ text: freshText() }), await post({ text: freshText() })]
    await remove(first.body.id)
    await remove(second.body.id)
    const model = await stored(second.body.id)
    // Before the third one's, whose minute begins later.
    const soon = Date.now() + LIMITS.restoreMs - 1_000
    const later = (n: number) => new Date(soon + n)
    await bench.store.narratives.updateOne({ _id: second.body.id }, { $set: { restore_until: later(0) } })
    await bench.store.narratives.updateOne({ _id: first.body.id }, { $set: { restore_until: later(-1) } })
    await bench.store.narratives.insertMany(
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
    await bench.store.narratives.deleteMany({ user_id: ana.id })
  })
})

describe('the worker’s calls', () => {
  it('tell text and user of an open narrative alone, to whoever has the service key', async () => {
    // The clock stands: a key that was read more than five seconds ago is not handed on.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const text = freshText()
    const get = (id: string) => bench.internal(narrativesInternal.getExtractionWork, { params: { id } })
    const answers: unknown[] = []
    bench.work(async id => {
      answers.push(await get(id), await get(id))
      answers.push((await fetch(`${bench.url}/internal/narratives/${id}/work`)).status)
      await bench.finish(id, { triplets: [] })
    })
    const { body } = await post({ text })
    // The key that the request has read is given once: a retry reads it again.
    expect(answers).toEqual([{ user_id: ana.id, text, sealed_key: 'sealed' }, { user_id: ana.id, text }, 404])
    await expect(get(body.id)).rejects.toMatchObject({ status: 404 })
  })

  it('have no key that was read seconds ago, nor one of a request that has ended', async () => {
    const id = new Types.ObjectId()
    const waits = createWaits()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const first = waits.enter(id, 'sealed')
      vi.advanceTimersByTime(5_001)
      expect(waits.takeKey(id.toHexString())).toBeUndefined()
      first.leave()
      const second = waits.enter(id, 'sealed anew')
      second.leave()
      expect(waits.takeKey(id.toHexString())).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('take a result once: repeats and contradictions change nothing', async () => {
    const { body } = await post({ text: freshText() })
    const before = [await list(), await bench.store.edges.find({ user_id: ana.id }).sort('_id').lean()]
    expect(await bench.finish(body.id, { triplets: [triplet('Other')] })).toBe(2)
    expect(await bench.finish(body.id, { failure: 'refused' })).toBe(2)
    expect([await list(), await bench.store.edges.find({ user_id: ana.id }).sort('_id').lean()]).toEqual(
      before,
    )
  })

  it('take one of many results that come at once', async () => {
    bench.work(id =>
      Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          bench.finish(id, { triplets: [triplet(`Result ${n}`), triplet('x')] }),
        ),
      ),
    )
    expect((await post({ text: freshText() })).status).toBe(201)
    expect((await list())[0]?.triplets).toHaveLength(2)
    const counted = await bench.store.edges.find({ user_id: ana.id }).lean()
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  })

  it('leave a failed narrative failed', async () => {
    let id = ''
    bench.work(narrative => {
      id = narrative
      return bench.finish(narrative, { failure: 'refused' })
    })
    await post({ text: freshText() })
    expect(await bench.finish(id, { triplets: [triplet('Late')] })).toBe(0)
    expect(await list()).toEqual([])
  })
})

describe('events', () => {
  const heard = () => bench.heard.filter(({ data }) => 'user_id' in data && data.user_id === ana.id)

  it('tell the beginning of a long text, up to its 280th character that is no white space', async () => {
    const text = `\n${'They  say\n 🌍 '.repeat(500)}`
    const { body } = await post({ text })
    await bench.published(body.id)
    const [event] = heard()
    const told = event?.type === 'narrative.created' ? event.data.text : ''
    expect(text.trim().startsWith(told)).toBe(true)
    expect(Array.from(told.replace(/\s/g, ''))).toHaveLength(280)
  })

  it('tell of a narrative once it is done, and once it is gone', async () => {
    await bench.clear()
    const text = freshText()
    const { body } = await post({ text })
    const stored = async () => (await bench.store.narratives.find({ user_id: ana.id }).lean())[0]
    const { created_at } = (await stored()) ?? {}
    await bench.published(body.id)
    expect(heard()).toEqual([
      {
        type: 'narrative.created',
        data: { id: body.id, user_id: ana.id, text, triplets: 2, created_at: created_at?.toISOString() },
      },
    ])
    await ana.api.send('DELETE', `/narratives/data/${body.id}`)
    await bench.published(body.id)
    expect(heard().at(-1)).toEqual({ type: 'narrative.deleted', data: { id: body.id, user_id: ana.id } })
    await ana.api.send('POST', `/narratives/data/${body.id}/restore`)
    await bench.published(body.id)
    expect(heard().at(-1)).toMatchObject({ type: 'narrative.created', data: { id: body.id, restored: 1 } })
    await ana.api.send('DELETE', `/narratives/data/${body.id}`)
    await bench.store.narratives.updateMany({ user_id: ana.id }, { $set: { restore_until: new Date() } })
    await bench.workOff()
    expect(heard().at(-1)).toEqual({
      type: 'narrative.deleted',
      data: { id: body.id, user_id: ana.id, restored: 1 },
    })
    expect(await stored()).toBeUndefined()
  })
})
