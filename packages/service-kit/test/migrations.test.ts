import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { deferred, startTestMongo, type TestServer, uniquePrefix } from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Connection, connectMongo, createLogger, type Migration, migrate } from '../src/index.js'

const BUILT = new URL('../dist/index.js', import.meta.url).href
const log = createLogger('test', 'silent')

let server: TestServer
let name: string
let mongo: Connection
const others: Connection[] = []
const connect = async () => {
  const connection = await connectMongo(server.url, name)
  others.push(connection)
  return connection
}
beforeAll(async () => {
  server = await startTestMongo()
})
afterAll(() => server.stop())
beforeEach(async () => {
  name = uniquePrefix()
  mongo = await connect()
})
afterEach(async () => {
  for (const connection of others.splice(0)) await connection.close()
})

const runs = () => mongo.collection('runs')
/** A migration that records each of its runs. */
const noted = (migration: string): Migration => ({
  name: migration,
  up: connection => connection.collection('runs').insertOne({ migration }),
})
const ran = async () => (await runs().find().toArray()).map(({ migration }) => migration)
const recorded = async () =>
  (await mongo.collection('migrations').find().toArray()).map(({ migrationName }) => migrationName)
const lock = () => mongo.collection<{ _id: string; until: Date }>('locks').findOne({ _id: 'migrations' })

describe('the migrations of a database', () => {
  it('run once each, in order, those of a later version last', async () => {
    const [first, second, third] = [noted('0001-first'), noted('0002-second'), noted('0003-third')]
    await migrate(mongo, [first, second], log)
    await migrate(mongo, [first, second], log)
    await migrate(mongo, [first, second, third], log)
    expect(await ran()).toEqual(['0001-first', '0002-second', '0003-third'])
    expect(await recorded()).toEqual(['0001-first', '0002-second', '0003-third'])
  })

  it('change the documents of an earlier version, and keep values of the present one', async () => {
    const iods = mongo.collection('iods')
    await iods.insertMany([{ value: 'earlier' }, { value: 'present', language: 'fr' }])
    const language: Migration = {
      name: '0001-language',
      up: connection =>
        connection
          .collection('iods')
          .updateMany({ language: { $exists: false } }, { $set: { language: 'unknown' } }),
    }
    await migrate(mongo, [language], log)
    expect(await iods.find({}, { projection: { _id: 0 } }).toArray()).toEqual([
      { value: 'earlier', language: 'unknown' },
      { value: 'present', language: 'fr' },
    ])
  })

  it('run once if several replicas start at the same time', async () => {
    let running = 0
    const alone: Migration = {
      name: '0002-alone',
      async up(connection) {
        expect(++running).toBe(1)
        await noted('0002-alone').up(connection)
        // Time for a process that ignores the lock.
        for (let n = 0; n < 20; n++) await connection.db?.command({ ping: 1 })
        running--
      },
    }
    const replicas = await Promise.all(Array.from({ length: 6 }, connect))
    await Promise.all(replicas.map(replica => migrate(replica, [noted('0001-first'), alone], log)))
    expect(await ran()).toEqual(['0001-first', '0002-alone'])
    expect(await recorded()).toEqual(['0001-first', '0002-alone'])
  })

  it('keep their lock while they run; other processes wait for it', async () => {
    // The database runs in this process: its clock advances only in the steps below.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const LEASE_MS = 3_000
    const end = deferred()
    const long: Migration = {
      name: '0001-long',
      async up(connection) {
        await noted('0001-long').up(connection)
        await end.promise
      },
    }
    const first = migrate(mongo, [long], log, LEASE_MS)
    while ((await ran()).length === 0) await sleep(20)
    const second = migrate(await connect(), [long], log, LEASE_MS)
    // The lease is renewed past its first expiry.
    for (let passed = 0; passed <= LEASE_MS; passed += 1_000) {
      vi.setSystemTime(Date.now() + 1_000)
      const renewed = Date.now() + LEASE_MS
      // `expect.poll` would move the clock.
      while ((await lock())?.until.getTime() !== renewed) await sleep(20)
    }
    end.resolve()
    await Promise.all([first, second])
    expect(await ran()).toEqual(['0001-long'])
  })

  it('continue in another replica after the running one is killed', {
    tags: 'long',
    timeout: 180_000,
  }, async () => {
    const code = `
      const { connectMongo, createLogger, migrate } = await import(${JSON.stringify(BUILT)})
      const mongo = await connectMongo(${JSON.stringify(server.url)}, ${JSON.stringify(name)})
      const run = name => mongo.collection('runs').insertOne({ migration: name })
      await migrate(mongo, [
        { name: '0001-first', up: () => run('0001-first') },
        { name: '0002-killed', up: () => run('0002-killed').then(() => new Promise(() => {})) },
      ], createLogger('test', 'silent'), 2_000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
    const exited = once(child, 'exit')
    await vi.waitFor(async () => expect(await ran()).toHaveLength(2), 120_000)
    expect(await recorded()).toEqual(['0001-first'])
    const waiting = migrate(mongo, [noted('0001-first'), noted('0002-killed')], log)
    child.kill('SIGKILL')
    await exited
    await waiting
    expect(await ran()).toEqual(['0001-first', '0002-killed', '0002-killed'])
    expect(await recorded()).toEqual(['0001-first', '0002-killed'])
  })

  it('stop the start if one fails, do not record it, and run it at the next start', async () => {
    const failing: Migration = {
      name: '0002-failing',
      up: () => Promise.reject(new Error('an unexpected document')),
    }
    const later = noted('0003-later')
    await expect(migrate(mongo, [noted('0001-first'), failing, later], log)).rejects.toThrow(
      /0002-failing .*an unexpected document/,
    )
    expect(await recorded()).toEqual(['0001-first'])
    await migrate(mongo, [noted('0001-first'), noted('0002-failing'), later], log)
    expect(await ran()).toEqual(['0001-first', '0002-failing', '0003-later'])
  })

  it('stop the start of a version that does not know one of them', async () => {
    await migrate(mongo, [noted('0001-first'), noted('0002-second')], log)
    const earlier = [noted('0001-first')]
    await expect(migrate(mongo, earlier, log)).rejects.toThrow(
      `The database ${name} is newer than this version, which does not know its migration 0002-second`,
    )
    await expect(migrate(mongo, [...earlier, noted('0002-other')], log)).rejects.toThrow('is newer')
    expect(await ran()).toEqual(['0001-first', '0002-second'])
  })
})
