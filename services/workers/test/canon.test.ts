import { authInternal, type BodyOf, canonInternal, DETAILS, type ResponseOf } from '@iodine/contracts'
import {
  createService,
  HttpError,
  type Part,
  readConfig,
  type Service,
  seal,
  serviceConfigSchema,
} from '@iodine/service-kit'
import {
  type AiEmbedding,
  type AiProvider,
  newId,
  type ServiceFixture,
  startAiProvider,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, workersConfigSchema } from '../src/index.js'

type Result = BodyOf<typeof canonInternal.applyCanon>
type Work = ResponseOf<typeof canonInternal.getCanonWork>

let fixture: ServiceFixture
let ai: AiProvider
let workers: Part
let producer: Service
/** Pending work of the narratives service, by user. */
const pending = new Map<string, Partial<Work> & { revision: number; texts: number }>()
const results: { user: string; result: Result }[] = []

const TRIPLETS = [
  { subject: 'Giant mirrors', verb: 'heat', object: 'Lake Varnel' },
  { subject: 'the giant mirrors', verb: 'heated', object: 'Lake Varnel' },
  { subject: 'Lake Varnel', verb: 'is heated by', object: 'giant mirrors' },
  { subject: 'Nobody', verb: 'asks', object: 'why' },
]
const RULES = [{ kind: 'entity' as const, a: 'lake varnel', b: 'nobody', relation: 'must' as const }]

const startWorkers = (settings: Record<string, string> = {}) => {
  const env = { ...fixture.env, SMTP_URL: 'smtp://127.0.0.1:1', OPENAI_BASE_URL: ai.url, ...settings }
  return createApp(readConfig(workersConfigSchema, env), fixture.deps)
}
beforeAll(async () => {
  ;[fixture, ai] = await Promise.all([startServiceFixture(), startAiProvider()])
  workers = await startWorkers()
  producer = await createService('producer', readConfig(serviceConfigSchema, fixture.env), fixture.deps)
})
afterAll(async () => {
  await workers?.close()
  await producer?.close()
  await ai?.stop()
  await fixture?.stop()
})
beforeEach(() => {
  results.length = 0
  fixture.answer(canonInternal.getCanonWork, ({ params }) => {
    const work = pending.get(params.user_id)
    if (!work) throw new HttpError(404, DETAILS.notFound)
    return { triplets: TRIPLETS, rules: RULES, ...work }
  })
  fixture.answer(canonInternal.applyCanon, ({ params, body }) => {
    results.push({ user: params.user_id, result: body })
    pending.delete(params.user_id)
    return { applied: true }
  })
})

const add = (user_id: string) =>
  producer.queues.add('canon', { user_id }, { jobId: `canon-${user_id}`, removeOnComplete: true })
const left = () => producer.queues.queue('canon').getJobCountByTypes('active', 'waiting', 'delayed')

describe('the labels of a user', () => {
  it('are clustered in a thread under the rules, without single labels', async () => {
    const user = newId()
    pending.set(user, { revision: 3, texts: 7 })
    await add(user)
    await expect.poll(() => results.length).toBe(1)
    const [{ result }] = results as [(typeof results)[number]]
    expect(result).toMatchObject({ revision: 3, texts: 7, method: 'offline' })
    const keys = (clusters: Result['entities']) => clusters.map(members => members.map(({ key }) => key))
    expect(keys(result.entities)).toEqual([
      ['giant mirrors', 'the giant mirrors'],
      ['lake varnel', 'nobody'],
    ])
    expect(keys(result.verbs)).toEqual([['heat', 'heated', 'is heated by']])
    expect(result.verbs[0]?.map(({ turned }) => turned)).toEqual([false, false, true])
  })

  it('are clustered again while work is pending, and only then', { tags: 'long' }, async () => {
    const [busy, idle] = [newId(), newId()]
    pending.set(busy, { revision: 0, texts: 1 })
    fixture.answer(canonInternal.applyCanon, ({ params, body }) => {
      results.push({ user: params.user_id, result: body })
      // The user has made a decision meanwhile.
      if (results.length < 2) pending.set(busy, { revision: results.length, texts: 1 })
      else pending.delete(busy)
      return { applied: false }
    })
    await add(idle)
    await add(busy)
    await expect.poll(() => results.map(({ result }) => result.revision)).toEqual([0, 1])
    await expect.poll(left).toBe(0)
    expect(results.map(({ user }) => user)).toEqual([busy, busy])
  })

  it('are clustered at a retry after an outage of the service', { tags: 'long' }, async () => {
    const user = newId()
    pending.set(user, { revision: 0, texts: 1 })
    let calls = 0
    fixture.answer(canonInternal.getCanonWork, () => {
      calls++
      if (calls === 1) throw new HttpError(503, DETAILS.unavailable)
      if (!pending.has(user)) throw new HttpError(404, DETAILS.notFound)
      return { revision: 0, texts: 1, triplets: TRIPLETS, rules: RULES }
    })
    await add(user)
    await expect.poll(() => results.length).toBe(1)
  })
})

describe('a comparison by meaning', () => {
  const KEY = 'sk-of-the-user'
  const keys = new Map<string, string>()
  beforeEach(() => {
    ai.embedded.length = 0
    fixture.answer(authInternal.getSealedAiKey, ({ params: { id } }) => ({ sealed: keys.get(id) ?? null }))
  })
  const SIMILAR_TRIPLETS = [
    { subject: 'the vaccine', verb: 'harms', object: 'children' },
    { subject: 'the jab', verb: 'harms', object: 'kids' },
    { subject: ' ', verb: 'harms', object: 'children' },
  ]
  const near = (text: string) => (['the jab', 'the vaccine'].includes(text) ? 0 : text.length)
  /** Returns equal vectors for the vaccine and the jab, and orthogonal ones for other texts. */
  const vectorOf = (text: string): number[] =>
    Array.from({ length: 256 }, (_, n) => Number(n === near(text)) * 0.5)

  const compare = async (answer: AiEmbedding, work: Partial<Work> = {}, key: string | null = KEY) => {
    const user = newId()
    if (key !== null) keys.set(user, seal(fixture.env.SECRETS_KEY ?? '', `ai-key:${user}`, key))
    ai.embed(answer)
    pending.set(user, {
      revision: 0,
      texts: 1,
      triplets: SIMILAR_TRIPLETS,
      rules: [],
      compare: true,
      ...work,
    })
    await add(user)
    await expect.poll(() => results.length, { timeout: 30_000 }).toBe(1)
    const [{ result }] = results as [(typeof results)[number]]
    return { ...result, entities: result.entities.map(members => members.map(({ key: label }) => label)) }
  }
  const JOINED = ['the jab', 'the vaccine']
  const expectWords = async (answer: AiEmbedding, failure: string) => {
    const alike = [{ kind: 'entity' as const, a: 'the jab', b: 'the vaccine' }]
    const { method, compared, entities } = await compare(answer, { alike })
    expect({ method, compared }).toEqual({ method: 'offline', compared: { failure } })
    // Earlier joins are kept.
    expect(entities).toEqual([JOINED])
  }

  it('sends only labels, with the user’s key, and joins similar ones', async () => {
    const { method, compared, entities } = await compare(vectorOf)
    expect({ method, compared }).toEqual({ method: 'embeddings', compared: { failure: null } })
    expect(entities).toEqual([JOINED])
    expect(ai.embedded.map(({ key, body }) => ({ key, ...body }))).toEqual([
      {
        key: KEY,
        model: 'text-embedding-3-small',
        input: ['children', 'kids', 'the jab', 'the vaccine', 'harms'],
        dimensions: 256,
        encoding_format: 'float',
      },
    ])
  })

  it('requests 512 labels per call', { tags: 'long' }, async () => {
    const triplets = Array.from({ length: 1_100 }, (_, n) => ({ subject: `s${n}`, verb: 'is', object: 'o' }))
    await compare(vectorOf, { triplets })
    // The calls run at the same time, so they arrive in any order.
    const sizes = ai.embedded.map(({ body }) => body.input.length)
    expect(sizes.sort((a, b) => b - a)).toEqual([512, 512, 78])
    expect(new Set(ai.embedded.flatMap(({ body }) => body.input)).size).toBe(1_102)
  })

  it('runs only on request', { tags: 'long' }, async () => {
    const { method, compared, entities } = await compare(vectorOf, { compare: false })
    expect({ method, compared, entities }).toEqual({ method: 'offline', compared: undefined, entities: [] })
    expect(ai.embedded).toEqual([])
  })

  it('keeps its result without another comparison', { tags: 'long' }, async () => {
    const alike = [{ kind: 'entity' as const, a: 'the jab', b: 'the vaccine' }]
    const { method, entities } = await compare('hang', { compare: false, alike })
    expect({ method, entities }).toEqual({ method: 'embeddings', entities: [JOINED] })
    expect(ai.embedded).toEqual([])
  })

  it.each<[string, AiEmbedding, string]>([
    ['a key that is refused', 'unauthorized', 'rejected_key'],
    ['a provider without embeddings', 'not-found', 'provider_failed'],
    ['vectors of another length', text => vectorOf(text).slice(1), 'provider_failed'],
  ])('falls back to words for %s, and reports it', async (_, answer, failure) => {
    await expectWords(answer, failure)
  })
  it.each<[string, AiEmbedding]>([
    ['values that are no vectors', () => 'x'],
    ['vectors of strings', text => vectorOf(text).map(String)],
  ])('falls back to words for %s, and reports it', { tags: 'long' }, async (_, answer) => {
    await expectWords(answer, 'provider_failed')
  })

  it('falls back to words if the provider times out', { tags: 'long' }, async () => {
    await workers.close()
    workers = await startWorkers({ EMBEDDINGS_TIMEOUT_MS: '300' })
    try {
      await expectWords('hang', 'provider_failed')
    } finally {
      await workers.close()
      workers = await startWorkers()
    }
  })

  it('falls back without a key and sends no request', async () => {
    const { method, compared } = await compare(vectorOf, {}, null)
    expect({ method, compared }).toEqual({ method: 'offline', compared: { failure: 'missing_key' } })
    expect(ai.embedded).toEqual([])
  })
})
