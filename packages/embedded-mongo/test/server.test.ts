import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClientSession, type Collection, MongoClient, type MongoServerError } from 'mongodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Binary, Doc } from '../src/bson/values.js'
import { Engine } from '../src/engine.js'
import { DataFolderError, type EmbeddedMongo, startEmbeddedMongo } from '../src/index.js'
import { checkData } from '../src/storage/folder.js'
import { Store } from '../src/storage/kv.js'

const COMPILE = fileURLToPath(new URL('../../../tools/build-kit/src/compile.mjs', import.meta.url))

const folders = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'))
afterAll(() => rmSync(folders, { recursive: true, force: true }))
let made = 0
const newFolder = () => join(folders, String(++made))

type Row = { _id: number; n: number }

const rowsOf = (client: MongoClient, name = 'rows'): Collection<Row> => client.db('t').collection<Row>(name)

describe('transactions', () => {
  let server: EmbeddedMongo
  let client: MongoClient
  let rows: Collection<Row>
  let sessions: ClientSession[]
  beforeAll(async () => {
    server = await startEmbeddedMongo()
    client = await new MongoClient(server.uri).connect()
  })
  afterAll(async () => {
    await client.close()
    await server.stop()
  })

  const begin = async (name: string) => {
    rows = rowsOf(client, name)
    await rows.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await rows.createIndex({ n: 1 }, { unique: true })
    sessions = [client.startSession(), client.startSession()]
    for (const session of sessions) session.startTransaction()
    return sessions as [ClientSession, ClientSession]
  }
  const end = async () => {
    for (const session of sessions) await session.endSession()
  }
  const transient = async (work: Promise<unknown>) => {
    const error = (await work.catch(caught => caught)) as MongoServerError
    expect(error.hasErrorLabel?.('TransientTransactionError')).toBe(true)
    return error.code
  }

  test('read a snapshot of their start', async () => {
    const [one] = await begin('snapshot')
    expect(await rows.countDocuments({}, { session: one })).toBe(2)
    await rows.insertOne({ _id: 3, n: 3 })
    await rows.updateOne({ _id: 1 }, { $set: { n: 10 } })
    await rows.deleteOne({ _id: 2 })
    expect(await rows.find({}, { session: one, sort: { n: 1 } }).toArray()).toEqual([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    expect(await rows.find({ n: 10 }, { session: one }).toArray()).toEqual([])
    expect(await rows.findOne({ n: 2 }, { session: one })).toEqual({ _id: 2, n: 2 })
    await one.commitTransaction()
    expect(await rows.find({}, { sort: { n: 1 } }).toArray()).toEqual([
      { _id: 3, n: 3 },
      { _id: 1, n: 10 },
    ])
    await end()
  })

  test('read their own writes, which are invisible to others before the commit', async () => {
    const [one] = await begin('own')
    await rows.insertOne({ _id: 3, n: 0 }, { session: one })
    await rows.updateMany({ n: { $gte: 2 } }, { $inc: { n: 5 } }, { session: one })
    await rows.deleteOne({ _id: 1 }, { session: one })
    const mine = [
      { _id: 3, n: 0 },
      { _id: 2, n: 7 },
    ]
    expect(await rows.find({}, { session: one, sort: { n: 1 } }).toArray()).toEqual(mine)
    expect(await rows.find({ n: { $lt: 5 } }, { session: one }).toArray()).toEqual([{ _id: 3, n: 0 }])
    expect(await rows.find({}, { session: one, sort: { n: -1 } }).toArray()).toEqual([...mine].reverse())
    expect(await rows.find({}, { sort: { n: 1 } }).toArray()).toEqual([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await one.commitTransaction()
    expect(await rows.find({}, { sort: { n: 1 } }).toArray()).toEqual(mine)
    expect((await client.db('t').command({ validate: 'own' })).valid).toBe(true)
    await end()
  })

  test('change nothing if they abort', async () => {
    const [one] = await begin('abort')
    await rows.insertOne({ _id: 3, n: 3 }, { session: one })
    await client.db('t').collection('made-in-vain').insertOne({ a: 1 }, { session: one })
    await one.abortTransaction()
    expect(await rows.countDocuments()).toBe(2)
    expect(await client.db('t').listCollections({ name: 'made-in-vain' }).toArray()).toEqual([])
    expect((await client.db('t').command({ validate: 'abort' })).valid).toBe(true)
    await end()
  })

  test('conflict if they write the same document: the first writer wins', async () => {
    const [one, two] = await begin('first')
    await rows.updateOne({ _id: 1 }, { $set: { n: 100 } }, { session: one })
    expect(await transient(rows.updateOne({ _id: 1 }, { $set: { n: 200 } }, { session: two }))).toBe(112)
    await one.commitTransaction()
    expect(await transient(two.commitTransaction())).toBe(251)
    expect((await rows.findOne({ _id: 1 }))?.n).toBe(100)
    await end()
  })

  test('conflict with a write that was committed after their snapshot', async () => {
    const [one] = await begin('late')
    await rows.findOne({ _id: 1 }, { session: one })
    await rows.updateOne({ _id: 1 }, { $set: { n: 50 } })
    expect(await transient(rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: one }))).toBe(112)
    await end()
  })

  test('conflict at the commit with a write outside of a transaction', async () => {
    const [one] = await begin('between')
    await rows.updateOne({ _id: 1 }, { $set: { n: 60 } }, { session: one })
    await rows.updateOne({ _id: 1 }, { $set: { n: 70 } })
    expect(await transient(one.commitTransaction())).toBe(112)
    expect((await rows.findOne({ _id: 1 }))?.n).toBe(70)
    expect((await client.db('t').command({ validate: 'between' })).valid).toBe(true)
    await end()
  })

  test('conflict if they insert the same unique value', async () => {
    const [one, two] = await begin('unique')
    await rows.insertOne({ _id: 10, n: 9 }, { session: one })
    expect(await transient(rows.insertOne({ _id: 11, n: 9 }, { session: two }))).toBe(112)
    await one.commitTransaction()
    await end()
  })

  test('end with 11000 after a duplicate key', async () => {
    const [one] = await begin('duplicate')
    await expect(rows.insertOne({ _id: 10, n: 1 }, { session: one })).rejects.toMatchObject({ code: 11000 })
    expect(await transient(rows.findOne({}, { session: one }))).toBe(251)
    await end()
  })

  test('conflict with the creation of an index', async () => {
    const [one] = await begin('index')
    await rows.insertOne({ _id: 10, n: 10 }, { session: one })
    await rows.createIndex({ _id: 1, n: 1 })
    expect(await transient(one.commitTransaction())).toBe(112)
    await end()
  })

  test('are retried by withTransaction until all are committed', async () => {
    await begin('counter')
    await end()
    await rows.deleteOne({ _id: 2 })
    const add = async () => {
      const session = client.startSession()
      await session.withTransaction(async () => {
        const row = await rows.findOne({ _id: 1 }, { session })
        await rows.updateOne({ _id: 1 }, { $set: { n: (row?.n ?? 0) + 1 } }, { session })
      })
      await session.endSession()
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expect((await rows.findOne({ _id: 1 }))?.n).toBe(9)
  })

  test('confirm a repeated commit, also after a restart', async () => {
    const folder = newFolder()
    // The driver sets `txnNumber` itself, so these commands bypass it.
    const inTransaction = {
      lsid: Doc.of({ id: new Binary(4, Buffer.alloc(16, 1)) }),
      txnNumber: 1n,
      autocommit: false,
      $db: 't',
    }
    const insert = Doc.of({
      insert: 'twice',
      documents: [Doc.of({ a: 1 })],
      ...inTransaction,
      startTransaction: true,
    })
    const commit = Doc.of({ commitTransaction: 1, ...inTransaction })
    const send = async (at: string, ...commands: Doc[]) => {
      const engine = new Engine(new Store(at, true), () => '', 1000)
      const replies = []
      for (const command of [...commands, Doc.of({ count: 'twice', $db: 't' })])
        replies.push((await engine.submit(command)) as Doc)
      await engine.close()
      return replies.map(reply => reply.get('n') ?? reply.get('code') ?? 'ok')
    }
    mkdirSync(folder)
    expect(await send(folder, insert, commit, commit)).toEqual([1, 'ok', 'ok', 1])
    expect(await send(folder, commit)).toEqual(['ok', 1])
    const other = newFolder()
    mkdirSync(other)
    expect(await send(other, commit)).toEqual([251, 0])
  })

  test('of a killed process do not block others', async () => {
    const at = newFolder()
    mkdirSync(at)
    const engine = new Engine(new Store(at, true), () => '', 1000)
    const of = (n: number) => ({
      lsid: Doc.of({ id: new Binary(4, Buffer.alloc(16, n)) }),
      txnNumber: 1n,
      autocommit: false,
      $db: 't',
    })
    const change = (n: number) =>
      Doc.of({
        update: 'held',
        updates: [Doc.of({ q: Doc.of({ _id: 1 }), u: Doc.of({ $set: Doc.of({ n }) }) })],
        ...of(n),
        startTransaction: true,
      })
    const codeOf = async (command: Doc, from: { destroyed: boolean }) =>
      ((await engine.submit(command, from)) as Doc).get('code')
    const [killed, other] = [{ destroyed: false }, { destroyed: false }]
    await engine.submit(Doc.of({ insert: 'held', documents: [Doc.of({ _id: 1, n: 0 })], $db: 't' }))
    expect(await codeOf(change(1), killed)).toBeUndefined()
    expect(await codeOf(change(2), other)).toBe(112)
    killed.destroyed = true
    expect(await codeOf(change(3), other)).toBeUndefined()
    expect(await codeOf(Doc.of({ commitTransaction: 1, ...of(1) }), other)).toBe(251)
    expect(await codeOf(Doc.of({ commitTransaction: 1, ...of(3) }), other)).toBeUndefined()
    const count = (await engine.submit(Doc.of({ count: 'held', query: Doc.of({ n: 3 }), $db: 't' }))) as Doc
    expect(count.get('n')).toBe(1)
    await engine.close()
  })

  describe('concurrent commits', () => {
    const transaction = (n: number) => ({
      lsid: Doc.of({ id: new Binary(4, Buffer.alloc(16, n)) }),
      txnNumber: 1n,
      autocommit: false,
      $db: 't',
    })
    const insertOf = (n: number) =>
      Doc.of({
        insert: 'together',
        documents: [Doc.of({ _id: n })],
        ...transaction(n),
        startTransaction: true,
      })
    const commitOf = (n: number) => Doc.of({ commitTransaction: 1, ...transaction(n) })
    const numbers = Array.from({ length: 20 }, (_, n) => n + 1)
    let engine: Engine
    let store: Store
    const sendAll = async (commands: Doc[]) =>
      (await Promise.all(commands.map(command => engine.submit(command)))) as Doc[]
    const stored = async () =>
      ((await engine.submit(Doc.of({ count: 'together', $db: 't' }))) as Doc).get('n')

    beforeEach(async () => {
      const at = newFolder()
      mkdirSync(at)
      store = new Store(at, true)
      engine = new Engine(store, () => '', 1000)
      await engine.submit(Doc.of({ create: 'together', $db: 't' }))
      await sendAll(numbers.map(insertOf))
      // Without a clock that advances, one write transaction takes all commits: none waits for the next turn.
      vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    })
    afterEach(() => {
      vi.restoreAllMocks()
      return engine.close()
    })

    test('share one flush to disk', async () => {
      const used = async () => {
        const status = (await engine.submit(Doc.of({ serverStatus: 1, $db: 'admin' }))) as Doc
        const log = (status.get('wiredTiger') as Doc).get('log') as Doc
        return [(status.get('network') as Doc).get('numRequests'), log.get('log sync operations')].map(Number)
      }
      const write = vi.spyOn(store, 'write')
      const before = await used()
      const replies = await sendAll(numbers.map(commitOf))
      expect(replies.map(reply => reply.has('code'))).toEqual(numbers.map(() => false))
      expect(write).toHaveBeenCalledTimes(1)
      // The second status counts itself.
      const [requests = 0, flushes = 0] = before
      expect(await used()).toEqual([requests + numbers.length + 1, flushes + 1])
      expect(await stored()).toBe(20)
    })

    test('return retryable errors if one of them cannot be stored', async () => {
      const { apply } = store
      let applied = 0
      vi.spyOn(store, 'apply').mockImplementation(changes => {
        applied++
        if (applied >= 20) throw new Error('the disk is full')
        apply.call(store, changes)
      })
      const replies = await sendAll(numbers.map(commitOf))
      const codes = replies.map(reply => reply.get('code') ?? 'ok')
      expect(await stored()).toBe(0)
      expect(codes).toEqual(numbers.map(n => (n < 20 ? 112 : 1)))
      // A transaction that could not be stored has ended: its client may repeat it.
      vi.restoreAllMocks()
      const repeat = (command: Doc) => {
        command.set('txnNumber', 2n)
        return engine.submit(command) as Promise<Doc>
      }
      for (const n of numbers) {
        expect((await repeat(insertOf(n))).get('n')).toBe(1)
        expect((await repeat(commitOf(n))).has('code')).toBe(false)
      }
      expect(await stored()).toBe(20)
    })
  })

  test('reject commands that they do not support', async () => {
    const [one] = await begin('refused')
    await expect(client.db('t').command({ count: 'refused' }, { session: one })).rejects.toMatchObject({
      code: 263,
    })
    await end()
  })
})

describe('expiry', () => {
  test('removes expired documents', async () => {
    const server = await startEmbeddedMongo({ sweepMs: 50 })
    const client = await new MongoClient(server.uri).connect()
    const c = client.db('t').collection<{ _id: number; at?: unknown }>('ttl')
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 })
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
    await c.insertMany([
      { _id: 1, at: ago(61) },
      { _id: 2, at: ago(30) },
      { _id: 3, at: [ago(10), ago(300)] },
      { _id: 4, at: 'text' },
      { _id: 5 },
      { _id: 6, at: 12 },
    ])
    await expect
      .poll(async () => (await c.find().sort({ _id: 1 }).toArray()).map(doc => doc._id))
      .toEqual([2, 4, 5, 6])
    expect((await client.db('t').command({ validate: 'ttl' })).valid).toBe(true)
    await client.close()
    await server.stop()
  })
})

describe('explain', () => {
  test('names the index, or reports a collection scan', async () => {
    const server = await startEmbeddedMongo()
    const client = await new MongoClient(server.uri).connect()
    const c = client.db('t').collection('explained')
    await c.insertMany(
      Array.from({ length: 50 }, (_, i) => ({ a: i % 5, b: i, tags: [i, i + 1], s: `s${i}` })),
    )
    await c.createIndexes([
      { key: { a: 1, b: -1 }, name: 'ab' },
      { key: { tags: 1 }, name: 'tags' },
      { key: { s: 1 }, name: 's', partialFilterExpression: { a: { $gt: 2 } } },
    ])
    const used = async (filter: object, sort: Record<string, 1 | -1> = {}) => {
      const explained = await c.find(filter).sort(sort).explain('executionStats')
      const text = JSON.stringify(explained.queryPlanner.winningPlan)
      return {
        index: /"indexName":"(\w+)"/.exec(text)?.[1],
        sorts: text.includes('"SORT"'),
        keys: explained.executionStats.totalKeysExamined,
        docs: explained.executionStats.totalDocsExamined,
      }
    }
    expect(await used({ a: 1 })).toEqual({ index: 'ab', sorts: false, keys: 10, docs: 10 })
    expect(await used({ a: { $in: [1, 2] } })).toMatchObject({ index: 'ab', docs: 20 })
    expect(await used({ a: 1, b: { $gte: 20, $lt: 30 } })).toMatchObject({ index: 'ab', docs: 2 })
    expect(await used({ a: 1 }, { b: -1 })).toMatchObject({ index: 'ab', sorts: false })
    expect(await used({ a: 1 }, { b: 1 })).toMatchObject({ index: 'ab', sorts: false })
    expect(await used({}, { a: 1, b: -1 })).toMatchObject({ index: 'ab', sorts: false })
    expect(await used({}, { a: 1, b: 1 })).toMatchObject({ index: undefined, sorts: true })
    expect(await used({ tags: 7 })).toMatchObject({ index: 'tags', docs: 2 })
    expect(await used({ tags: { $gt: 5 } }, { tags: 1 })).toMatchObject({ index: 'tags', sorts: true })
    expect(await used({ s: 's4' })).toMatchObject({ index: undefined, docs: 50 })
    expect(await used({ s: 's4', a: 4 })).toMatchObject({ docs: 1 })
    expect(await used({ s: /^s4/, a: { $gt: 3 } })).toMatchObject({ index: 's' })
    expect(await used({ $or: [{ a: 1 }, { tags: 3 }] })).toMatchObject({ index: 'ab' })
    expect(await used({ b: 3 })).toMatchObject({ index: undefined, docs: 50 })
    await client.close()
    await server.stop()
  })
})

describe('the data folder', () => {
  const fill = async (folder: string) => {
    const server = await startEmbeddedMongo({ dataDir: folder })
    const client = await new MongoClient(server.uri).connect()
    await rowsOf(client).createIndex({ n: 1 })
    await client
      .db('t')
      .collection('rows')
      .insertMany(Array.from({ length: 500 }, (_, i) => ({ n: i, pad: 'x'.repeat(i * 20) })))
    await client.close()
    return server
  }

  test('preserves all data, and is unlocked after stop', async () => {
    const folder = newFolder()
    await (await fill(folder)).stop()
    const server = await startEmbeddedMongo({ dataDir: folder })
    const client = await new MongoClient(server.uri).connect()
    expect(await rowsOf(client).countDocuments({ n: { $gte: 250 } })).toBe(250)
    expect((await rowsOf(client).indexes()).map(index => index.name)).toEqual(['_id_', 'n_1'])
    await client.close()
    await server.stop()
  })

  test('rejects a second server', async () => {
    const folder = newFolder()
    const server = await fill(folder)
    await expect(startEmbeddedMongo({ dataDir: folder })).rejects.toThrow(
      `is in use by process ${process.pid}`,
    )
    await server.stop()
  })

  test('ignores the lock of an ended process', async () => {
    const folder = newFolder()
    await (await fill(folder)).stop()
    writeFileSync(join(folder, 'embedded-mongo.lock'), '999999999 1 x')
    await (await startEmbeddedMongo({ dataDir: folder })).stop()
    // A lock whose process id was reused is ignored as well.
    writeFileSync(join(folder, 'embedded-mongo.lock'), `${process.pid} 1 x`)
    await (await startEmbeddedMongo({ dataDir: folder })).stop()
  })

  const damages: [name: string, damage: (file: string) => void, message: RegExp][] = [
    ['a text file', file => writeFileSync(file, 'not a database'), /was not made by this database/],
    ['a file of zeros', file => writeFileSync(file, Buffer.alloc(20_000)), /was not made by this database/],
    [
      'a file cut in half',
      file => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096),
      /is damaged/,
    ],
    [
      'a broken first header',
      file => overwrite(file, 0x18, Buffer.alloc(8)),
      /was not made by this database/,
    ],
    ['a broken second header', file => overwrite(file, 4096 + 0x18, Buffer.alloc(8)), /is damaged/],
    [
      'overwritten pages',
      file => overwrite(file, 8192, Buffer.alloc(statSync(file).size - 8192, 0xab)),
      /is damaged/,
    ],
  ]
  const overwrite = (file: string, at: number, bytes: Buffer) => {
    const all = readFileSync(file)
    bytes.copy(all, at)
    writeFileSync(file, all)
  }
  test.each(damages)('rejects %s with a clear error, and leaves it unchanged', async (_, damage, message) => {
    const folder = newFolder()
    await (await fill(folder)).stop()
    const file = join(folder, 'data.mdb')
    damage(file)
    const before = readFileSync(file)
    const error = await startEmbeddedMongo({ dataDir: folder }).catch(caught => caught)
    expect(error).toBeInstanceOf(DataFolderError)
    expect(error.message).toMatch(message)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('is checked at the start unless it is unchanged since it was closed', async () => {
    const folder = newFolder()
    const file = join(folder, 'data.mdb')
    await (await fill(folder)).stop()
    expect(checkData(folder)).toBe(false)
    // The check removed the record: the process that made it may have been killed while starting.
    expect(checkData(folder)).toBe(true)
    await (await startEmbeddedMongo({ dataDir: folder })).stop()
    writeFileSync(file, readFileSync(file))
    expect(checkData(folder)).toBe(true)
    await (await startEmbeddedMongo({ dataDir: folder })).stop()
    copyFileSync(file, `${file}.copy`)
    renameSync(`${file}.copy`, file)
    expect(checkData(folder)).toBe(true)
  })

  test('rejects the folder of a MongoDB server', async () => {
    const folder = newFolder()
    mkdirSync(folder)
    writeFileSync(join(folder, 'WiredTiger'), '')
    await expect(startEmbeddedMongo({ dataDir: folder })).rejects.toThrow('belongs to a MongoDB server')
  })
})

describe('isolation', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [COMPILE])
  })

  test.each(['thread', 'process'] as const)(
    'a long query in a separate %s does not block the caller',
    async isolate => {
      const server = await startEmbeddedMongo({ isolate })
      const client = await new MongoClient(server.uri).connect()
      const c = client.db('t').collection('long')
      await c.insertOne({})
      // A single step of a large fraction of a second, in which the server cannot pause.
      const sum = { input: { $range: [0, 500_000] }, initialValue: 0, in: { $add: ['$$value', '$$this'] } }
      const turnsMeanwhile = async () => {
        let turns = 0
        const timer = setInterval(() => turns++, 5)
        const [found] = await c.aggregate([{ $project: { _id: 0, sum: { $reduce: sum } } }]).toArray()
        clearInterval(timer)
        expect(found).toEqual({ sum: 124_999_750_000 })
        return turns
      }
      // Use the maximum of several attempts: a busy machine may block the caller, too.
      let most = 0
      for (let left = 10; left > 0 && most <= 5; left--) most = Math.max(most, await turnsMeanwhile())
      expect(most).toBeGreaterThan(5)
      await expect(startEmbeddedMongo({ isolate, dataDir: folders, port: server.port })).rejects.toThrow(
        /EADDRINUSE/,
      )
      await client.close()
      await server.stop()
    },
  )

  test('the server process ends when its parent is killed', async () => {
    const folder = newFolder()
    const script = `
      const { startEmbeddedMongo } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)})
      await startEmbeddedMongo({ isolate: 'process', dataDir: ${JSON.stringify(folder)} })
      process.kill(process.pid, 'SIGKILL')`
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script])).toThrow()
    const lock = join(folder, 'embedded-mongo.lock')
    const gone = () => {
      try {
        const pid = Number(readFileSync(lock, 'latin1').split(' ')[0])
        process.kill(pid, 0)
        return false
      } catch {
        return true
      }
    }
    await expect.poll(gone).toBe(true)
  })
})
