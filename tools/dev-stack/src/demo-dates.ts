import { authConfigSchema } from '@iodine/auth'
import { demoAccounts } from '@iodine/demo'
import { connectMongo, readConfig, rebuildPart, storeEntries } from '@iodine/service-kit'
import { keptServices } from './services.js'
import type { Stack } from './stack.js'

const DAY_MS = 86_400_000
const VOTES_DAYS = 10
/** Waves of posts, so that charts are not flat. */
const WAVES = 3

/** Returns evenly distributed numbers from 0 to 1: multiples of the golden ratio. */
const fraction = (n: number): number => (n * 0.618_033_988_75) % 1

type Connection = Awaited<ReturnType<typeof connectMongo>>

const oldest = { created_at: 1, _id: 1 } as const

interface Dated {
  _id: unknown
  created_at: Date
}

/** Returns what finds the content of the demo's accounts since a time, and what dates it over the last days. */
const demoContent = (ids: readonly unknown[], since: Date, days: number) => {
  const end = Date.now()
  const start = end - days * DAY_MS
  /** Returns the creation time of the n-th of `all` entities, the first of which may begin later than the period. */
  const timeOf = (n: number, all: number, from = start): Date => {
    const share = (n + fraction(n)) / all
    const wave = share + 0.05 * Math.sin(2 * Math.PI * WAVES * share)
    return new Date(from + Math.min(0.999, Math.max(0, wave)) * (end - from))
  }
  const madeBy = (field: string) => ({ [field]: { $in: ids }, created_at: { $gte: since } })
  return { ids, since, start, end, timeOf, madeBy }
}
type DemoContent = ReturnType<typeof demoContent>

/** Spreads the texts; returns them, and their creation times by the ids of their triplets. */
const spreadNarratives = async (narratives: Connection, { madeBy, timeOf }: DemoContent) => {
  const ofNarratives = narratives.collection('narratives')
  const made = await ofNarratives
    .find({ ...madeBy('user_id'), state: 'done' })
    .sort(oldest)
    .toArray()
  const texts: Dated[] = []
  const byTriplet = new Map<number, Date>()
  for (const [n, { _id, triplets }] of made.entries()) {
    const created_at = timeOf(n, made.length)
    await ofNarratives.updateOne({ _id }, { $set: { created_at } })
    for (const { id } of triplets) byTriplet.set(id, created_at)
    texts.push({ _id, created_at })
  }
  return { texts, byTriplet }
}

/** Spreads the IODs and their votes; returns the IODs. An IOD of a triplet has the creation time of its text. */
const spreadIods = async (
  iods: Connection,
  { madeBy, timeOf, end }: DemoContent,
  byTriplet: ReadonlyMap<number, Date>,
): Promise<Dated[]> => {
  const ofIods = iods.collection('iods')
  const made = await ofIods.find(madeBy('created_by')).sort(oldest).toArray()
  const untied = made.filter(({ source_id }) => !byTriplet.has(source_id)).map(({ _id }) => _id)
  const dated: Dated[] = []
  for (const [n, { _id, source_id, votes }] of made.entries()) {
    const created_at = byTriplet.get(source_id) ?? timeOf(untied.indexOf(_id), untied.length)
    const voted = Math.min(VOTES_DAYS * DAY_MS, end - created_at.getTime())
    const cast = votes.map((vote: Dated, at: number) => ({
      ...vote,
      created_at: new Date(created_at.getTime() + voted * ((at + fraction(n + at)) / votes.length) ** 2),
    }))
    await ofIods.updateOne({ _id }, { $set: { created_at, votes: cast, revision: new Date() } })
    dated.push({ _id, created_at })
  }
  return dated
}

/** Spreads the records, and asks for their comparison with the IODs. */
const spreadRecords = async (collector: Connection, { ids, since, start, end, timeOf }: DemoContent) => {
  const ofRecords = collector.collection('records')
  for (const owner of ids) {
    const stored = await ofRecords
      .find({ user_id: owner, created_at: { $gte: since } }, { projection: { fetched_at: 1 } })
      .sort({ fetched_at: 1, _id: 1 })
      .toArray()
    // The demo's posts have fixed dates: none is stored before it was fetched.
    const fetched = stored.map(each => Math.min(end, each.fetched_at.getTime()))
    const from = Math.max(start, fetched[0] ?? start)
    for (const [n, { _id }] of stored.entries()) {
      const created_at = new Date(Math.max(timeOf(n, stored.length, from).getTime(), fetched[n] ?? from))
      const change = { created_at, changed_at: new Date(), novelty: 'pending' }
      await ofRecords.updateOne({ _id }, { $set: change })
    }
  }
  // Which of the IODs existed depends on the dates of both.
  const owners = ids.map(id => ({ kind: 'records.compared', payload: { id: String(id) }, key: String(id) }))
  await storeEntries(collector, owners)
}

const spreadCampaigns = async (campaigns: Connection, { madeBy, timeOf }: DemoContent) => {
  const ofCampaigns = campaigns.collection('campaigns')
  const named = await ofCampaigns.find(madeBy('created_by')).sort(oldest).toArray()
  for (const [n, { _id }] of named.entries())
    await ofCampaigns.updateOne({ _id }, { $set: { created_at: timeOf(n, named.length) } })
}

/**
 * Spreads the creation times of the demo's content over the last days, and its votes after them. Writes to the databases,
 * since no request may set a creation time. Changes only content of the demo's accounts since the fill began. Audit log,
 * captures and evidence keep their sealed times.
 */
export const spreadDates = async ({ parts, dataDir }: Stack, since: Date, days: number): Promise<void> => {
  const { MONGODB_URI, MONGODB_PREFIX } = readConfig(authConfigSchema, parts.auth.env)
  const open = (name: string) => connectMongo(MONGODB_URI, `${MONGODB_PREFIX}_${name}`)
  const [auth, collector, iods, narratives, campaigns, community] = await Promise.all(
    ['auth', 'collector', 'iods', 'narratives', 'campaigns', 'community'].map(open),
  )
  if (!auth || !collector || !iods || !narratives || !campaigns || !community) return
  try {
    const names = demoAccounts.map(({ username }) => username)
    const ids = await auth.collection('users').distinct('_id', { username: { $in: names } })
    const demo = demoContent(ids, since, days)
    const { texts, byTriplet } = await spreadNarratives(narratives, demo)
    const contributed = [...texts, ...(await spreadIods(iods, demo, byTriplet))]
    await spreadRecords(collector, demo)
    await spreadCampaigns(campaigns, demo)
    for (const { _id, created_at } of contributed)
      await community.collection('contributions').updateOne({ _id: _id as never }, { $set: { created_at } })
    // Counts by day, and the first and last days of clusters, depend on the narratives.
    const services = keptServices(dataDir)
    if (services) await rebuildPart('narratives', services)
    await narratives.collection('canon').updateMany({ _id: { $in: ids } }, { $inc: { texts: 1 } })
    await storeEntries(
      narratives,
      ids.map(String).map(id => ({ kind: 'canon', payload: { id }, key: id })),
    )
  } finally {
    await Promise.all([auth, collector, iods, narratives, campaigns, community].map(each => each.close()))
  }
}
