import { setTimeout as sleep } from 'node:timers/promises'
import {
  authApi,
  campaignsApi,
  collectorApi,
  communityApi,
  type EndpointSpec,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
  requestTarget,
} from '@iodine/contracts'
import { iodInput, seededRandom, tiktokPost } from '@iodine/test-kit'
import { Agent, request } from 'undici'
import { atOnce } from './measure.js'

/** A running product, and how its sign-in links are taken. */
export interface Target {
  url: string
  /** The link in the newest mail to an address; waits for it. */
  mailedLink(to: string): Promise<string>
}

interface Person {
  token: string
  id: string
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
 * So many people at work in the product for a while: what the pages ask for as they are opened, filtered and used, with a
 * second of reading in between.
 */
export const startAnalysts = async (target: Target, count: number) => {
  const agent = new Agent({ connections: 256 })
  const random = seededRandom(50)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let samples: Sample[] = []

  const ask = async (
    endpoint: EndpointSpec,
    {
      person,
      params,
      query = {},
      body,
    }: {
      person?: Person
      params?: Record<string, string>
      query?: Record<string, string>
      body?: unknown
    } = {},
    // biome-ignore lint/suspicious/noExplicitAny: a bench looks into bodies of every shape
  ): Promise<any> => {
    const path = `/api/v1${requestTarget(endpoint, { params, query })}`
    const from = performance.now()
    const answer = await request(`${target.url}${path}`, {
      method: endpoint.method,
      dispatcher: agent,
      headers: {
        ...(person && { authorization: `Bearer ${person.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    // A filter makes another route of it.
    const route = `${endpoint.method} ${endpoint.path}${query.q ? ' ?q' : ''}`
    samples.push({ route, ms: performance.now() - from, status: answer.statusCode })
    return JSON.parse(text)
  }

  const people: Person[] = []
  await atOnce(count, 5, async index => {
    const email = `analyst${index}@load.example`
    await ask(authApi.requestMagicLink, { body: { email } })
    const token = new URL(await target.mailedLink(email)).searchParams.get('token')
    const { access_token } = await ask(authApi.verifyMagicLink, { body: { token } })
    const person = { token: access_token, id: '' }
    const named = await ask(profileApi.setupUsername, { person, body: { username: `analyst${index}x` } })
    await ask(profileApi.updateOpenaiKey, { person, body: { api_key: 'sk-load' } })
    person.id = named.id
    people.push(person)
  })
  const iods: string[] = []
  await atOnce(IODS, 16, async index => {
    const body = iodInput({ value: `${pick(WORDS)} ${pick(WORDS)} ${index}`, description: pick(WORDS) })
    iods.push((await ask(iodsApi.createIod, { person: pick(people), body })).id)
  })
  const ingest = (person: Person, size: number) =>
    ask(collectorApi.ingestRecords, {
      person,
      params: { source: 'tiktok' },
      body: {
        records: Array.from({ length: size }, () => tiktokPost({ description: `${pick(WORDS)} news` })),
      },
    })
  await atOnce(count, 4, index => ingest(people[index] as Person, RECORDS_EACH))
  const campaigns: string[] = []
  for (let n = 0; n < CAMPAIGNS; n++) {
    const person = pick(people)
    const { id } = await ask(campaignsApi.createCampaign, { person, body: { name: `campaign ${n}` } })
    campaigns.push(id)
    for (let m = 0; m < MEMBERS; m++)
      await ask(campaignsApi.addIod, { person, params: { id }, body: { iod_id: pick(iods) } })
  }
  let texts = 0
  const analyze = (person: Person) =>
    ask(narrativesApi.createNarrative, { person, body: { text: TEXT, src: `load/${texts++}` } })
  await atOnce(count, 8, index => analyze(people[index] as Person))

  /** By and large a working day: much looking, some searching, a little writing. */
  const mix: [number, (person: Person) => Promise<unknown>][] = [
    [
      22,
      person =>
        Promise.all([
          ask(iodsApi.listIods, { person, query: { limit: '50' } }),
          ask(iodsApi.getIodFacets, { person }),
        ]),
    ],
    [
      12,
      person => {
        const query = { q: pick(WORDS) }
        return Promise.all([
          ask(iodsApi.listIods, { person, query: { ...query, limit: '50' } }),
          ask(iodsApi.getIodFacets, { person, query }),
        ])
      },
    ],
    [
      10,
      person => ask(iodsApi.voteIod, { person, params: { id: pick(iods) }, body: { vote_type: 'POSITIVE' } }),
    ],
    [5, person => ask(iodsApi.createIod, { person, body: iodInput() })],
    [
      10,
      async person => {
        const params = { source: 'tiktok' }
        await ask(collectorApi.listRecords, { person, params, query: { limit: '50' } })
        await ask(iodsApi.lookupIods, { person, body: { values: WORDS } })
      },
    ],
    [5, person => ingest(person, 10)],
    [8, person => ask(campaignsApi.listCampaigns, { person, query: { limit: '50' } })],
    [8, person => ask(campaignsApi.getCampaign, { person, params: { id: pick(campaigns) } })],
    [
      2,
      person =>
        ask(campaignsApi.addIod, { person, params: { id: pick(campaigns) }, body: { iod_id: pick(iods) } }),
    ],
    [4, person => ask(narrativesApi.listNarratives, { person, query: { limit: '50' } })],
    [2, analyze],
    [5, person => ask(graphApi.getTriplets, { person, query: { limit: '500' } })],
    [4, person => ask(communityApi.listUsers, { person, query: { limit: '20' } })],
    [3, person => ask(communityApi.getUser, { person, params: { id: pick(people).id } })],
    [3, person => ask(profileApi.getProfile, { person })],
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
    /** Lets them work for so long; the samples of that time. */
    async work(ms: number): Promise<Sample[]> {
      samples = []
      const until = Date.now() + ms
      await Promise.all(
        people.map(async person => {
          await sleep(random() * 1_000)
          while (Date.now() < until) {
            await act(person)
            await sleep(500 + random() * 1_000)
          }
        }),
      )
      return samples
    },
    close: () => agent.close(),
  }
}
