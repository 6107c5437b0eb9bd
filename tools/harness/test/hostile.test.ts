/** @module-tag long */
import { randomInt } from 'node:crypto'
import {
  authApi,
  campaignsApi,
  capturesApi,
  collectorApi,
  communityApi,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
} from '@iodine/contracts'
import {
  type AiProvider,
  type ApiClient,
  apiClient,
  iodInput,
  type MailCatcher,
  runs,
  type SignedInUser,
  sealCapture,
  signUp,
  startAiProvider,
  startMailCatcher,
  tiktokPost,
} from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type GeneratedRequest,
  generateRequest,
  type KnownIds,
  type Operation,
  operationsOf,
} from './hostile/requests.js'
import { exchange, type RawAnswer } from './hostile/wire.js'
import { startWatchedApp, type WatchedApp } from './watched.js'

const SHORT = 400
const REQUESTS = runs(SHORT)
/** Fixed for `npm test`, random for long runs. */
const SEED = Number(process.env.SEED ?? (REQUESTS > SHORT ? randomInt(2 ** 31) : 1))
const AT_ONCE = 8
/** Number of heap measurements in a run. After the first tenth, all code is warm. */
const MEASUREMENTS = 10
/**
 * Limit of the last third relative to the first: the app keeps an index of all IODs, including those created in
 * between.
 */
const HEAP_GROWTH = 1.1
/** Statuses of the contract: any other is a fault. */
const STATUSES = new Set([200, 201, 202, 204, 304, 400, 401, 403, 404, 409, 413, 414, 415, 422, 431])
const ADMIN = 'boss@example.org'

let mail: MailCatcher
let ai: AiProvider
let app: WatchedApp
beforeAll(async () => {
  mail = await startMailCatcher()
  ai = await startAiProvider()
  app = await startWatchedApp({
    SMTP_URL: mail.url,
    OPENAI_BASE_URL: ai.url,
    ADMIN_EMAILS: ADMIN,
    RATE_LIMITS: 'off',
  })
})
afterAll(async () => {
  await app?.stop()
  await ai?.stop()
  await mail?.stop()
})

type Role = 'anonymous' | 'user' | 'admin' | 'collector'
const ROLES: Role[] = ['anonymous', 'user', 'admin', 'collector']

const TRIPLETS = { triplets: [{ subject: 'they', verb: 'told', object: 'everybody' }] }

/** Creates one entity of each kind as the user over the API. */
const createContent = async ({ api }: SignedInUser) => {
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
  const { results } = await api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost(), tiktokPost()] },
  })
  const iod = await api.call(iodsApi.createIod, { body: iodInput() })
  const campaign = await api.call(campaignsApi.createCampaign, {
    body: { name: 'Theirs', description: 'as it was' },
  })
  const narrative = await api.call(narrativesApi.createNarrative, { body: { text: 'They told everybody.' } })
  const capture = await sealCapture(api.call, { text: 'They told everybody.' })
  return {
    capture: capture.id,
    records: results.map(result => ('id' in result ? result.id : '')),
    iod: iod.id,
    campaign: campaign.id,
    narrative: narrative.id,
  }
}
type ContentIds = Awaited<ReturnType<typeof createContent>>

/** Reads a user's data that no other user may change. All users may change votes, campaign members and techniques. */
const protectedData = async ({ api, id }: SignedInUser, contentIds: ContentIds) => {
  const {
    iod_count: _,
    iods: __,
    ...campaign
  } = await api.call(campaignsApi.getCampaign, {
    params: { id: contentIds.campaign },
  })
  const iods = await api.call(iodsApi.listIods, { query: { created_by: id } })
  return {
    campaign,
    profile: await api.call(profileApi.getProfile),
    records: await api.call(collectorApi.listRecords, { params: { source: 'tiktok' }, query: {} }),
    iods: iods.filter(each => each.created_by_id === id).map(({ votes: _, ...iod }) => iod),
    narratives: await api.call(narrativesApi.listNarratives, { query: {} }),
    captures: await api.call(capturesApi.listCaptures, { query: {} }),
    graph: await api.call(graphApi.getTriplets, { query: {} }),
    shown: await api.call(communityApi.getUser, { params: { id }, query: {} }),
  }
}

const fault = (shot: GeneratedRequest, answer: RawAnswer): string | undefined => {
  if (answer.status >= 500 || !STATUSES.has(answer.status)) return `status ${answer.status}`
  if (answer.status < 400 || shot.method === 'HEAD') return undefined
  let body: unknown
  try {
    body = JSON.parse(answer.body.toString())
  } catch {
    return `status ${answer.status} with a body that is no JSON: ${answer.body.toString().slice(0, 80)}`
  }
  const { detail, ...more } = Object(body) as { detail?: unknown }
  const isDetail =
    typeof detail === 'string' ||
    (Array.isArray(detail) && detail.length > 0 && detail.every(each => typeof each === 'string'))
  if (!isDetail || Object.keys(more).length > 0)
    return `status ${answer.status} with a body that is no detail: ${answer.body.toString().slice(0, 200)}`
  return /^application\/json/.test(answer.headers['content-type'] ?? '')
    ? undefined
    : `status ${answer.status} as ${answer.headers['content-type']}`
}

const show = (
  index: number,
  role: Role,
  { method, target, mutations, body }: GeneratedRequest,
  what: string,
) =>
  `#${index} ${role} ${method} ${target.toString('latin1').slice(0, 200)} [${mutations.join('; ')}] ${body?.length ?? 'no'} bytes: ${what}`

/** Expression for the property names of built-in prototypes: additional ones would indicate prototype pollution. */
const PROTOTYPES = `JSON.stringify([Object, Array, String, Function, Promise, Buffer].map(type => Object.getOwnPropertyNames(type.prototype).sort()))`

it(
  `${REQUESTS} hostile requests cause no fault, memory growth or change of others’ data`,
  async () => {
    console.log(`SEED=${SEED}`)
    ai.always(TRIPLETS)
    const anonymous = apiClient(app.url)
    const victim = await signUp({ url: app.url, mail })
    const theirs = await createContent(victim)
    const people = {
      user: await signUp({ url: app.url, mail }),
      admin: await signUp({ url: app.url, mail }, ADMIN),
      collector: await signUp({ url: app.url, mail }),
    }
    const own = await createContent(people.user)
    await createContent(people.admin)
    const document = await (await fetch(`${app.url}/api/v1/openapi.json`)).json()
    const operations: Operation[] = operationsOf(document)
    expect(operations.length).toBeGreaterThan(30)
    const iods = [own.iod, theirs.iod]
    const campaigns = [own.campaign, theirs.campaign]
    const captures = [own.capture, theirs.capture]
    const users = [victim.id, people.user.id]
    const known: KnownIds = {
      iods,
      users,
      ids: {
        '/iods/{id}/vote': iods,
        '/iods/{id}/evidence': iods,
        '/iods/{id}/evidence/import': iods,
        ...Object.fromEntries(
          ['', '/text', '/seal', '/wacz', '/blobs/{sha256}'].map(path => [`/captures/{id}${path}`, captures]),
        ),
        '/campaigns/{id}': campaigns,
        '/campaigns/{id}/statistics': campaigns,
        '/campaigns/{id}/export': campaigns,
        '/campaigns/{id}/sharing': campaigns,
        '/campaigns/{id}/kept': campaigns,
        '/campaigns/{id}/add-iod': campaigns,
        '/campaigns/{id}/add-iods': campaigns,
        '/campaigns/{id}/remove-iod': campaigns,
        '/campaigns/{id}/techniques': campaigns,
        '/campaigns/{id}/techniques/{tid}': campaigns,
        '/{source}/data/{id}': [...own.records, ...theirs.records],
        '/narratives/data/{id}': [own.narrative, theirs.narrative],
        '/narratives/data/{id}/citations': [own.narrative, theirs.narrative],
        '/narratives/data/{id}/restore': [own.narrative, theirs.narrative],
        '/community/users/{id}': users,
      },
    }
    await expect
      .poll(() => victim.api.call(communityApi.getUser, { params: { id: victim.id }, query: {} }), {
        timeout: 60_000,
      })
      .toMatchObject({ total_iods: 1, total_narratives: 1 })
    const before = await protectedData(victim, theirs)
    const prototypes = await app.evaluate<string>(PROTOTYPES)

    /** Tokens by role. Generated requests may end sessions: a user without a session signs in again. */
    const tokens: Partial<Record<Role, string>> = {}
    const collectorToken = async (api: ApiClient) => {
      const { code } = await api.call(authApi.generateExtensionCode)
      return (await anonymous.call(authApi.redeemExtensionCode, { body: { code } })).access_token
    }
    const signIn = async (role: Role) => {
      if (role === 'anonymous') return
      const { token, api } = await signUp({ url: app.url, mail }, people[role].email)
      tokens[role] = role === 'collector' ? await collectorToken(api) : token
    }
    for (const role of ROLES) await signIn(role)
    const signingIn: Partial<Record<Role, Promise<void>>> = {}
    const renew = (role: Role, used: string | undefined) => {
      if (tokens[role] !== used) return Promise.resolve()
      signingIn[role] ??= signIn(role).finally(() => delete signingIn[role])
      return signingIn[role]
    }

    const faults: string[] = []
    const counts: Record<string, number> = {}
    const heap: number[] = []
    const touched = new Map<string, number>()
    const send = async (index: number) => {
      const role = ROLES[index % ROLES.length] as Role
      const shot = generateRequest(operations, known, SEED, index)
      const token = tokens[role]
      if (token) shot.headers.push(['Authorization', `Bearer ${token}`])
      try {
        const answer = await exchange(app.url, shot)
        counts[answer.status] = (counts[answer.status] ?? 0) + 1
        const what = fault(shot, answer)
        if (what) faults.push(show(index, role, shot, what))
        if (answer.status === 401 && token) await renew(role, token)
        if (answer.status < 300) {
          const name = `${shot.operation.method} ${shot.operation.path}`
          touched.set(name, (touched.get(name) ?? 0) + 1)
        }
      } catch (error) {
        faults.push(show(index, role, shot, (error as Error).message))
      }
    }

    let next = 0
    for (let look = 1; look <= MEASUREMENTS; look++) {
      const end = Math.round((REQUESTS * look) / MEASUREMENTS)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (next < end) await send(next++)
        }),
      )
      heap.push((await app.memoryInUse()).heap)
    }
    const mib = heap.map(bytes => (bytes / 2 ** 20).toFixed(1))
    console.log(
      `${REQUESTS} requests; answers ${JSON.stringify(counts)}; ${touched.size} of ${operations.length} operations succeeded; heap in use, MiB: ${mib.join(' ')}`,
    )

    expect(faults).toEqual([])
    expect(await app.evaluate<string>(PROTOTYPES)).toBe(prototypes)
    expect(await app.evaluate('({}).polluted === undefined && [].polluted === undefined')).toBe(true)
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status).toBe(200)
    expect(await protectedData(victim, theirs)).toEqual(before)
    await signIn('user')
    const profile = await apiClient(app.url, tokens.user).call(profileApi.getProfile)
    expect(profile).toMatchObject({ id: people.user.id, is_admin: false })
    expect(app.output()).not.toMatch(/unhandled|uncaught|warning/i)
    // Enough requests must pass validation and authorization to test the code behind them.
    if (REQUESTS >= 2_000) {
      expect(touched.size).toBeGreaterThan(operations.length * 0.8)
      const mean = (bytes: number[]) => bytes.reduce((sum, each) => sum + each, 0) / bytes.length
      const third = Math.floor(MEASUREMENTS / 3)
      expect(mean(heap.slice(-third)) / mean(heap.slice(0, third))).toBeLessThan(HEAP_GROWTH)
    }
  },
  240_000 + REQUESTS * 100,
)
