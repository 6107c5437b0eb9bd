import { setTimeout as sleep } from 'node:timers/promises'
import { communityInternal, DETAILS, DONE, narrativesApi } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { finishExtraction } from '../src/narratives/commands/complete-extraction.js'
import { type Bench, startBench, triplet } from './bench.js'

let bench: Bench
let ana: Awaited<ReturnType<Bench['user']>>
let made = 0

beforeAll(async () => {
  bench = await startBench({ EXTRACTION_WAIT_MS: '30000' })
})
afterAll(() => bench?.stop())
afterEach(async () => {
  await bench.redis.mend()
  await redisBack()
})
beforeEach(async () => {
  await bench.clear()
  ana = await bench.user('ana')
  bench.work(id => bench.finish(id, { triplets: [triplet('They')] }))
})

/** What waits for `passed` goes on once it is opened. */
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
const stored = () => bench.store.narratives.find({ user_id: ana.id }).lean()
/** The service and its queues have connections of their own. */
const redisBack = () =>
  vi.waitFor(async () => {
    await bench.service.redis.ping()
    await bench.service.queues.queue('extraction').getJobCounts()
  }, 30_000)
const jobOf = (id: string) => bench.service.queues.queue('extraction').getJob(`narrative-${id}`)
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
  it('answers 503 at once, and once it is back the same text makes one narrative', async () => {
    await bench.redis.cut()
    const text = freshText()
    const begun = Date.now()
    const answers = await Promise.all([post(text), post(text), post(text)])
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      Array(3).fill([503, DETAILS.unavailable]),
    )
    // Less than EXTRACTION_WAIT_MS.
    expect(Date.now() - begun).toBeLessThan(25_000)
    expect(await list()).toEqual([])
    await bench.redis.mend()
    await redisBack()
    await bench.workOff()
    expect(await list()).toEqual([])
    expect((await post(text)).status).toBe(201)
    await bench.workOff()
    expect(await list()).toHaveLength(1)
  })

  it('deletes, and publishes it all the same', async () => {
    const { status, body } = await post(freshText())
    expect(status).toBe(201)
    await bench.redis.cut()
    expect((await ana.api.send('DELETE', `/narratives/data/${body.id}`)).status).toBe(200)
    expect(await list()).toEqual([])
    expect((await ana.api.send('GET', '/graph/triplets')).body.nodes).toEqual([])
    await bench.published(body.id)
    expect(bench.heard).toContainEqual({
      type: 'narrative.deleted',
      data: { id: body.id, user_id: ana.id },
    })
    await bench.store.narratives.updateMany({ user_id: ana.id }, { $set: { restore_until: new Date() } })
    await bench.redis.mend()
    await redisBack()
    await bench.workOff()
    expect(await stored()).toEqual([])
  })
})

describe('a permanent error of the community service', () => {
  it('is retried a day later', async () => {
    bench.bed.answer(communityInternal.applyEvents, () => {
      throw new HttpError(422, 'not like this')
    })
    const { body } = await post(freshText())
    const entry = () =>
      bench.service.mongo.collection('outbox').findOne({ kind: 'narrative.changed', key: body.id })
    await vi.waitFor(async () => expect(await entry()).toMatchObject({ error: 'not like this' }), 30_000)
    expect(((await entry())?.due_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    bench.bed.answer(communityInternal.applyEvents, ({ body }) => {
      bench.heard.push(...body.events)
      return DONE
    })
    await bench.workOff()
    expect(bench.heard).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ id: body.id }) }),
    )
  })
})

describe('with Redis lost while waiting', () => {
  it('answers 503, and what the worker brings later does not come back', { tags: 'long' }, async () => {
    let late: unknown
    const answered = gate()
    bench.work(async id => {
      await answered.passed
      late = await bench.finish(id, { triplets: [triplet('Late')] })
    })
    const text = freshText()
    const { answer } = await opened(text)
    await bench.redis.cut()
    expect(await answer).toMatchObject({ status: 503, body: { detail: DETAILS.unavailable } })
    expect(late).toBeUndefined()
    await bench.redis.mend()
    await redisBack()
    bench.work(id => bench.finish(id, { triplets: [triplet('Again')] }))
    expect((await post(text)).status).toBe(201)
    answered.open()
    await vi.waitFor(() => expect(late).toBe(0), 30_000)
    await bench.workOff()
    expect(await list()).toHaveLength(1)
  })

  it('answers 201 when the result is there all the same', async () => {
    const cut = gate()
    bench.work(async id => {
      await cut.passed
      return bench.finish(id, { triplets: [triplet('Done')] })
    })
    const { answer } = await opened(freshText())
    await bench.redis.cut()
    cut.open()
    expect(await answer).toMatchObject({ status: 201, body: { triplets_extracted: 1 } })
    await bench.redis.mend()
    await redisBack()
    await bench.workOff()
    expect(await list()).toHaveLength(1)
  })

  it('waits through a short interruption', { tags: 'long' }, async () => {
    const cut = gate()
    bench.work(async id => {
      await cut.passed
      await sleep(1_500)
      return bench.finish(id, { triplets: [triplet('Slow')] })
    })
    const { answer } = await opened(freshText())
    await bench.redis.cut()
    await bench.redis.mend()
    cut.open()
    expect((await answer).status).toBe(201)
  })
})

describe('with Redis flushed while waiting', () => {
  it('extracts again what is open, and answers what is done', { tags: 'long' }, async () => {
    let begun = 0
    bench.work(async id => {
      // The first job is lost with Redis' data: its worker never reports.
      if (++begun === 1) return new Promise(() => {})
      return bench.finish(id, { triplets: [triplet('Again')] })
    })
    const { answer } = await opened(freshText())
    await bench.service.redis.flushall()
    expect((await answer).status).toBe(201)
    expect(begun).toBe(2)

    bench.work(async id => {
      await bench.service.redis.flushall()
      // Another process takes the result, and the event of the job's end is lost.
      return finishElsewhere(id, 'Done')
    })
    expect((await post(freshText())).status).toBe(201)
    expect(await list()).toHaveLength(2)
  })

  it('answers what another process has ended', async () => {
    bench.work(id => finishElsewhere(id, 'Elsewhere'))
    expect(await post(freshText())).toMatchObject({ status: 201, body: { triplets_extracted: 1 } })
    bench.work(id => finishExtraction(bench.store, id, { failure: 'refused' }))
    expect(await post(freshText())).toMatchObject({ status: 422 })
  })
})

/** As a process does that no request waits in. */
const finishElsewhere = (id: string, subject: string) =>
  finishExtraction(bench.store, id, { triplets: [triplet(subject)] })

describe('after a crash', () => {
  /** An open narrative without a job; `work` is what a later job does. */
  const orphan = async (fields: object = {}, work = () => {}) => {
    const { id, answer } = await opened(freshText())
    held.open()
    await answer
    held = gate()
    // The answer may precede the end of its job, which is locked until then.
    await vi.waitFor(async () => (await jobOf(id))?.remove(), 30_000)
    work()
    const [done] = await stored()
    await bench.store.narratives.updateOne(
      { _id: id },
      { $set: { state: 'open', triplets: [], graph: null, ...fields } },
    )
    await bench.store.edges.deleteMany({ user_id: ana.id })
    await bench.store.extractions.add({ id })
    return { id, done }
  }
  /** Jobs wait for the gate that there is when they begin. */
  let held = gate()
  const slowly = () => {
    held = gate()
    bench.work(async id => {
      await held.passed
      return bench.finish(id, { triplets: [triplet('They')] })
    })
  }

  it('between the narrative and its job: the job is added once, and ends it', async () => {
    slowly()
    const { id } = await orphan()
    await bench.workOff()
    await bench.workOff()
    held.open()
    await vi.waitFor(async () => expect(await list()).toHaveLength(1), 30_000)
    expect((await list())[0]?.id).toBe(id)
  })

  it('of the job itself, again and again: the narrative ends as failed', { tags: 'long' }, async () => {
    slowly()
    let jobs = 0
    const fail = async () => {
      jobs++
      throw Object.assign(new Error('gone'), { name: 'UnrecoverableError' })
    }
    await orphan({}, () => bench.work(fail))
    const failed = { state: 'failed', failure: 'unavailable', text: '' }
    const due = { kind: 'extraction', lease: { $exists: false } }
    await vi.waitFor(async () => {
      await bench.service.mongo.collection('outbox').updateMany(due, { $set: { due_at: new Date(0) } })
      bench.service.outbox.wake()
      expect(await stored()).toMatchObject([failed])
    }, 60_000)
    // The first one replaces the lost job, three more replace those that ended.
    expect(jobs).toBe(4)
    expect(await list()).toEqual([])
    await bench.workOff()
    expect(await stored()).toEqual([])
  })

  it('answers those who wait when the service closes, and the work goes on', async () => {
    const other = await startBench({ EXTRACTION_WAIT_MS: '30000' })
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
