import {
  API_BASE,
  ApiError,
  adminApi,
  authApi,
  type Client,
  campaignsApi,
  collectorApi,
  createClient,
  type Iod,
  iodsApi,
  narrativesApi,
  profileApi,
  SOURCES,
} from '@iodine/contracts'
import { demoAccounts } from './accounts.js'
import { captureDemo, quoteDemo, quoteTriplet } from './captures.js'
import { discuss } from './comments.js'
import { demoCampaigns, demoIods } from './iods.js'
import { demoNarratives } from './narratives.js'
import { demoRecords } from './records.js'
import { addTechniques } from './techniques.js'
import { watchDemo } from './watches.js'

export interface DemoTarget {
  /** Base URL of the app. */
  url: string
  adminEmail: string
  /** Creates a sign-in token for the email address, without sending an email. */
  signInToken: (email: string) => Promise<string>
}

/** API key of the demo accounts: the offline provider accepts any key. */
const AI_KEY = 'sk-demo-not-a-real-key'
const AT_ONCE = 4
const BETA_CODES = [undefined, 'guest@iodine.example', 'visitor@iodine.example', undefined]
/** Maximum number of the first account's triplets that become IODs. */
const TRIPLET_IODS = 6

type Call = Client['call']

const callAs = (url: string, token?: string): Call =>
  createClient((target, request) => fetch(url + API_BASE + target, request), { token: () => token }).call

/** Ignores a conflict (409): the entity already exists. */
const ignoreConflict = async (work: Promise<unknown>): Promise<void> => {
  await work.catch(error => {
    if (!(error instanceof ApiError && error.status === 409)) throw error
  })
}

const inParallel = async <T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>) => {
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) await work(item, index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Signs an account in with a sign-in token. Resolves to its access token and client. */
export const signInDemo = async (
  { url, signInToken }: Pick<DemoTarget, 'url' | 'signInToken'>,
  email: string,
): Promise<{ token: string; call: Call }> => {
  const { access_token: token } = await callAs(url)(authApi.verifyMagicLink, {
    body: { token: await signInToken(email) },
  })
  return { token, call: callAs(url, token) }
}

/** Returns a deterministic pseudo-random number from 0 to 1. */
const chance = (a: number, b: number): number => ((a * 73 + b * 151 + a * b * 29) % 101) / 101

/**
 * Fills a running app with accounts and content through its public API. Idempotent: existing content stays unchanged,
 * so that an interrupted fill can be repeated. `say` receives progress messages.
 * @throws ApiError if a request fails
 */
export const fillDemo = async (target: DemoTarget, say: (line: string) => void): Promise<void> => {
  const { adminEmail } = target
  const emails = demoAccounts.map(({ email }) => email ?? adminEmail)
  const signIn = async (email: string) => (await signInDemo(target, email)).call
  const admin = await signIn(adminEmail)
  const people: Call[] = []
  for (const email of emails) people.push(email === adminEmail ? admin : await signIn(email))
  const [first] = people as [Call]
  await inParallel(demoAccounts, async ({ username, collected }, index) => {
    const call = people[index] as Call
    const profile = await call(profileApi.getProfile)
    if (!profile.username) await ignoreConflict(call(profileApi.setupUsername, { body: { username } }))
    if (!profile.has_openai_key) await call(profileApi.updateOpenaiKey, { body: { api_key: AI_KEY } })
    for (const source of SOURCES) {
      const records = demoRecords[source].slice(0, Math.round(demoRecords[source].length * collected))
      if (records.length > 0)
        await call(collectorApi.ingestRecords, { params: { source }, body: { records } })
    }
  })
  const codes = await admin(adminApi.listBetaCodes)
  if (codes.length === 0)
    for (const email of BETA_CODES)
      await admin(adminApi.createBetaCode, { body: { ...(email && { email }) } })

  say('Filling in the demo: IODs and campaigns …')
  await inParallel(demoIods, ({ story: _, ...body }, index) =>
    ignoreConflict((people[index % people.length] as Call)(iodsApi.createIod, { body })),
  )
  const iods = await first(iodsApi.listIods)
  const found = demoIods.flatMap(demo => {
    const iod = iods.find(({ value, category }) => value === demo.value && category === demo.category)
    return iod ? [{ demo, iod }] : []
  })
  const known = new Set((await first(campaignsApi.listCampaigns)).map(({ name }) => name))
  for (const { name, description, by, includes, techniques } of demoCampaigns) {
    if (known.has(name)) continue
    const call = people[by] as Call
    const { id } = await call(campaignsApi.createCampaign, { body: { name, description } })
    for (const { demo, iod } of found)
      if (includes(demo)) await call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod.id } })
    for (const tid of techniques) await call(campaignsApi.addTechnique, { params: { id, tid } })
  }
  await addTechniques(first)

  say('Filling in the demo: discussions, captures and evidence …')
  await watchDemo(people, iods)
  await discuss(people, iods)
  await quoteDemo(people, await captureDemo(people), iods, ignoreConflict)

  say('Filling in the demo: narratives …')
  await extract(people)
  const narratives = await first(narrativesApi.listNarratives)
  const triplets = narratives.flatMap(narrative =>
    narrative.triplets.slice(0, 1).map(triplet => ({ narrative, ...triplet })),
  )
  const chosen = triplets.slice(0, TRIPLET_IODS)
  for (const { id, subject, verb, object, narrative_data } of chosen)
    await ignoreConflict(
      first(iodsApi.createIod, {
        body: {
          value: `${subject} ${verb} ${object}`,
          category: 'NARRATIVE_TRIPLET',
          description: `Narrative triplet: ${subject} → ${verb} → ${object}`,
          source_type: 'NARRATIVES',
          source: narrative_data.src,
          source_id: id,
        },
      }),
    )
  const all = await first(iodsApi.listIods)
  for (const { narrative, id } of chosen) {
    const iod = all.find(({ source_type, source_id }) => source_type === 'NARRATIVES' && source_id === id)
    if (iod) await quoteTriplet(first, iod, narrative, id, ignoreConflict)
  }
  say('Filling in the demo: votes …')
  await vote(people, all)
}

/** Votes on most IODs as most accounts, mostly in favour. The first account leaves IODs for the demo's user. */
const vote = async (people: readonly Call[], iods: readonly Iod[]): Promise<void> => {
  const ballots = iods.flatMap((iod, n) =>
    people.map((call, person) => ({
      call,
      iod,
      cast: chance(n, person),
      agrees: chance(n + 7, 3) + chance(person, n),
    })),
  )
  await inParallel(
    ballots.filter(({ cast, call }) => cast < (call === people[0] ? 0.4 : 0.7)),
    ({ call, iod, agrees }) =>
      ignoreConflict(
        call(iodsApi.voteIod, {
          params: { id: iod.id },
          body: { vote_type: agrees < 1.3 ? 'POSITIVE' : 'NEGATIVE' },
        }),
      ),
  )
}

/** Submits the accounts' texts for extraction through the queue. */
const extract = async (people: readonly Call[]): Promise<void> => {
  const known = await Promise.all(
    people.map(async call => new Set((await call(narrativesApi.listNarratives)).map(({ text }) => text))),
  )
  const missing = demoNarratives.filter(({ by, text }) => !known[by]?.has(text))
  await inParallel(missing, ({ by, text, src }) =>
    (people[by] as Call)(narrativesApi.createNarrative, { body: { text, src } }),
  )
}
