import { runs, startTestMongo, type TestServer, uniquePrefix } from '@iodine/test-kit'
import { UnrecoverableError } from 'bullmq'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { HttpError } from '../src/http/errors.js'
import {
  type Connection,
  connectMongo,
  createLogger,
  createPartMetrics,
  inTransaction,
  type KindSpec,
  type Outbox,
} from '../src/index.js'
import { readMetrics } from '../src/observe/metrics.js'
import { createOutbox } from '../src/outbox/outbox.js'
import { prepareModels } from '../src/stores/mongo.js'

let server: TestServer
let mongo: Connection
const database = uniquePrefix()
const log = createLogger('outbox', 'silent')

beforeAll(async () => {
  server = await startTestMongo()
  mongo = await connectMongo(server.url, database)
})
afterAll(async () => {
  await mongo?.close()
  await server?.stop()
})
beforeEach(() => mongo.collection('outbox').deleteMany({}))

/** Creates the outbox of a process, with a separate connection, until the end of the test. */
const replica = async (pollMs?: number): Promise<Outbox & { mongo: Connection }> => {
  const connection = await connectMongo(server.url, database)
  const metrics = createPartMetrics('outbox')
  const outbox = createOutbox({ mongo: connection, log, metrics, pollMs })
  await prepareModels(connection)
  onTestFinished(async () => {
    await outbox.close()
    metrics.close()
    await connection.close()
  })
  return Object.assign(outbox, { mongo: connection })
}
const payload = z.strictObject({ n: z.int() })
const entries = () => mongo.collection('outbox').find().sort({ _id: 1 }).toArray()
const left = () => mongo.collection('outbox').countDocuments()
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 100_000, interval: 10 })
const empty = () => until(async () => expect(await left()).toBe(0))

/** Defines a kind whose handler records its payloads and then calls `act`. */
const noting = (
  outbox: Outbox,
  act: (numbers: number[]) => unknown = () => {},
  spec: Partial<KindSpec<{ n: number }>> = {},
) => {
  const seen: number[][] = []
  const kind = outbox.kind<{ n: number }>('note', {
    payload,
    async handle(payloads) {
      const numbers = payloads.map(({ n }) => n)
      seen.push(numbers)
      return act(numbers)
    },
    ...spec,
  })
  outbox.start()
  return { seen, ...kind }
}

describe('an entry', () => {
  it('is handled once after the commit of its transaction, and never after a rollback', async () => {
    const outbox = await replica()
    const note = noting(outbox)
    const things = outbox.mongo.collection('things')
    await expect(
      inTransaction(outbox.mongo, async session => {
        await things.insertOne({ n: 1 }, { session })
        await note.add({ n: 1 }, { session })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await inTransaction(outbox.mongo, async session => {
      await things.insertOne({ n: 2 }, { session })
      await note.add({ n: 2 }, { session })
      expect(note.seen).toEqual([])
    })
    await empty()
    expect(note.seen).toEqual([[2]])
    expect(await things.countDocuments()).toBe(1)
  })

  it('is retried with growing delays after transient errors, until it succeeds', async () => {
    let failures = 3
    const note = noting(await replica(), () => {
      if (failures-- > 0) throw new HttpError(503, 'not now')
    })
    await note.add({ n: 1 })
    for (const attempts of [1, 2, 3]) {
      await until(async () => expect(await entries()).toMatchObject([{ attempts }]))
      await until(async () => expect((await entries())[0]).not.toHaveProperty('lease'))
      const waits = (await entries())[0]!.due_at.getTime() - Date.now()
      expect(waits).toBeLessThanOrEqual(500 * 2 ** (attempts - 1) * 1.25)
      if (attempts === 3) expect(waits).toBeGreaterThan(1_000)
    }
    await empty()
    expect(note.seen).toHaveLength(4)
  })

  it.each([
    ['a permanent HTTP error', () => new HttpError(422, 'not like this'), 'not like this'],
    ['an UnrecoverableError', () => new UnrecoverableError('never'), 'never'],
  ])(
    'fails permanently on %s, with its reason; retries daily, or at once by an administrator',
    async (_, error, reason) => {
      const outbox = await replica()
      let isFixed = false
      const note = noting(outbox, () => {
        if (!isFixed) throw error()
      })
      await note.add({ n: 1 })
      await until(async () => expect(await outbox.failed(10)).toHaveLength(1))
      const [failed] = await outbox.failed(10)
      expect(failed).toMatchObject({ kind: 'note', error: reason, attempts: 1 })
      const [stored] = await entries()
      expect(stored!.due_at.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000)
      expect(await outbox.states()).toMatchObject({
        note: { jobs: { waiting: 0, failed: 1 }, oldestSeconds: 0 },
      })
      isFixed = true
      expect(await outbox.retry(failed!.id)).toBe(true)
      await empty()
      expect(await outbox.retry(failed!.id)).toBe(false)
      expect(note.seen).toHaveLength(2)
    },
  )

  it.each([400, 409, 413, 415, 422])(
    'that fails with %i fails permanently after one attempt, with one warning and one count',
    async status => {
      const warn = vi.spyOn(log, 'warn')
      onTestFinished(() => warn.mockRestore())
      const givenUp = async () =>
        Number(
          /^jobs_given_up_total{.*queue="note".*} (\d+)$/m.exec((await readMetrics()).text)?.[1] ??
            Number.NaN,
        )
      const outbox = await replica()
      const note = noting(outbox, () => {
        throw new HttpError(status, 'not like this')
      })
      const before = await givenUp()
      await note.add({ n: 1 })
      await until(async () => expect(await outbox.failed(10)).toMatchObject([{ attempts: 1 }]))
      expect(note.seen).toEqual([[1]])
      expect(await givenUp()).toBe(before + 1)
      expect(warn.mock.calls).toEqual([
        [expect.objectContaining({ queue: 'note', attempt: 1, given_up: true }), 'job failed'],
      ])
    },
  )

  it('is retried after transient HTTP errors', async () => {
    const statuses = [404, 408, 425, 429, 503]
    const failed = new Set<number>()
    const note = noting(
      await replica(),
      ([status = 0]) => {
        if (failed.has(status)) return
        failed.add(status)
        throw new HttpError(status, 'not now')
      },
      { concurrency: statuses.length },
    )
    await note.addAll(statuses.map(n => ({ n })))
    await empty()
    expect(note.seen.flat().toSorted()).toEqual(statuses.flatMap(status => [status, status]))
  })

  it('can be dropped if it failed permanently, not while it waits', async () => {
    const outbox = await replica()
    const note = noting(outbox, () => {
      throw new HttpError(422, 'no')
    })
    await note.add({ n: 1 })
    await note.add({ n: 2 }, { dueIn: 3_600_000 })
    await until(async () => expect(await outbox.failed(10)).toHaveLength(1))
    const [failed] = await outbox.failed(10)
    const waiting = (await entries()).find(({ _id }) => String(_id) !== failed!.id)
    expect(await outbox.drop(String(waiting!._id))).toBe(false)
    expect(await outbox.drop(failed!.id)).toBe(true)
    expect(await entries()).toMatchObject([{ payload: { n: 2 } }])
  })

  it('with an invalid payload fails permanently with the reason, and does not block others', async () => {
    const outbox = await replica()
    const note = noting(outbox)
    const old = { kind: 'note', attempts: 0, due_at: new Date(0), created_at: new Date(0) }
    await mongo.collection('outbox').insertOne({ ...old, payload: { n: 'one' } })
    await note.add({ n: 2 })
    await until(() => expect(note.seen).toEqual([[2]]))
    expect(await outbox.failed(10)).toMatchObject([
      { error: expect.stringContaining('unreadable payload: n ') },
    ])
  })

  it('of an unknown kind is counted, not handled', async () => {
    const outbox = await replica()
    noting(outbox)
    const old = { attempts: 0, due_at: new Date(0), created_at: new Date(0), payload: {} }
    await mongo.collection('outbox').insertOne({ ...old, kind: 'of later' })
    await mongo.collection('outbox').insertOne({ ...old, kind: 'note', payload: { n: 1 } })
    outbox.wake()
    await until(async () => expect(await left()).toBe(1))
    expect(await entries()).toMatchObject([{ kind: 'of later', attempts: 0 }])
    expect(await outbox.states()).toMatchObject({ 'of later': { jobs: { unknown: 1 } } })
  })

  it('runs again after the delay that its handler returns, unless it is completed meanwhile', async () => {
    let again: number | undefined = 20
    const outbox = await replica()
    const note = noting(outbox, () => again, { keyOf: () => 'a' })
    await note.add({ n: 1 })
    await note.add({ n: 2 })
    await until(() => expect(note.seen.length).toBeGreaterThan(4))
    again = 3_600_000
    await until(async () =>
      expect((await entries())[0]!.due_at.getTime()).toBeGreaterThan(Date.now() + 3_000_000),
    )
    // One entry of the key remains, and none is overdue.
    expect(await entries()).toMatchObject([{ payload: { n: 2 } }])
    expect(await outbox.states()).toEqual({ note: { jobs: { waiting: 1, failed: 0 }, oldestSeconds: 0 } })
    await note.complete('a')
    expect(await left()).toBe(0)
  })

  it('of a deleted user is removed by its key; others remain', async () => {
    const outbox = await replica()
    const note = noting(outbox, undefined, { keyOf: ({ n }) => `user ${n}` })
    await note.addAll([{ n: 1 }, { n: 2 }], { dueIn: 3_600_000 })
    await outbox.forget('user 1')
    expect(await entries()).toMatchObject([{ key: 'user 2' }])
    expect(await note.pending(10)).toEqual([{ n: 2 }])
  })

  it('of a deleted user stays while it is handled', async () => {
    const outbox = await replica()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const note = noting(outbox, () => held, { keyOf: () => 'user' })
    await note.add({ n: 1 })
    await until(() => expect(note.seen).toEqual([[1]]))
    await outbox.forget('user')
    expect(await left()).toBe(1)
    release()
    await empty()
  })

  it('waits until it is due', async () => {
    const note = noting(await replica())
    await note.add({ n: 1 }, { dueIn: 300 })
    await note.add({ n: 2 })
    await empty()
    expect(note.seen).toEqual([[2], [1]])
  })
})

describe('several entries', () => {
  it('are handled by one call up to the batch size, oldest first', async () => {
    const outbox = await replica()
    const kind = outbox.kind('note', { payload, batch: 4, handle: async () => {} })
    await kind.addAll(Array.from({ length: 6 }, (_, n) => ({ n })))
    const seen: number[][] = []
    const other = await replica()
    other.kind<{ n: number }>('note', {
      payload,
      batch: 4,
      handle: async given => seen.push(given.map(({ n }) => n)) && undefined,
    })
    other.start()
    await empty()
    expect(seen).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ])
  })

  it('run one by one if their batch fails permanently: only the faulty one fails', async () => {
    const outbox = await replica()
    const note = noting(
      outbox,
      numbers => {
        if (numbers.includes(2)) throw new HttpError(422, 'not 2')
      },
      { batch: 10 },
    )
    await note.addAll([1, 2, 3].map(n => ({ n })))
    await until(async () => expect(await left()).toBe(1))
    await until(async () => expect(await outbox.failed(10)).toHaveLength(1))
    expect(await entries()).toMatchObject([{ payload: { n: 2 } }])
    expect(note.seen.filter(([n, more]) => n === 3 && more === undefined)).toHaveLength(1)
  })

  it('of one key are handled by one call with the newest payload; later ones run again', async () => {
    const outbox = await replica()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const note = noting(outbox, ([n]) => (n === 0 ? held : undefined), {
      concurrency: 3,
      keyOf: ({ n }) => (n === 9 ? 'b' : 'a'),
    })
    await note.add({ n: 0 })
    await until(() => expect(note.seen).toEqual([[0]]))
    for (const n of [1, 2, 3]) await note.add({ n })
    await note.add({ n: 9 })
    await until(() => expect(note.seen).toContainEqual([9]))
    expect(note.seen).toEqual([[0], [9]])
    release()
    await empty()
    expect(note.seen.slice(2)).toEqual([[3]])
  })

  it('of one key are handled when the first is due; an early handler runs again', async () => {
    const note = noting(await replica(), ([n]) => (n === 3 ? 3_600_000 : undefined), { keyOf: () => 'a' })
    await note.add({ n: 1 }, { dueIn: 3_600_000 })
    await note.add({ n: 2 })
    await empty()
    await note.add({ n: 1 }, { dueIn: 3_600_000 })
    await note.add({ n: 3 })
    await until(async () => expect(await entries()).toMatchObject([{ payload: { n: 3 }, attempts: 0 }]))
    expect(note.seen).toEqual([[2], [3]])
  })

  it('of one key are merged to the newest after a failure', async () => {
    const note = noting(await replica(), () => Promise.reject(new HttpError(503, 'down')), {
      keyOf: () => 'a',
    })
    await note.addAll([{ n: 1 }, { n: 2 }, { n: 3 }])
    await until(async () =>
      expect(await entries()).toMatchObject([{ payload: { n: 3 }, attempts: expect.toSatisfy(n => n > 0) }]),
    )
  })

  it('of a key that another process holds keep their number of attempts', async () => {
    const note = noting(await replica(), () => {}, { keyOf: () => 'a' })
    const now = Date.now()
    const held = { kind: 'note', key: 'a', payload: { n: 1 }, attempts: 1, created_at: new Date(now) }
    await mongo
      .collection('outbox')
      .insertOne({ ...held, lease: 'another', due_at: new Date(now + 3_600_000) })
    await note.add({ n: 2 })
    const later = { 'payload.n': 2, due_at: { $gt: new Date(now + 300) } }
    await until(async () => expect(await mongo.collection('outbox').findOne(later)).toBeTruthy())
    await until(async () => expect((await entries())[1]).toMatchObject({ attempts: 0 }))
    expect(note.seen).toEqual([])
    await mongo.collection('outbox').updateOne({ 'payload.n': 1 }, { $set: { due_at: new Date() } })
    await empty()
    expect(note.seen).toEqual([[2]])
  })

  it('are distributed over processes: each is handled once, a key by one process at a time', async () => {
    const handled: number[] = []
    const active = new Map<number, number>()
    const overlaps: number[] = []
    const start = async () =>
      noting(
        await replica(),
        async ([n = 0]) => {
          const key = n % 7
          active.set(key, (active.get(key) ?? 0) + 1)
          if ((active.get(key) ?? 0) > 1) overlaps.push(n)
          await new Promise(resolve => setTimeout(resolve, 2))
          active.set(key, (active.get(key) ?? 0) - 1)
          handled.push(n)
        },
        { concurrency: 3, keyOf: ({ n }) => `k${n % 7}` },
      )
    const [a] = await Promise.all([start(), start(), start()])
    for (let n = 0; n < runs(200); n++) await a!.add({ n })
    await empty()
    expect(overlaps).toEqual([])
    // The last entries of each key are among them.
    for (let key = 0; key < 7; key++)
      expect(Math.max(...handled.filter(n => n % 7 === key))).toBeGreaterThanOrEqual(runs(200) - 7)
  })

  it('without keys are distributed over processes, each handled once', async () => {
    const handled: number[] = []
    const start = async () =>
      noting(await replica(), numbers => void handled.push(...numbers), { batch: 5, concurrency: 2 })
    const [a] = await Promise.all([start(), start()])
    const count = runs(800)
    await Promise.all(Array.from({ length: count }, (_, n) => a!.add({ n })))
    await empty()
    expect(handled.toSorted((x, y) => x - y)).toEqual(Array.from({ length: count }, (_, n) => n))
  })
})

describe('a process', () => {
  it.each([
    ['is due', {}],
    ['has the lease of a killed process', { lease: 'lost' }],
  ])('that starts handles an entry that %s, when it is due', async (_, state) => {
    const due_at = new Date(Date.now() + 500)
    const entry = { kind: 'note', payload: { n: 1 }, attempts: 1, created_at: new Date(), due_at, ...state }
    await mongo.collection('outbox').insertOne(entry)
    const hour = 3_600_000
    const note = noting(await replica(hour))
    await empty()
    expect(note.seen).toEqual([[1]])
    expect(Date.now()).toBeGreaterThanOrEqual(due_at.getTime())
  })

  it('keeps an entry whose handler runs for longer than a lease', async () => {
    const outbox = await replica()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const note = noting(outbox, () => held, { leaseMs: 300 })
    await note.add({ n: 1 })
    await until(() => expect(note.seen).toHaveLength(1))
    const other = noting(await replica())
    const first = (await entries())[0]!.due_at.getTime()
    await until(async () => expect((await entries())[0]!.due_at.getTime()).toBeGreaterThan(first + 300))
    expect(other.seen).toEqual([])
    release()
    await empty()
  })

  it('aborts its handlers at shutdown, and releases their entries', async () => {
    const outbox = await replica()
    const note = noting(outbox, () => {})
    const stopped = vi.fn()
    const kind = outbox.kind('slow', {
      payload,
      handle: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped()
            reject(new Error('ended'))
          })
        }),
    })
    await kind.add({ n: 1 })
    await until(async () => expect(await entries()).toMatchObject([{ kind: 'slow', attempts: 1 }]))
    await until(async () => expect((await entries())[0]).toHaveProperty('lease'))
    await outbox.close()
    expect(stopped).toHaveBeenCalledOnce()
    const [given] = await entries()
    expect(given).not.toHaveProperty('lease')
    expect(given!.due_at.getTime()).toBeLessThanOrEqual(Date.now())
    await note.add({ n: 2 })
    expect(note.seen).toEqual([])
  })
})

it('reads one document per claim, by an index, for any number of entries', async () => {
  const many = runs(100_000)
  const docs = Array.from({ length: many }, (_, n) => ({
    kind: n % 10 ? 'note' : 'other',
    payload: { n },
    attempts: 0,
    due_at: new Date(n),
    created_at: new Date(n),
  }))
  for (let at = 0; at < many; at += 10_000)
    await mongo.collection('outbox').insertMany(docs.slice(at, at + 10_000))
  await replica()
  const due = { kind: 'note', due_at: { $lte: new Date() } }
  const plan = await mongo
    .collection('outbox')
    .find(due)
    .sort({ due_at: 1 })
    .limit(1)
    .explain('executionStats')
  expect(JSON.stringify(plan)).toContain('IXSCAN')
  expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/)
  expect(plan.executionStats.totalDocsExamined).toBe(1)
})
