import { setTimeout as sleep } from 'node:timers/promises'
import { communityInternal, DETAILS, DONE, narrativesApi } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { finishExtraction } from '../src/narratives/commands/complete-extraction.js'
import { startTestServer, type TestServer, triplet } from './test-server.js'

let server: TestServer
let ana: Awaited<ReturnType<TestServer['user']>>
let made = 0

beforeAll(async () => {
  server = await startTestServer({ EXTRACTION_WAIT_MS: '30000' })
})
afterAll(() => server?.stop())
afterEach(async () => {
  await server.redis.restore()
  await redisBack()
})
beforeEach(async () => {
  await server.clear()
  ana = await server.user('ana')
  server.work(id => server.finish(id, { triplets: [triplet('They')] }))
})

/** Returns a gate: `passed` resolves once it is opened. */
const gate = () => {
  let open = () => {}
  const passed = new Promise<void>(resolve => {
    open = resolve
  })
  return { passed, open }
}
const freshText = () => `Text ${++made}.`
const post = (text: string) => ana.api.send('POST', '/narratives/', { text })
const list = () => ana.api.call(narrativesApi.listNarratives)
const stored = () => server.store.narratives.find({ user_id: ana.id }).lean()
/** Waits for the separate Redis connections of the service and its queues. */
const redisBack = () =>
  vi.waitFor(async () => {
    await server.service.redis.ping()
    await server.service.queues.queue('extraction').getJobCounts()
  }, 30_000)
const jobOf = (id: string) => server.service.queues.queue('extraction').getJob(`narrative-${id}`)
const opened = async (text: string) => {
  const answer = post(text)
  const id = await vi.waitFor(async () => {
    const [open] = await stored()
    expect(open?.state).toBe('open')
    expect(await (await jobOf(String(open?._id)))?.getState()).toBe('active')
    return String(open?._id)
  }, 30_000)
  return { id, answer }
}

describe('with Redis down', () => {
  it('responds 503 early; once Redis is up, the same text creates one narrative', async () => {
    await server.redis.cut()
    const text = freshText()
    const begun = Date.now()
    const answers = await Promise.all([post(text), post(text), post(text)])
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      Array(3).fill([503, DETAILS.unavailable]),
    )
    // Less than EXTRACTION_WAIT_MS.
    expect(Date.now() - begun).toBeLessThan(25_000)
    expect(await list()).toEqual([])
    await server.redis.restore()
    await redisBack()
    await server.drain()
    expect(await list()).toEqual([])
    expect((await post(text)).status).toBe(201)
    await server.drain()
    expect(await list()).toHaveLength(1)
  })

  it('deletes a narrative and publishes the deletion', async () => {
    const { status, body } = await post(freshText())
    expect(status).toBe(201)
    await server.redis.cut()
    expect((await ana.api.send('DELETE', `/narratives/data/${body.id}`)).status).toBe(200)
    expect(await list()).toEqual([])
    expect((await ana.api.send('GET', '/graph/triplets')).body.nodes).toEqual([])
    await server.published(body.id)
    expect(server.events).toContainEqual({
      type: 'narrative.deleted',
      data: { id: body.id, user_id: ana.id },
    })
    await server.store.narratives.updateMany({ user_id: ana.id }, { $set: { restore_until: new Date() } })
    await server.redis.restore()
    await redisBack()
    await server.drain()
    expect(await stored()).toEqual([])
  })
})

describe('a permanent error of the community service', () => {
  it('is retried a day later', async () => {
    server.fixture.answer(communityInternal.applyEvents, () => {
      throw new HttpError(422, 'not like this')
    })
    const { body } = await post(freshText())
    const entry = () =>
      server.service.mongo.collection('outbox').findOne({ kind: 'narrative.changed', key: body.id })
    await vi.waitFor(async () => expect(await entry()).toMatchObject({ error: 'not like this' }), 30_000)
    expect(((await entry())?.due_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    server.fixture.answer(communityInternal.applyEvents, ({ body }) => {
      server.events.push(...body.events)
      return DONE
    })
    await server.drain()
    expect(server.events).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ id: body.id }) }),
    )
  })
})

describe('with Redis lost while waiting', () => {
  it('responds 503, and rejects a late result', { tags: 'long' }, async () => {
    let late: unknown
    const answered = gate()
    server.work(async id => {
      await answered.passed
      late = await server.finish(id, { triplets: [triplet('Late')] })
    })
    const text = freshText()
    const { answer } = await opened(text)
    await server.redis.cut()
    expect(await answer).toMatchObject({ status: 503, body: { detail: DETAILS.unavailable } })
    expect(late).toBeUndefined()
    await server.redis.restore()
    await redisBack()
    server.work(id => server.finish(id, { triplets: [triplet('Again')] }))
    expect((await post(text)).status).toBe(201)
    answered.open()
    await vi.waitFor(() => expect(late).toBe(0), 30_000)
    await server.drain()
    expect(await list()).toHaveLength(1)
  })

  it('responds 201 if the result is stored', async () => {
    const cut = gate()
    server.work(async id => {
      await cut.passed
      return server.finish(id, { triplets: [triplet('Done')] })
    })
    const { answer } = await opened(freshText())
    await server.redis.cut()
    cut.open()
    expect(await answer).toMatchObject({ status: 201, body: { triplets_extracted: 1 } })
    await server.redis.restore()
    await redisBack()
    await server.drain()
    expect(await list()).toHaveLength(1)
  })

  it('tolerates a short interruption', { tags: 'long' }, async () => {
    const cut = gate()
    server.work(async id => {
      await cut.passed
      await sleep(1_500)
      return server.finish(id, { triplets: [triplet('Slow')] })
    })
    const { answer } = await opened(freshText())
    await server.redis.cut()
    await server.redis.restore()
    cut.open()
    expect((await answer).status).toBe(201)
  })
})

describe('with Redis flushed while waiting', () => {
  it('extracts open narratives again, and returns done ones', { tags: 'long' }, async () => {
    let begun = 0
    server.work(async id => {
      // The first job is lost with Redis' data, and its worker never reports.
      if (++begun === 1) return new Promise(() => {})
      return server.finish(id, { triplets: [triplet('Again')] })
    })
    const { answer } = await opened(freshText())
    await server.service.redis.flushall()
    expect((await answer).status).toBe(201)
    expect(begun).toBe(2)

    server.work(async id => {
      await server.service.redis.flushall()
      // Another process receives the result, and the event of the job's end is lost.
      return finishElsewhere(id, 'Done')
    })
    expect((await post(freshText())).status).toBe(201)
    expect(await list()).toHaveLength(2)
  })

  it('returns the result that another process stored', async () => {
    server.work(id => finishElsewhere(id, 'Elsewhere'))
    expect(await post(freshText())).toMatchObject({ status: 201, body: { triplets_extracted: 1 } })
    server.work(id => finishExtraction(server.store, id, { failure: 'refused' }))
    expect(await post(freshText())).toMatchObject({ status: 422 })
  })
})

/** Stores a result as a process without waiting requests does. */
const finishElsewhere = (id: string, subject: string) =>
  finishExtraction(server.store, id, { triplets: [triplet(subject)] })

describe('after a crash', () => {
  /** Creates an open narrative without a job. `work` may change the behaviour of later jobs. */
  const orphan = async (fields: object = {}, work = () => {}) => {
    const { id, answer } = await opened(freshText())
    held.open()
    await answer
    held = gate()
    // The response may precede the end of its job, which is locked until then.
    await vi.waitFor(async () => (await jobOf(id))?.remove(), 30_000)
    work()
    const [done] = await stored()
    await server.store.narratives.updateOne(
      { _id: id },
      { $set: { state: 'open', triplets: [], graph: null, ...fields } },
    )
    await server.store.edges.deleteMany({ user_id: ana.id })
    await server.store.extractions.add({ id })
    return { id, done }
  }
  /** Jobs wait for the gate that exists at their start. */
  let held = gate()
  const slowly = () => {
    held = gate()
    server.work(async id => {
      await held.passed
      return server.finish(id, { triplets: [triplet('They')] })
    })
  }

  it('between the narrative and its job: one job is added, and completes the narrative', async () => {
    slowly()
    const { id } = await orphan()
    await server.drain()
    await server.drain()
    held.open()
    await vi.waitFor(async () => expect(await list()).toHaveLength(1), 30_000)
    expect((await list())[0]?.id).toBe(id)
  })

  it('of the job, repeatedly: the narrative fails', { tags: 'long' }, async () => {
    slowly()
    let jobs = 0
    const fail = async () => {
      jobs++
      throw Object.assign(new Error('gone'), { name: 'UnrecoverableError' })
    }
    await orphan({}, () => server.work(fail))
    const failed = { state: 'failed', failure: 'unavailable', text: '' }
    const due = { kind: 'extraction', lease: { $exists: false } }
    await vi.waitFor(async () => {
      await server.service.mongo.collection('outbox').updateMany(due, { $set: { due_at: new Date(0) } })
      server.service.outbox.wake()
      expect(await stored()).toMatchObject([failed])
    }, 60_000)
    // The first job replaces the lost one. Three more replace jobs that ended.
    expect(jobs).toBe(4)
    expect(await list()).toEqual([])
    await server.drain()
    expect(await stored()).toEqual([])
  })

  it('responds 504 to waiting requests when the service closes; the extraction continues', async () => {
    const other = await startTestServer({ EXTRACTION_WAIT_MS: '30000' })
    const held = gate()
    other.work(() => held.passed)
    const user = await other.user('eve')
    const joins = other.joins()
    const answer = user.api.send('POST', '/narratives/', { text: 'x' })
    await joins(1)
    const stopping = other.stop()
    expect(await answer).toMatchObject({ status: 504, body: { detail: DETAILS.stillWorking } })
    held.open()
    await stopping
  })
})
