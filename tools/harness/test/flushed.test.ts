/** @module-tag long */
import {
  accountsInternal,
  communityApi,
  everyMs,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
  QUEUES,
  type QueueName,
} from '@iodine/contracts'
import { createService, readConfig, type Service, serviceConfigSchema } from '@iodine/service-kit'
import { iodInput, newId, runs, type SignedInUser } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const FLUSHES = runs(3)
const BY_THE_CLOCK = (Object.keys(QUEUES) as QueueName[]).filter(name => everyMs(name) !== undefined)
/** Queues whose jobs are all pending when Redis is flushed. */
const HELD: QueueName[] = ['extraction']

let app: TestApp
let service: Service
let users: SignedInUser[]

beforeAll(async () => {
  app = await startTestApp()
  const config = readConfig(serviceConfigSchema, app.parts.workers.env)
  service = await createService('elsewhere', { ...config, LOG_LEVEL: 'silent' })
  users = await Promise.all([0, 1, 2].map(n => app.signUp(undefined, `flushed_${n}_${newId().slice(0, 6)}`)))
  for (const { api } of users) await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
})
afterAll(async () => {
  await service?.close()
  await app?.stop()
})

const patiently = { timeout: 120_000, interval: 250 }
const waiting = async (name: QueueName) => {
  const { paused = 0, waiting = 0, delayed = 0 } = await service.queues.queue(name).getJobCounts()
  return paused + waiting + delayed
}
const profileOf = ({ api, id }: SignedInUser) => api.send('GET', `/community/users/${id}`)
const isScheduled = async (name: QueueName) =>
  (await service.queues.queue(name).getJobScheduler(name)) !== undefined

it(`completes all acknowledged work after ${FLUSHES} flushes of Redis under load`, {
  timeout: 240_000 + FLUSHES * 120_000,
}, async () => {
  const leavers: { user: SignedInUser; email: string }[] = []
  const answers: Promise<{ status: number }>[] = []
  let isOver = false
  // Continuous load, so that flushes hit jobs at every stage.
  const load = users.map(async ({ api }) => {
    while (!isOver) {
      await api.call(iodsApi.createIod, { body: iodInput() })
      await new Promise(next => setTimeout(next, 50))
    }
  })
  for (let flush = 0; flush < FLUSHES; flush++) {
    const email = `leaver${flush}@example.org`
    const leaver = await app.signUp(email, `leaver_${flush}_${newId().slice(0, 6)}`)
    await leaver.api.call(iodsApi.createIod, { body: iodInput() })
    await vi.waitFor(async () => expect((await profileOf(leaver)).status).toBe(200), patiently)
    const closed = await app.signUp()
    await closed.api.call(profileApi.getProfile)

    for (const name of HELD) await service.queues.queue(name).pause()
    for (const { api } of users) {
      answers.push(
        api.send('POST', '/narratives/', { text: `Mirrors heat lake ${newId()}. Nobody asks why.` }),
      )
      await api.call(iodsApi.createIod, { body: iodInput() })
      await api.call(profileApi.setupUsername, { body: { username: `renamed_${newId().slice(0, 8)}` } })
    }
    await app.peers.call('auth', accountsInternal.deleteAccount, { body: { email } })
    leavers.push({ user: leaver, email })
    await closed.api.send('POST', '/auth/logout')
    await vi.waitFor(async () => {
      expect(await waiting('extraction')).toBeGreaterThanOrEqual(users.length)
    }, patiently)

    // Atomic: waiting requests re-add lost jobs within a second.
    expect(await service.redis.multi().flushall().dbsize().exec()).toEqual([
      [null, 'OK'],
      [null, 0],
    ])
    // The tombstone of the ended session is also lost: auth's database decides.
    expect((await closed.api.send('GET', '/profile/me')).status).toBe(401)
    await vi.waitFor(async () => {
      for (const name of BY_THE_CLOCK) expect([name, await isScheduled(name)]).toEqual([name, true])
    }, patiently)
  }
  isOver = true
  await Promise.all(load)

  for (const { status } of await Promise.all(answers)) expect([201, 504]).toContain(status)
  for (const user of users) {
    const { api, id } = user
    const narratives = () => api.call(narrativesApi.listNarratives)
    await vi.waitFor(async () => expect(await narratives()).toHaveLength(FLUSHES), patiently)
    const { username } = await api.call(profileApi.getProfile)
    const created = await api.call(iodsApi.listIods, { query: { created_by: username ?? '' } })
    await vi.waitFor(async () => {
      expect((await profileOf(user)).body).toMatchObject({
        username,
        total_iods: created.length,
        total_narratives: FLUSHES,
      })
    }, patiently)
    const triplets = (await narratives()).flatMap(narrative => narrative.triplets)
    const { links } = await api.call(graphApi.getTriplets)
    const counted = links.filter(({ type }) => type === 'subject_to_verb').map(({ count }) => count)
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(triplets.length)

    // A deletion is published as an event like any other change.
    const [first] = await narratives()
    await api.call(narrativesApi.deleteNarrative, { params: { id: first?.id ?? '' } })
    await service.redis.flushall()
    await vi.waitFor(async () => {
      const profile = await api.call(communityApi.getUser, { params: { id } })
      expect(profile.total_narratives).toBe(FLUSHES - 1)
    }, patiently)
  }
  for (const { user } of leavers) {
    const params = { id: user.id }
    await vi.waitFor(async () => {
      expect(await app.peers.call('auth', accountsInternal.getDeletion, { params })).toEqual({
        erased: true,
      })
    }, patiently)
    expect((await users[0]?.api.send('GET', `/community/users/${user.id}`))?.status).toBe(404)
  }
})

it('restores a schedule that has lost its next job', async () => {
  const queue = service.queues.queue('anchors')
  const next = (await queue.getJobScheduler('anchors'))?.next
  await queue
    .getJob(`repeat:anchors:${next}`)
    .then(job => job?.remove({ removeChildren: true }).catch(() => {}))
  await service.redis.del(queue.toKey(`repeat:anchors:${next}`), queue.toKey('delayed'))
  await vi.waitFor(async () => {
    const now = (await queue.getJobScheduler('anchors'))?.next
    expect(await queue.getJob(`repeat:anchors:${now}`)).toBeTruthy()
  }, patiently)
})
