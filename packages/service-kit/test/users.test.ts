import { authInternal, DETAILS } from '@iodine/contracts'
import { newId, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createService,
  createVersion,
  HttpError,
  readConfig,
  type Service,
  serviceConfigSchema,
  usersVersionKey,
} from '../src/index.js'

let bed: ServiceBed
let service: Service
let asked: string[][]
/** An auth service that records its calls. */
const auth = () => {
  asked = []
  bed.answer(authInternal.lookupUsers, ({ body }) => {
    asked.push(body.ids)
    return body.ids.flatMap(id => bed.users.get(id) ?? [])
  })
}
const raiseVersion = () => createVersion(service.redis, usersVersionKey(bed.env.REDIS_PREFIX ?? '')).raise()

beforeAll(async () => {
  bed = await startServiceBed()
  service = await createService('reader', readConfig(serviceConfigSchema, bed.env), bed.deps)
})
afterAll(async () => {
  await service?.close()
  await bed?.stop()
})
beforeEach(auth)

describe('names', () => {
  it('are asked for once by all who read at the same time, and then kept', async () => {
    const [ana, bo] = [await bed.user('ana'), await bed.user('bo')]
    const nobody = newId()
    await service.users.usernames([])
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => service.users.usernames([ana.id, n % 2 ? bo.id : nobody])),
    )
    expect(answers[0]).toEqual(new Map([[ana.id, 'ana']]))
    expect(answers[1]).toEqual(
      new Map([
        [ana.id, 'ana'],
        [bo.id, 'bo'],
      ]),
    )
    expect(asked.flat().sort()).toEqual([ana.id, bo.id, nobody].sort())
    await service.users.usernames([ana.id, bo.id, nobody])
    expect(asked.flat()).toHaveLength(3)
  })

  it('of a page of thousands come in calls of at most 5,000', async () => {
    const ids = Array.from({ length: 12_000 }, newId)
    expect(await service.users.cards([...ids, ...ids])).toEqual(new Map())
    expect(asked.map(call => call.length).sort()).toEqual([2_000, 5_000, 5_000])
  })

  it('are read anew once somebody was renamed', async () => {
    const { id } = await bed.user('before')
    expect(await service.users.usernames([id])).toEqual(new Map([[id, 'before']]))
    bed.users.set(id, { id, username: 'after', created_at: new Date().toISOString() })
    await raiseVersion()
    expect(await service.users.usernames([id])).toEqual(new Map([[id, 'after']]))
  })

  it('are left out while auth is down, save those known, and there again with the first answer after', async () => {
    const [known, other] = [await bed.user('known'), await bed.user('other')]
    await service.users.usernames([known.id])
    bed.answer(authInternal.lookupUsers, () => {
      throw new HttpError(503, DETAILS.unavailable)
    })
    expect(await service.users.usernames([known.id, other.id])).toEqual(new Map([[known.id, 'known']]))
    auth()
    expect(await service.users.usernames([known.id, other.id])).toEqual(
      new Map([
        [known.id, 'known'],
        [other.id, 'other'],
      ]),
    )
    expect(asked).toEqual([[other.id]])
  })
})
