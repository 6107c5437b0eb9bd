import { authInternal, DETAILS } from '@iodine/contracts'
import { newId, type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
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

let fixture: ServiceFixture
let service: Service
let asked: string[][]
/** An auth service that records its calls. */
const auth = () => {
  asked = []
  fixture.answer(authInternal.lookupUsers, ({ body }) => {
    asked.push(body.ids)
    return body.ids.flatMap(id => fixture.users.get(id) ?? [])
  })
}
const raiseVersion = () =>
  createVersion(service.redis, usersVersionKey(fixture.env.REDIS_PREFIX ?? '')).raise()

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createService('reader', readConfig(serviceConfigSchema, fixture.env), fixture.deps)
})
afterAll(async () => {
  await service?.close()
  await fixture?.stop()
})
beforeEach(auth)

describe('names', () => {
  it('are requested once for concurrent reads, then cached', async () => {
    const [ana, bo] = [await fixture.user('ana'), await fixture.user('bo')]
    const unknown = newId()
    await service.users.usernames([])
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => service.users.usernames([ana.id, n % 2 ? bo.id : unknown])),
    )
    expect(answers[0]).toEqual(new Map([[ana.id, 'ana']]))
    expect(answers[1]).toEqual(
      new Map([
        [ana.id, 'ana'],
        [bo.id, 'bo'],
      ]),
    )
    expect(asked.flat().sort()).toEqual([ana.id, bo.id, unknown].sort())
    await service.users.usernames([ana.id, bo.id, unknown])
    expect(asked.flat()).toHaveLength(3)
  })

  it('of thousands of users are requested in calls of at most 5,000', async () => {
    const ids = Array.from({ length: 12_000 }, newId)
    expect(await service.users.cards([...ids, ...ids])).toEqual(new Map())
    expect(asked.map(call => call.length).sort()).toEqual([2_000, 5_000, 5_000])
  })

  it('are requested again after a user is renamed', async () => {
    const { id } = await fixture.user('before')
    expect(await service.users.usernames([id])).toEqual(new Map([[id, 'before']]))
    fixture.users.set(id, { id, username: 'after', created_at: new Date().toISOString() })
    await raiseVersion()
    expect(await service.users.usernames([id])).toEqual(new Map([[id, 'after']]))
  })

  it('are omitted while auth is down, unless cached, and returned after its first answer', async () => {
    const [known, other] = [await fixture.user('known'), await fixture.user('other')]
    await service.users.usernames([known.id])
    fixture.answer(authInternal.lookupUsers, () => {
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
