import {
  authInternal,
  backupsInternal,
  DETAILS,
  LIMITS,
  peopleApi,
  profileApi,
  repairInternal,
  systemApi,
  usageInternal,
} from '@iodine/contracts'
import { sessionKey } from '@iodine/service-kit'
import { rounds, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Rig, startRig, statusOf } from './rig.js'

let bed: ServiceBed
let rig: Rig
let boss: Awaited<ReturnType<Rig['signIn']>>
/** Limits that the bed was told, by user, and whether it takes them. */
const told = new Map<string, { revision: number; limits: object }[]>()
let isDown = false

beforeAll(async () => {
  bed = await startServiceBed()
  rig = await startRig(bed)
  bed.answer(usageInternal.getUsage, () => ({ iods: { used: 3, limit: 5 } }))
  bed.answer(usageInternal.setLimits, ({ params, body }) => {
    if (isDown) throw new Error('down')
    told.set(params.id, [...(told.get(params.id) ?? []), body])
    return { done: true as const }
  })
  boss = await rig.signIn('boss@example.org')
})
afterAll(async () => {
  await rig?.close()
  await bed?.stop()
})
beforeEach(() => {
  isDown = false
})

const sidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid
const member = async (email: string, username?: string) => {
  const signedIn = await rig.signIn(email)
  if (username) await signedIn.api.call(profileApi.setupUsername, { body: { username } })
  return { ...signedIn, id: (await signedIn.api.call(profileApi.getProfile)).id }
}
const found = async (search: string) =>
  (await boss.api.call(peopleApi.listPeople, { query: { search } })).map(({ email }) => email).sort()
const check = (token: string) => rig.internal(authInternal.checkSession, { body: { sid: sidOf(token) } })

describe('people', () => {
  it('are found by the beginning of a name or address, and by id, whatever the characters', async () => {
    const ana = await member('ana.one@example.org', 'Ana_One')
    await member('anabel@example.org', 'zoe_1')
    await member('other@example.org', 'anton')
    expect(await found('ANA')).toEqual(['ana.one@example.org', 'anabel@example.org'])
    expect(await found('ana_')).toEqual(['ana.one@example.org'])
    expect(await found('an')).toEqual(['ana.one@example.org', 'anabel@example.org', 'other@example.org'])
    expect(await found('zoe')).toEqual(['anabel@example.org'])
    expect(await found(ana.id)).toEqual(['ana.one@example.org'])
    for (const hostile of [
      '.*',
      '^a',
      'a.*',
      '(',
      '[',
      '\\\\',
      '$gt',
      'ana.one@example.org$',
      '\u{10ffff}',
      '%',
      '{}',
    ])
      expect([hostile, await found(hostile)]).toEqual([hostile, []])
    const long = await boss.api.send('GET', `/admin/people?search=${'x'.repeat(201)}`)
    expect(long.status).toBe(422)
    const operator = await boss.api.send('GET', '/admin/people?search[$gt]=')
    expect(operator.status).toBe(422)
  })

  it('are listed newest first in pages, all of them once', async () => {
    for (const search of [undefined, 'page']) {
      const seen: string[] = []
      for (let n = 0; n < 5 && !search; n++) await member(`page${n}@example.org`)
      let cursor: string | undefined
      do {
        const query = new URLSearchParams({
          limit: '2',
          ...(search && { search }),
          ...(cursor && { cursor }),
        })
        const page = await boss.api.send('GET', `/admin/people?${query}`)
        expect(page.body.length).toBeLessThanOrEqual(2)
        seen.push(...page.body.map(({ email }: { email: string }) => email))
        cursor = page.headers.get('x-next-cursor') ?? undefined
      } while (cursor)
      expect(new Set(seen).size).toBe(seen.length)
      const pages = [4, 3, 2, 1, 0].map(n => `page${n}@example.org`)
      expect(seen.filter(email => email.startsWith('page'))).toEqual(pages)
      expect(seen.includes('boss@example.org')).toBe(search === undefined)
    }
    expect((await boss.api.send('GET', '/admin/people?limit=101')).status).toBe(422)
    expect((await boss.api.send('GET', '/admin/people?cursor=nonsense')).status).toBe(422)
  })

  it('are nobody’s business but administrators’', async () => {
    const { api, id } = await member('curious@example.org')
    const calls = [
      ['GET', '/admin/people'],
      ['GET', `/admin/people/${id}`],
      ['POST', `/admin/people/${id}/suspend`],
      ['POST', `/admin/people/${id}/unsuspend`],
      ['POST', `/admin/people/${id}/end-sessions`],
      ['PATCH', `/admin/people/${id}/limits`],
      ['GET', '/admin/parts'],
      ['GET', '/admin/queues'],
    ] as const
    for (const [method, path] of calls) {
      const body = method === 'PATCH' ? { iods: 1 } : undefined
      expect([path, (await api.send(method, path, body)).status]).toEqual([path, 403])
    }
    const unknown = await boss.api.send('POST', `/admin/people/${'0'.repeat(24)}/suspend`)
    expect(unknown.status).toBe(404)
  })
})

describe('a suspension', () => {
  it('ends all sessions at once, and is undone', async () => {
    const { id, token, api } = await member('noisy@example.org')
    const params = { id }
    expect(await boss.api.call(peopleApi.suspendPerson, { params })).toMatchObject({
      suspended_at: expect.any(String),
      sessions: 0,
    })
    expect(await statusOf(check(token))).toBe(404)
    const key = sessionKey(rig.service.config.REDIS_PREFIX, sidOf(token))
    expect(await rig.service.redis.get(key)).toBe('revoked')
    expect(await boss.api.call(peopleApi.unsuspendPerson, { params })).toMatchObject({ suspended_at: null })
    expect(await statusOf(check(token))).toBe(404)
    await rig.signIn('noisy@example.org')
    expect(api).toBeDefined()
  })

  it('is not for administrators, oneself among them', async () => {
    const { id: own } = await boss.api.call(profileApi.getProfile)
    const root = await member('root@example.org')
    for (const id of [own, root.id])
      for (const action of ['suspend', 'unsuspend'])
        expect(await boss.api.send('POST', `/admin/people/${id}/${action}`)).toMatchObject({
          status: 409,
          body: { detail: DETAILS.suspendAdmin },
        })
    expect(await statusOf(check(root.token))).toBe(200)
  })

  it('among 50 of them and their contraries leaves no session to a suspended account', async () => {
    for (let round = 0; round < rounds(2); round++) {
      const email = `raced${round}@example.org`
      const { id } = await member(email)
      const params = { id }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          boss.api.call(n % 2 ? peopleApi.suspendPerson : peopleApi.unsuspendPerson, { params }),
        ),
      )
      expect(answers).toHaveLength(50)
      const person = await boss.api.call(peopleApi.getPerson, { params })
      if (person.suspended_at) expect(person.sessions).toBe(0)
      await boss.api.call(peopleApi.suspendPerson, { params })
      expect(await boss.api.call(peopleApi.getPerson, { params })).toMatchObject({ sessions: 0 })
    }
  })
})

it('all sessions of a person end, one’s own but the one that asks', async () => {
  const one = await member('everywhere@example.org')
  const two = await rig.signIn('everywhere@example.org')
  expect(await boss.api.call(peopleApi.endPersonSessions, { params: { id: one.id } })).toEqual({ ended: 2 })
  for (const { token } of [one, two]) expect(await statusOf(check(token))).toBe(404)
  const again = await member('boss@example.org')
  expect(await boss.api.call(peopleApi.endPersonSessions, { params: { id: again.id } })).toEqual({ ended: 1 })
  expect(await statusOf(check(again.token))).toBe(404)
  expect(await statusOf(check(boss.token))).toBe(200)
})

describe('own limits', () => {
  it('reach the services, rising in revision, and go back to the deployment’s', async () => {
    const { id } = await member('big@example.org')
    const params = { id }
    const change = (body: object) => boss.api.call(peopleApi.changeLimits, { params, body })
    expect(await change({ iods: 7, records: 9 })).toMatchObject({
      own_limits: { iods: 7, records: 9 },
      limits_pending: false,
    })
    expect(await change({ records: null })).toMatchObject({ own_limits: { iods: 7 }, limits_pending: false })
    const sent = told.get(id) ?? []
    expect(sent.at(0)?.limits).toEqual({ iods: 7, records: 9 })
    expect(sent.at(-1)?.limits).toEqual({ iods: 7 })
    expect(sent.at(-1)?.revision).toBeGreaterThan(sent.at(0)?.revision ?? 0)
  })

  it('wait for a service that is down, and are then sent once', async () => {
    const { id } = await member('patient@example.org')
    isDown = true
    const params = { id }
    expect(await boss.api.call(peopleApi.changeLimits, { params, body: { iods: 8 } })).toMatchObject({
      own_limits: { iods: 8 },
      limits_pending: true,
    })
    await rig.internal(repairInternal.repair)
    expect(told.get(id)).toBeUndefined()
    isDown = false
    await rig.internal(repairInternal.repair)
    const sent = told.get(id)?.length
    expect(await boss.api.call(peopleApi.getPerson, { params })).toMatchObject({ limits_pending: false })
    await rig.internal(repairInternal.repair)
    expect(told.get(id)?.length).toBe(sent)
  })

  it('change at once from many sides without losing one', async () => {
    const { id } = await member('many@example.org')
    const params = { id }
    await Promise.all([
      ...[5, 6, 7].map(iods => boss.api.call(peopleApi.changeLimits, { params, body: { iods } })),
      boss.api.call(peopleApi.changeLimits, { params, body: { records: 4 } }),
    ])
    await rig.internal(repairInternal.repair)
    const person = await boss.api.call(peopleApi.getPerson, { params })
    expect(person.own_limits).toMatchObject({ records: 4, iods: expect.any(Number) })
    expect(person.limits_pending).toBe(false)
    const newest = [...(told.get(id) ?? [])].sort((a, b) => b.revision - a.revision)[0]
    expect(newest?.limits).toEqual(person.own_limits)
  })

  it('are whole numbers of known quotas', async () => {
    const { id } = await member('strict@example.org')
    for (const body of [
      {},
      { iods: 0 },
      { iods: -1 },
      { iods: 1.5 },
      { iods: 2 ** 41 },
      { other: 1 },
      { iods: '5' },
    ])
      expect([body, (await boss.api.send('PATCH', `/admin/people/${id}/limits`, body)).status]).toEqual([
        body,
        422,
      ])
  })
})

it('parts that do not answer are down, queues say how they stand and why jobs failed', async () => {
  const alone = await startRig(bed, {
    COLLECTOR_URL: 'http://127.0.0.1:9',
    WORKERS_URL: rig.url,
  })
  try {
    const { api } = await alone.signIn('boss@example.org')
    const parts = await api.call(systemApi.listParts)
    const byName = Object.fromEntries(parts.map(part => [part.name, part]))
    expect(byName.collector).toEqual({ name: 'collector', state: 'down', dependencies: null, process: null })
    expect(byName.workers).toMatchObject({
      state: 'up',
      dependencies: { redis: 'up', mongodb: 'up' },
      process: { memory_bytes: expect.any(Number) },
    })
    const secret = 'whose address is ana@example.org'
    alone.service.queues.work('canon', async () => {
      throw Object.assign(new TypeError(secret))
    })
    const job = await alone.service.queues.add('canon', { user_id: '0'.repeat(24) }, { attempts: 1 })
    await alone.service.queues.waitFor('canon', job, 20_000).catch(() => {})
    const queues = await api.call(systemApi.listQueues)
    const canon = queues.find(({ name }) => name === 'canon')
    expect(canon).toMatchObject({ jobs: { failed: 1 }, last_failure: { reason: 'TypeError' } })
    expect(JSON.stringify(queues)).not.toContain('ana@')
    expect(queues.find(({ name }) => name === 'repair')?.every_ms).toBe(2_000)
  } finally {
    await alone.close()
  }
})

it('backups are noted once, the newest are kept', async () => {
  const note = (minute: number, bytes: number) =>
    rig.internal(backupsInternal.noteBackup, {
      body: { made_at: new Date(minute * 60_000).toISOString(), bytes, duration_ms: 1_500 },
    })
  expect(await boss.api.call(systemApi.listBackups)).toEqual([])
  for (let minute = 1; minute <= LIMITS.backupsKept + 3; minute++) await note(minute, minute)
  await note(LIMITS.backupsKept + 3, 5)
  const backups = await boss.api.call(systemApi.listBackups)
  expect(backups).toHaveLength(LIMITS.backupsKept)
  expect(backups[0]).toEqual({
    made_at: new Date((LIMITS.backupsKept + 3) * 60_000).toISOString(),
    bytes: 5,
    duration_ms: 1_500,
  })
  const { api } = await member('backup-curious@example.org')
  expect((await api.send('GET', '/admin/backups')).status).toBe(403)
})

it('where passkeys are required, a session by a link administers nobody', async () => {
  const strict = await startRig(bed, { ADMIN_PASSKEYS: 'required' })
  try {
    const { api } = await strict.signIn('boss@example.org')
    for (const path of ['/admin/people', '/admin/parts', '/admin/queues', '/admin/backups'])
      expect(await api.send('GET', path)).toMatchObject({
        status: 403,
        body: { detail: DETAILS.passkeySession },
      })
  } finally {
    await strict.close()
  }
})
