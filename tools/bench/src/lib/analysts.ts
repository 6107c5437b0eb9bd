import { setTimeout as sleep } from 'node:timers/promises'
import {
  API_BASE,
  ApiError,
  type Client,
  campaignsApi,
  collectorApi,
  communityApi,
  createClient,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
} from '@iodine/contracts'
import { iodInput, seededRandom, signUp, tiktokPost } from '@iodine/test-kit'
import { Agent, fetch } from 'undici'
import { atOnce } from './measure.js'

/** A running product and the inbox of its sign-in links. */
export type Target = Parameters<typeof signUp>[0]

interface Person {
  id: string
  /** Calls an endpoint of the contract and records a sample. */
  call: Client['call']
}

export interface Sample {
  route: string
  ms: number
  status: number
}

const RECORDS_EACH = 100
const IODS = 2_000
const CAMPAIGNS = 20
const MEMBERS = 25
const WORDS = ['lake', 'mirror', 'number', 'letter', 'engineer', 'vaccine', 'harbour', 'election']
const TEXT =
  'Mirrors heat the lake. Engineers hide mirrors at night. Officials deny the numbers. Reporters count every letter.'

/**
 * Simulates `count` analysts, who send the requests of opening, filtering and using pages, with a second of reading in
 * between.
 */
export const startAnalysts = async (target: Target, count: number) => {
  const agent = new Agent({ connections: 256 })
  const random = seededRandom(50)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let samples: Sample[] = []

  const callAs = (token: string): Client['call'] => {
    const { call } = createClient(
      (path, sent) => fetch(target.url + API_BASE + path, { ...sent, dispatcher: agent }),
      { token: () => token },
    )
    return async (endpoint, ...[input]) => {
      // A search counts as a separate route.
      const isSearch = (input as { query?: { q?: string } } | undefined)?.query?.q
      const route = `${endpoint.method} ${endpoint.path}${isSearch ? ' ?q' : ''}`
      const from = performance.now()
      const note = (status: number) => void samples.push({ route, ms: performance.now() - from, status })
      try {
        const body = await call(endpoint, ...([input] as never))
        note(endpoint.status ?? 200)
        return body
      } catch (error) {
        if (error instanceof ApiError) note(error.status)
        throw error
      }
    }
  }

  const people: Person[] = []
  await atOnce(count, 5, async index => {
    const { id, token } = await signUp(target, `analyst${index}@load.example`, `analyst${index}x`)
    const call = callAs(token)
    await call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-load' } })
    people.push({ id, call })
  })
  const iods: string[] = []
  await atOnce(IODS, 16, async index => {
    const body = iodInput({ value: `${pick(WORDS)} ${pick(WORDS)} ${index}`, description: pick(WORDS) })
    iods.push((await pick(people).call(iodsApi.createIod, { body })).id)
  })
  const params = { source: 'tiktok' } as const
  const ingest = ({ call }: Person, size: number) => {
    const records = Array.from({ length: size }, () => tiktokPost({ description: `${pick(WORDS)} news` }))
    return call(collectorApi.ingestRecords, { params, body: { records } })
  }
  await atOnce(count, 4, index => ingest(people[index] as Person, RECORDS_EACH))
  const campaigns: string[] = []
  for (let n = 0; n < CAMPAIGNS; n++) {
    const { call } = pick(people)
    const { id } = await call(campaignsApi.createCampaign, { body: { name: `campaign ${n}` } })
    campaigns.push(id)
    for (let m = 0; m < MEMBERS; m++)
      await call(campaignsApi.addIod, { params: { id }, body: { iod_id: pick(iods) } })
  }
  let texts = 0
  const analyze = ({ call }: Person) =>
    call(narrativesApi.createNarrative, { body: { text: TEXT, src: `load/${texts++}` } })
  await atOnce(count, 8, index => analyze(people[index] as Person))

  const list = ({ call }: Person, query = {}) =>
    Promise.all([
      call(iodsApi.listIods, { query: { ...query, limit: '50' } }),
      call(iodsApi.getIodFacets, { query }),
    ])
  const vote = { vote_type: 'POSITIVE' } as const
  /** Approximates a working day: mostly reading, some searches, few writes. */
  const mix: [number, (person: Person) => Promise<unknown>][] = [
    [22, person => list(person)],
    [12, person => list(person, { q: pick(WORDS) })],
    [10, ({ call }) => call(iodsApi.voteIod, { params: { id: pick(iods) }, body: vote })],
    [5, ({ call }) => call(iodsApi.createIod, { body: iodInput() })],
    [
      10,
      async ({ call }) => {
        await call(collectorApi.listRecords, { params, query: { limit: '50' } })
        await call(iodsApi.lookupIods, { body: { values: WORDS } })
      },
    ],
    [5, person => ingest(person, 10)],
    [8, ({ call }) => call(campaignsApi.listCampaigns, { query: { limit: '50' } })],
    [8, ({ call }) => call(campaignsApi.getCampaign, { params: { id: pick(campaigns) } })],
    [
      2,
      ({ call }) =>
        call(campaignsApi.addIod, { params: { id: pick(campaigns) }, body: { iod_id: pick(iods) } }),
    ],
    [4, ({ call }) => call(narrativesApi.listNarratives, { query: { limit: '50' } })],
    [2, analyze],
    [5, ({ call }) => call(graphApi.getTriplets, { query: { limit: '500' } })],
    [4, ({ call }) => call(communityApi.listUsers, { query: { limit: '20' } })],
    [3, ({ call }) => call(communityApi.getUser, { params: { id: pick(people).id } })],
    [3, ({ call }) => call(profileApi.getProfile)],
  ]
  const total = mix.reduce((sum, [weight]) => sum + weight, 0)
  const act = (person: Person) => {
    let at = random() * total
    for (const [weight, action] of mix) {
      at -= weight
      if (at < 0) return action(person)
    }
  }
  return {
    /** Runs the load of the first `number` analysts for `ms`. Resolves to the samples of that time. */
    async work(ms: number, number: number): Promise<Sample[]> {
      samples = []
      const until = Date.now() + ms
      await Promise.all(
        people.slice(0, number).map(async person => {
          await sleep(random() * 1_000)
          while (Date.now() < until) {
            await act(person)?.catch(error => {
              // An error status is also a sample.
              if (!(error instanceof ApiError && error.status)) throw error
            })
            await sleep(500 + random() * 1_000)
          }
        }),
      )
      return samples
    },
    close: () => agent.close(),
  }
}
