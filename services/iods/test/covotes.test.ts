import { iodsApi, iodsInternal, LIMITS, personalDataInternal, type VoteType } from '@iodine/contracts'
import { type Connection, connectMongo, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  iodInput,
  newId,
  runs,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, iodsConfigSchema, newIodDoc } from '../src/index.js'
import { iodUid } from '../src/iods/policies/names.js'
import { createModels, type IodModels } from '../src/models.js'
import { projectCovotes } from '../src/votes/commands/project-covotes.js'
import { PAIRED_MAX } from '../src/votes/policies/vote-pairs.js'
import { confidenceOf } from '../src/votes/presenters/consensus.js'

const MINUTE = 60_000
const DAY = 24 * 3_600_000

let fixture: ServiceFixture
let service: StoreService
let mongo: Connection
let models: IodModels
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  // The tests count past votes: no task may count up to the present.
  const config = readConfig(iodsConfigSchema, { ...fixture.env, ROLE: 'api' })
  service = await createApp(config, fixture.deps)
  const { MONGODB_URI = '', MONGODB_PREFIX = '' } = fixture.env
  mongo = await connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_iods`)
  models = createModels(mongo, config)
  api = apiClient(await fixture.listen(service), (await fixture.user('ana')).token)
})
afterAll(async () => {
  await mongo?.close()
  await service?.close()
  await fixture?.stop()
})
beforeEach(async () => {
  await models.iods.deleteMany({})
  await models.covotes.deleteMany({})
  await models.covoteBuilds.deleteMany({})
})

/** Creates the id of an account of a year's age. */
const account = () => {
  const time = Math.floor((Date.now() - 365 * DAY) / 1_000)
  return new Types.ObjectId(`${time.toString(16)}${newId().slice(8)}`)
}
const cast = (user_id: Types.ObjectId, time: number, vote_type: VoteType = 'POSITIVE') => ({
  _id: new Types.ObjectId(),
  user_id,
  vote_type,
  created_at: new Date(time),
})
/** Stores an IOD with past votes. */
const store = async (votes: ReturnType<typeof cast>[], created_by = account()) => {
  const doc = newIodDoc(created_by, iodInput())
  const created_at = new Date(Date.now() - DAY)
  await models.iods.collection.insertOne({ ...doc, created_at, votes, votes_total: votes.length })
  return doc._id
}
const addVote = (iod: Types.ObjectId, vote: ReturnType<typeof cast>) =>
  models.iods.updateOne({ _id: iod }, { $push: { votes: vote } })

/** Counts up to a time, without a practical limit of duration. */
const project = async (until: number, of: IodModels = models) => {
  await projectCovotes(of, until, 60_000)
}
/** Returns the live build's counts by pair. */
const counts = async (): Promise<Record<string, number>> => {
  const live = await models.covoteBuilds.findOne({ live: true }).sort({ _id: -1 }).lean()
  const docs = await models.covotes.find({ build: live?._id }).lean()
  return Object.fromEntries(docs.map(({ _id, n }) => [_id.slice(_id.indexOf(':') + 1), n]).sort())
}
const weigh = (...ids: Types.ObjectId[]) =>
  api.call(iodsApi.weighVotes, { body: { ids: ids.map(id => id.toHexString()) } })
const forget = (user: Types.ObjectId) =>
  fixture.internal(personalDataInternal.eraseUser, { params: { id: user.toHexString() } })

/** Returns models that fail after a number of writes, like a killed process; of a bulk write a part is written. */
const failingAfter = (writes: number): IodModels => {
  let left = writes
  const guard = <T extends object>(model: T): T =>
    new Proxy(model, {
      get: (target, name) => {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function' || !/^(create|updateOne|deleteMany|bulkWrite)$/.test(String(name)))
          return typeof method === 'function' ? method.bind(target) : method
        return async (...args: unknown[]) => {
          if (name === 'bulkWrite') {
            const all = args[0] as unknown[]
            const part = all.slice(0, left)
            left -= part.length
            if (part.length > 0) await method.call(target, part, ...args.slice(1))
            if (part.length < all.length) throw new Error('killed')
            return undefined
          }
          if (left-- <= 0) throw new Error('killed')
          return method.apply(target, args)
        }
      },
    })
  return { ...models, covotes: guard(models.covotes), covoteBuilds: guard(models.covoteBuilds) }
}

describe('the projection', () => {
  it('counts pairs that vote on the same side within ten minutes, and the votes of each user', async () => {
    const [a, b, c] = [account(), account(), account()].sort((x, y) => x.toString().localeCompare(`${y}`))
    if (!a || !b || !c) throw new Error('no accounts')
    const time = Date.now() - DAY
    await store([cast(b, time), cast(a, time + 10 * MINUTE), cast(c, time + 10 * MINUTE + 1)])
    await store([cast(a, time + 1), cast(b, time + 2), cast(c, time + 3, 'NEGATIVE')])
    await project(time + 11 * MINUTE)
    expect(await counts()).toEqual({
      [`${a}:${a}`]: 2,
      [`${a}:${b}`]: 2,
      [`${a}:${c}`]: 1,
      [`${b}:${b}`]: 2,
      [`${c}:${c}`]: 2,
    })
  })

  it('continues where it ended; a later vote pairs with earlier ones', async () => {
    const [a, b] = [account(), account()]
    const time = Date.now() - DAY
    const iod = await store([cast(a, time)])
    await project(time + MINUTE)
    expect(await counts()).toEqual({ [`${a}:${a}`]: 1 })
    await addVote(iod, cast(b, time + 2 * MINUTE))
    await project(time + 3 * MINUTE)
    await project(time + 4 * MINUTE)
    const pair = [a, b].map(String).sort().join(':')
    expect(await counts()).toEqual({ [`${a}:${a}`]: 1, [`${b}:${b}`]: 1, [pair]: 1 })
  })

  it('takes work proportional to the votes of a popular IOD, not to their square', {
    tags: 'long',
  }, async () => {
    const time = Date.now() - DAY
    const votes = Array.from({ length: 120 }, (_, n) => cast(account(), time + n))
    await store(votes)
    await project(time + MINUTE)
    const pairs = (votes.length - PAIRED_MAX) * PAIRED_MAX + (PAIRED_MAX * (PAIRED_MAX - 1)) / 2
    expect(await models.covotes.countDocuments()).toBe(votes.length + pairs)
  })

  it('grows by at most 64 counts per vote of a user who votes on everything at once', {
    tags: 'long',
  }, async () => {
    const time = Date.now() - DAY
    const script = account()
    const votes = 6
    for (let n = 0; n < votes; n++) {
      const crowd = Array.from({ length: 100 }, (_, at) => cast(account(), time + at))
      crowd.splice(50, 0, cast(script, time + 50))
      await store(crowd)
    }
    await project(time + MINUTE)
    const counted = await models.covotes.countDocuments({ $or: [{ a: script }, { b: script }] })
    expect(counted).toBe(1 + votes * 2 * PAIRED_MAX)
  })

  it('finds the votes of a period by an index', async () => {
    const time = Date.now() - DAY
    for (let n = 0; n < 30; n++) await store([cast(account(), time + n * MINUTE)])
    const period = { $gt: new Date(time + 28 * MINUTE), $lte: new Date(time + 29 * MINUTE) }
    const { executionStats } = await mongo
      .collection('iods')
      .find({ votes: { $elemMatch: { created_at: period } } })
      .explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 })
  })

  it('counts a batch once when several processes count it', async () => {
    const users = Array.from({ length: 6 }, account)
    const time = Date.now() - DAY
    for (let n = 0; n < 20; n++) await store(users.map((user, place) => cast(user, time + n * 1_000 + place)))
    await Promise.all([1, 2, 3, 4].map(() => project(time + DAY / 2)))
    await project(time + DAY / 2)
    const values = Object.values(await counts())
    expect(values).toEqual(Array.from({ length: 6 + 15 }, () => 20))
  })

  it('is what a rebuild gives after random votes, deleted accounts and crashes', {
    tags: 'long',
    timeout: 1_200_000,
  }, async () => {
    let users = Array.from({ length: 8 }, account)
    const iods: { id: Types.ObjectId; voted: Set<string> }[] = []
    const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T
    let time = Date.now() - 300 * DAY
    let crashes = 0
    // Continues until enough crashes have happened.
    for (let step = 0; step < runs(200) || crashes < 6; step++) {
      const chance = Math.random()
      if (iods.length < 3 || chance < 0.05) iods.push({ id: await store([]), voted: new Set() })
      else if (chance < 0.07) {
        const user = pick(users)
        users = [...users.filter(each => each !== user), account()]
        await forget(user)
        expect(await models.covotes.countDocuments({ $or: [{ a: user }, { b: user }] })).toBe(0)
      } else if (chance < 0.7) {
        const [iod, user] = [pick(iods.slice(-6)), pick(users)]
        if (iod.voted.has(String(user))) continue
        iod.voted.add(String(user))
        // A counted millisecond must not receive further votes.
        time += 1 + Math.random() * 4 * MINUTE
        await addVote(iod.id, cast(user, time, Math.random() < 0.7 ? 'POSITIVE' : 'NEGATIVE'))
      } else if (chance < 0.9) {
        const failing = failingAfter(Math.floor(Math.random() * 12))
        await project(time, failing).catch(error => {
          if (error.message !== 'killed') throw error
          crashes++
        })
        // An account is deleted while a batch is partly counted.
        if (Math.random() < 0.1) {
          const user = pick(users)
          users = [...users.filter(each => each !== user), account()]
          await forget(user)
        }
      } else await project(time)
    }
    // Deletions may have removed most pairs: at the end each pair of users votes together.
    const last = await store([])
    for (const user of users) await addVote(last, cast(user, ++time))
    await project(time)
    const live = await counts()
    expect(Object.keys(live).length).toBeGreaterThanOrEqual((8 * 7) / 2)
    await models.covoteBuilds.updateMany({}, { begun_at: new Date(0) })
    await project(time)
    const [build, ...others] = await models.covoteBuilds.find().lean()
    expect(others).toEqual([])
    expect(build).toMatchObject({ live: true, batch: null })
    expect(build?._id).toBeGreaterThan(1)
    expect(await models.covotes.countDocuments()).toBe(Object.keys(live).length)
    expect(await counts()).toEqual(live)
  })

  it('corrects manual changes when it is a week old, and is read meanwhile', async () => {
    const [a, b] = [account(), account()]
    const time = Date.now() - DAY
    const gone = await store([cast(a, time), cast(b, time)])
    const stays = await store([cast(a, time), cast(b, time)])
    await project(time + MINUTE)
    await models.iods.deleteOne({ _id: gone })
    await project(time + 2 * MINUTE)
    const pair = [a, b].map(String).sort().join(':')
    expect((await counts())[pair]).toBe(2)
    await models.covoteBuilds.updateMany({}, { begun_at: new Date(Date.now() - 8 * DAY) })
    await project(time + 3 * MINUTE, failingAfter(2)).catch(() => {})
    expect(await models.covoteBuilds.countDocuments()).toBe(2)
    expect(await weigh(stays)).toHaveProperty(String(stays))
    await project(time + 3 * MINUTE)
    expect((await counts())[pair]).toBe(1)
  })
})

it.each([
  ['one voter for it', { for: 1, against: 0, confidence: 0.207 }, 21],
  ['ten voters for it', { for: 10, against: 0, confidence: 0.722 }, 72],
  ['only voters against it', { for: 0, against: 3, confidence: 0 }, 0],
  ['no vote that counts', { for: 0, against: 0, confidence: 0 }, null],
])('the confidence of a file is the lower bound in percent: %s', (_, consensus, confidence) => {
  expect(confidenceOf(consensus)).toBe(confidence)
})

describe('POST /iods/consensus', () => {
  /** Stores 8 IODs with votes of a ring of 5 and of 3 independent people, then one on which both vote. */
  const arrange = async () => {
    const ring = Array.from({ length: 5 }, account)
    const people = Array.from({ length: 3 }, account)
    const time = Date.now() - DAY
    for (let n = 0; n < 8; n++) {
      const begin = time + n * 120 * MINUTE
      await store([
        ...ring.map((user, place) => cast(user, begin + place * MINUTE)),
        ...people.map((user, place) => cast(user, begin + (20 + place * 20) * MINUTE)),
      ])
    }
    const end = time + 20 * 60 * MINUTE
    const judged = await store([
      ...ring.map((user, place) => cast(user, end + place)),
      ...people.map((user, place) => cast(user, end + place, 'NEGATIVE')),
    ])
    return { ring, people, judged, end: end + MINUTE }
  }

  it('counts a ring as little more than one, with a reason that names no member', async () => {
    const { ring, people, judged, end } = await arrange()
    expect(await weigh(judged)).toEqual({})
    await project(end)
    const { [String(judged)]: found } = await weigh(judged)
    expect(found?.for).toBeGreaterThanOrEqual(1)
    expect(found?.for).toBeLessThan(1.8)
    expect(found?.against).toBe(3)
    expect(found?.confidence).toBeLessThan(0.2)
    expect(found?.reason).toBe(
      '8 votes count like 4.4 independent ones: a group of 5 mostly vote the same within ten minutes of each other on other IODs.',
    )
    for (const user of [...ring, ...people]) expect(JSON.stringify(found)).not.toContain(String(user))
  })

  it('names new and deleted accounts and the creator in the reason, and omits unknown IODs', async () => {
    const { ring, people, end } = await arrange()
    const [creator, first] = people
    if (!creator || !first) throw new Error('no people')
    const mixed = await store(
      [cast(creator, end), cast(first, end), cast(new Types.ObjectId(), end), cast(account(), end)],
      creator,
    )
    const none = await store([])
    await project(end)
    const answer = await weigh(mixed, none, new Types.ObjectId())
    expect(answer).toEqual({
      [String(mixed)]: {
        for: 2,
        against: 0,
        confidence: expect.closeTo(0.342, 3),
        reason:
          "4 votes count like 2 independent ones: 2 are from new accounts, the creator's own does not count.",
      },
      [String(none)]: { for: 0, against: 0, confidence: 0, reason: 'No votes yet.' },
    })
    await forget(first)
    expect((await weigh(mixed))[String(mixed)]?.reason).toContain('1 is from a deleted account')
    expect(ring).toHaveLength(5)
  })

  it('ignores votes cast together on the IOD itself', async () => {
    const time = Date.now() - DAY
    const users = Array.from({ length: 6 }, account)
    for (let n = 0; n < 6; n++)
      await store(users.map((user, place) => cast(user, time + (n * 100 + place * 11) * MINUTE)))
    const iods = [
      await store(users.map(user => cast(user, time + 700 * MINUTE))),
      await store(users.map(user => cast(user, time + 800 * MINUTE))),
    ]
    await project(time + 900 * MINUTE)
    for (const { for: independent } of Object.values(await weigh(...iods))) expect(independent).toBe(6)
  })

  it('rejects more than 500 ids, and malformed ids', async () => {
    const many = Array.from({ length: 501 }, () => newId())
    for (const ids of [many, ['x'], [{ $ne: null }], 'x', undefined])
      expect((await api.send('POST', '/iods/consensus', { ids })).status).toBe(422)
    expect((await api.send('POST', '/iods/consensus', { ids: many.slice(1) })).status).toBe(200)
  })

  it('weighs one large request of a user at a time, and pages at any time', async () => {
    const { judged, end } = await arrange()
    await project(end)
    const ask = (length: number) =>
      api.send('POST', '/iods/consensus', { ids: Array.from({ length }, () => judged.toHexString()) })
    const [many, pages] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, () => ask(LIMITS.consensusMax))),
      Promise.all(Array.from({ length: 40 }, () => ask(LIMITS.consensusPage))),
    ])
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200, 429]))
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('is stated in files with the time of its last change', async () => {
    const { judged, end } = await arrange()
    const unknown = newId()
    const state = async () => {
      const ids = [judged.toHexString(), unknown]
      const { [judged.toHexString()]: statement, ...others } = await fixture.internal(
        iodsInternal.stateIods,
        {
          body: { ids },
        },
      )
      expect(others).toEqual({})
      return statement
    }
    const { created_at } = await api.call(iodsApi.getIod, { params: { id: judged.toHexString() } })
    const stored = await models.iods.findById(judged).select('+uid').lean()
    const uid = stored?.uid
    // Files state no confidence before the votes are counted.
    expect(await state()).toEqual({ uid, confidence: null, since: created_at, tlp: null })
    await project(end)
    const asked = new Date()
    // Concurrent exports store the same statement.
    const [stated, ...others] = await Promise.all(Array.from({ length: 8 }, state))
    const confidence = Math.round(((await weigh(judged))[String(judged)]?.confidence ?? Number.NaN) * 100)
    expect(stated).toMatchObject({ uid, confidence })
    expect(new Date(stated?.since ?? 0) >= asked).toBe(true)
    expect(new Set(others.map(each => each?.since))).toEqual(new Set([stated?.since]))
    const { iods } = models
    const { votes } = (await iods.findById(judged).lean()) ?? {}
    await iods.updateOne({ _id: judged }, { $set: { votes: [] } })
    const withdrawn = await state()
    expect(withdrawn).toMatchObject({ uid, confidence: null })
    await iods.updateOne({ _id: judged }, { $set: { votes } })
    const again = await state()
    expect(again).toMatchObject({ uid, confidence })
    const times = [stated, withdrawn, again].map(each => each?.since)
    expect(times).toEqual([...new Set(times)].sort())
    const many = Array.from({ length: 501 }, () => newId())
    await expect(fixture.internal(iodsInternal.stateIods, { body: { ids: many } })).rejects.toMatchObject({
      status: 422,
    })
  })

  it('identifies IODs in files like other deployments', async () => {
    const made = await api.call(iodsApi.createIod, { body: iodInput({ value: ' Giant MIRRORS' }) })
    const { [made.id]: statement } = await fixture.internal(iodsInternal.stateIods, {
      body: { ids: [made.id] },
    })
    expect(statement?.uid).toBe(iodUid({ category: made.category, value: 'giant mirrors ' }))
    expect(statement?.uid).not.toBe(iodUid({ category: 'TITLE', value: made.value }))
    expect(statement).toMatchObject({ confidence: null, since: made.created_at })
  })

  it('includes votes once the task has counted them', async () => {
    const { judged } = await arrange()
    expect(await weigh(judged)).toEqual({})
    await service.tasks.run('votes')
    expect((await weigh(judged))[String(judged)]?.against).toBe(3)
  })
})
