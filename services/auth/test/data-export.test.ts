import { gzipSync } from 'node:zlib'
import { accountsInternal, DETAILS, LIMITS, personalDataInternal, servicesWith } from '@iodine/contracts'
import { HttpError } from '@iodine/service-kit'
import { deferred, newId } from '@iodine/test-kit'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { serverOfFile, type TestServer } from './test-server.js'

const SERVICES = servicesWith(personalDataInternal.exportUser)
const server = serverOfFile()

/** Each service's data about the user, and the number of calls so far. */
let held: { kind: string; data: unknown }[]
let asked: number
/** Fails calls while true. */
let isDown: boolean
/** Holds calls back while defined: `go` releases one. */
let waiting: (() => void)[] | undefined
const go = async () => {
  await until(() => expect(waiting?.length).toBe(1))
  waiting?.shift()?.()
}
beforeEach(() => {
  held = [{ kind: 'note', data: { text: 'ünïcode "quoted" ✓' } }]
  asked = 0
  isDown = false
  waiting = undefined
  server.fixture.answer(personalDataInternal.exportUser, async () => {
    asked++
    if (waiting) await new Promise<void>(next => waiting?.push(next))
    if (isDown) throw new HttpError(503, DETAILS.unavailable)
    return held
  })
})

type User = Awaited<ReturnType<TestServer['signIn']>>
const models = () => server.service.mongo.models
const exports = () => models().DataExport!
const pieces = () => models().ExportPiece!
const begin = ({ api }: User) => api.send('POST', '/profile/data-export')
const look = async ({ api }: User) => (await api.send('GET', '/profile/data-export')).body
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 10 })
const entries = (id: string) =>
  server.service.mongo.collection('outbox').find({ kind: 'data-export', key: id })
/** Waits until the export's outbox entry is complete. */
const finish = (id: string) => until(async () => expect(await entries(id).toArray()).toEqual([]))
const download = async ({ token }: Pick<User, 'token'>, id: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${server.url}/api/v1/profile/data-export/${id}`, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
/** Creates a user with a completed export. */
const exporter = async (name: string) => {
  const user = await server.signIn(`${name}@example.org`)
  const { id } = (await begin(user)).body
  await finish(id)
  return { user, id }
}

describe('a data export', () => {
  it('queries one service after another and provides the file for a day, only to its owner', async () => {
    const email = 'exports@example.org'
    const user = await server.signIn(email)
    const me = (await user.api.send('GET', '/profile/me')).body
    expect(await look(user)).toBeNull()
    waiting = []
    const { status, body } = await begin(user)
    expect([status, body]).toEqual([
      202,
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        state: 'working',
        created_at: expect.any(String),
        done: 0,
        total: SERVICES.length,
        waiting_for: null,
        bytes: 0,
        expires_at: null,
      },
    ])
    const { id } = body
    for (let done = 0; done < SERVICES.length; done++) {
      await until(() => expect(asked).toBe(done + 1))
      expect(await look(user)).toMatchObject({ state: 'working', done })
      expect((await download(user, id)).status).toBe(404)
      await go()
    }
    await finish(id)
    const ready = await look(user)
    expect(ready).toMatchObject({ state: 'ready', done: SERVICES.length })
    expect((Date.parse(ready.expires_at) - Date.now()) / 3_600_000).toBeCloseTo(24, 1)
    expect(await server.mail('data-export-ready', email)).toMatchObject({
      link: 'https://iodine.example/dashboard/profile?tab=data',
      expires_at: ready.expires_at,
    })

    const file = await download(user, id)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="iodine-data-[\d-]{10}\.json"$/,
    )
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(JSON.parse(file.text)).toEqual({
      exported_at: ready.created_at,
      user_id: me.id,
      ...Object.fromEntries(SERVICES.map(name => [name, held])),
    })
    // Another member, and a client without a session.
    const other = await server.signIn('nosy@example.org')
    for (const token of [other.token, 'none'])
      expect([401, 404]).toContain((await download({ token }, id)).status)
    expect(await look(other)).toBeNull()
    expect((await download(user, newId())).status).toBe(404)
    expect(asked).toBe(SERVICES.length)

    const past = { expires_at: new Date(Date.now() - 1) }
    await exports().updateOne({}, past)
    expect((await download(user, id)).status).toBe(404)
    expect(await look(user)).toBeNull()
    expect((await models().ExportPiece!.findOne().lean<{ expires_at: Date }>())?.expires_at).toEqual(
      new Date(ready.expires_at),
    )
  })

  it('streams a large file in compressed pieces', {
    tags: 'long',
  }, async () => {
    const text = 'x'.repeat(1_000)
    held = Array.from({ length: 5_000 }, (_, n) => ({ kind: 'record', data: { n, text } }))
    const { user, id } = await exporter('large')
    const { bytes } = await look(user)
    expect(bytes).toBeGreaterThan(SERVICES.length * 5_000_000)
    const stored = await pieces().find().select('n gzip').lean<{ n: number; gzip: { length(): number } }[]>()
    expect(stored.length).toBeGreaterThan(SERVICES.length * 3)
    const file = JSON.parse((await download(user, id)).text)
    for (const name of SERVICES) expect(file[name]).toEqual(held)
    // The stored pieces are compressed.
    const plain = JSON.stringify(held)
    expect(gzipSync(plain).length).toBeLessThan(plain.length / 10)
    const size = stored.reduce((sum, { gzip }) => sum + JSON.stringify(gzip).length, 0)
    expect(size).toBeLessThan(bytes / 5)
  })

  it('waits for a service that is down or breaks off, and is then complete', { tags: 'long' }, async () => {
    const user = await server.signIn('patient@example.org')
    waiting = []
    const { id } = (await begin(user)).body
    await go()
    await until(() => expect(asked).toBe(2))
    isDown = true
    for (let times = 0; times < 3; times++) await go()
    await until(async () => expect((await entries(id).next())?.attempts).toBe(4))
    expect(await look(user)).toMatchObject({ state: 'working', done: 1, waiting_for: SERVICES[1] })
    expect((await download(user, id)).status).toBe(404)
    isDown = false
    const held = waiting
    waiting = undefined
    for (const next of held) next()
    await finish(id)
    expect(await look(user)).toMatchObject({ state: 'ready', waiting_for: null })
    expect(await pieces().countDocuments({ export_id: id })).toBe(SERVICES.length)
  })

  it('stores each part once and sends one mail despite duplicate outbox entries', async () => {
    const user = await server.signIn('doubled@example.org')
    waiting = []
    const { id } = (await begin(user)).body
    const now = new Date()
    const double = {
      kind: 'data-export',
      key: id,
      payload: { id },
      attempts: 0,
      due_at: now,
      created_at: now,
    }
    await server.service.mongo
      .collection('outbox')
      .insertMany(Array.from({ length: 20 }, () => ({ ...double })))
    const first = waiting
    await go()
    waiting = undefined
    for (const next of first) next()
    await finish(id)
    const { bytes } = await look(user)
    expect(bytes).toBe(SERVICES.length * Buffer.byteLength(JSON.stringify(held)))
    expect(await pieces().countDocuments({ export_id: id })).toBe(SERVICES.length)
    expect(Object.keys(JSON.parse((await download(user, id)).text))).toHaveLength(2 + SERVICES.length)
    await server.mail('data-export-ready', 'doubled@example.org')
    const mails = server.mails.filter(({ to }) => to === 'doubled@example.org')
    expect(mails.filter(({ template }) => template === 'data-export-ready')).toHaveLength(1)
  })

  it('runs one at a time under 20 concurrent requests', { tags: 'long' }, async () => {
    const user = await server.signIn('rushed@example.org')
    for (let times = 0; times < 2; times++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => begin(user)))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter(status => status === 202)).toHaveLength(1)
      expect(statuses.filter(status => status === 409)).toHaveLength(19)
      await finish((await look(user)).id)
    }
  })

  it('is limited to three a day, and a refused fourth keeps the third', { tags: 'long' }, async () => {
    const { user, id: first } = await exporter('eager')
    const second = (await begin(user)).body.id
    await finish(second)
    const earlier = [first, second]
    await finish((await begin(user)).body.id)
    const { id } = await look(user)
    const refused = await begin(user)
    expect(refused).toMatchObject({ status: 429, body: { detail: DETAILS.tooManyRequests } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600)
    expect((await download(user, id)).status).toBe(200)
    // Only the last of the three is stored.
    expect(await pieces().countDocuments({ export_id: { $in: earlier } })).toBe(0)
    const dayAgo = new Date(Date.now() - 24 * 3_600_000)
    await exports().updateOne({ export_id: id }, { started: [dayAgo, dayAgo, new Date()] })
    const next = await begin(user)
    expect(next.status).toBe(202)
    expect((await download(user, id)).status).toBe(404)
    await finish(next.body.id)
  })

  it('fails above 2 GiB', { tags: 'long' }, async () => {
    const user = await server.signIn('huge@example.org')
    waiting = []
    const { id } = (await begin(user)).body
    await until(() => expect(asked).toBe(1))
    await exports().updateOne({ export_id: id }, { bytes: LIMITS.dataExportBytes - 10 })
    await go()
    await go()
    await finish(id)
    expect(await look(user)).toMatchObject({ state: 'failed' })
    expect((await download(user, id)).status).toBe(404)
    expect(await pieces().countDocuments({ export_id: id })).toBe(0)
    waiting = undefined
    const next = await begin(user)
    expect(next.status).toBe(202)
    await finish(next.body.id)
  })

  it('is completed although Redis is empty', async () => {
    const user = await server.signIn('flushed@example.org')
    await server.service.redis.flushall()
    const { id } = (await begin(user)).body
    await server.mail('data-export-ready', 'flushed@example.org')
    await finish(id)
  })

  it('is deleted with its account, also during a step, and does not contain itself', async () => {
    const { user, id } = await exporter('leaving')
    const me = (await user.api.send('GET', '/profile/me')).body
    const own = await server.internal(personalDataInternal.exportUser, { params: { id: me.id } })
    expect(JSON.stringify(own)).not.toContain(id)
    await server.internal(accountsInternal.deleteAccount, { body: { email: me.email } })
    expect(await exports().countDocuments({ _id: me.id })).toBe(0)
    expect(await pieces().countDocuments({ export_id: id })).toBe(0)

    const second = await server.signIn('midway@example.org')
    const answer = deferred()
    server.fixture.answer(personalDataInternal.exportUser, async () => {
      asked++
      await answer.promise
      return held
    })
    const before = asked
    const begun = (await begin(second)).body.id
    await expect.poll(() => asked).toBeGreaterThan(before)
    await server.internal(accountsInternal.deleteAccount, { body: { email: 'midway@example.org' } })
    answer.resolve()
    await finish(begun)
    expect(await pieces().countDocuments({ export_id: begun })).toBe(0)
  })
})
