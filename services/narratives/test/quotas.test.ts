import { personalDataInternal, usageInternal } from '@iodine/contracts'
import { newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, triplet } from './test-server.js'

let server: TestServer
let ana: Awaited<ReturnType<TestServer['user']>>

beforeAll(async () => {
  server = await startTestServer({ QUOTA_NARRATIVES: '4' })
})
afterAll(() => server?.stop())
beforeEach(async () => {
  ana = await server.user('ana')
  server.work(id => server.finish(id, { triplets: [triplet('They')] }))
})

const post = (text = `They hide ${newId()}.`) => ana.api.send('POST', '/narratives/', { text })
const usage = () => server.internal(usageInternal.getUsage, { params: { id: ana.id } })
const used = (n: number) => ({
  narratives: { used: n, limit: 4 },
  canon_rules: { used: 0, limit: 5_000 },
})
const doc = () =>
  server.service.mongo.collection<{ _id: string; used: object }>('usage').findOne({ _id: ana.id })

describe('narratives', () => {
  it('exactly one of 50 concurrent requests takes the last slot; a deletion frees one slot', {
    tags: 'long',
  }, async () => {
    const [first] = [await post(), await post(), await post()]
    const answers = await Promise.all(Array.from({ length: 50 }, () => post()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 413,
      body: { detail: 'You have 4 of 4 narratives: delete some to make room' },
    })
    const remove = () => ana.api.send('DELETE', `/narratives/data/${first?.body.id}`)
    const removals = await Promise.all(Array.from({ length: 5 }, remove))
    expect(removals.some(({ status }) => status === 200)).toBe(true)
    expect(await usage()).toEqual(used(3))
    expect([(await post()).status, (await post()).status]).toEqual([201, 413])
  })

  it('are restored only within the quota', async () => {
    const [first] = [await post(), await post(), await post(), await post()]
    const address = `/narratives/data/${first?.body.id}`
    await ana.api.send('DELETE', address)
    expect(await usage()).toEqual(used(3))
    const last = await post()
    expect(await ana.api.send('POST', `${address}/restore`)).toMatchObject({
      status: 413,
      body: { detail: 'You have 4 of 4 narratives: delete some to make room' },
    })
    await ana.api.send('DELETE', `/narratives/data/${last.body.id}`)
    expect((await ana.api.send('POST', `${address}/restore`)).status).toBe(200)
    expect(await usage()).toEqual(used(4))
    const before = await doc()
    await server.service.mongo
      .collection<{ _id: string }>('usage')
      .updateOne({ _id: ana.id }, { $set: { checked_at: new Date(0) } })
    await server.service.tasks.run('usage')
    expect((await doc())?.used).toEqual(before?.used)
  })

  it('count while open, not after a failure; joining an open one needs no quota', async () => {
    server.work(id => server.finish(id, { failure: 'provider_failed' }))
    expect((await post()).status).toBe(502)
    expect(await usage()).toEqual(used(0))
    const joins = server.joins()
    server.work(async id => {
      await joins(5)
      await server.finish(id, { triplets: [] })
    })
    const texts = [1, 2, 3, 4].map(n => `Text ${n} of ${ana.id}.`)
    const waiting = texts.map(post)
    await expect.poll(usage, { timeout: 30_000 }).toEqual(used(4))
    expect((await post()).status).toBe(413)
    const joined = post(texts[0])
    const answers = await Promise.all([...waiting, joined])
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201))
    expect(answers[4]?.body.id).toBe(answers[0]?.body.id)
  })

  it('count the bytes of their texts; the usage is deleted with the account', async () => {
    const answer = await post('Ärger überall')
    expect((await doc())?.used).toEqual({ narratives: 1, bytes: 15 })
    await ana.api.send('DELETE', `/narratives/data/${answer.body.id}`)
    expect((await doc())?.used).toEqual({ narratives: 0, bytes: 0 })
    await server.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    expect(await doc()).toBeNull()
  })
})
