import {
  type CampaignStatistics,
  type IodCounts,
  iodsInternal,
  LIMITS,
  type ResponseOf,
} from '@iodine/contracts'
import { notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel, CountedMembers } from '../models/campaign.js'

/** Maximum age of stored counts: a restored database or a wrong clock may falsify them. */
const MAX_AGE_MS = 24 * 3_600_000
type Counts = ResponseOf<typeof iodsInternal.countIods>

interface CountResult {
  doc: CampaignDoc
  statistics: CampaignStatistics
  /** Counts that the next call may begin with. */
  counted: CountedMembers
  /** Number of added members, removed members and IODs with new votes that the stored counts lack. */
  changes: number
}

/**
 * Counts a campaign's statistics, as of some time during the call.
 * @throws HttpError 404, or 503 while the iods service is down
 *
 * The stored counts cover the first members, and votes up to a time. Members are only appended, votes only added, and
 * an IOD's kind never changes. So the iods service counts only newer members, removed members and newer votes.
 */
export const countStatistics = async (
  model: CampaignModel,
  peers: Peers,
  id: string,
): Promise<CountResult> => {
  const doc = await model.findById(id).select('+iod_ids +counted +removals').lean<CampaignDoc>()
  if (!doc) throw notFound()
  const { base, until, voted } = await findBase(peers, doc)
  const ids = (doc.iod_ids ?? []).map(each => each.toHexString())
  const newer = ids.slice(base.members)
  const removed = base.removed.map(each => each.toHexString())
  const [added, taken] = await Promise.all([
    countIods(peers, newer, until),
    countIods(peers, removed, base.until),
  ])
  const known = new Set(voted.length > 0 ? ids.slice(0, base.members) : [])
  const votes = voted.filter(each => known.has(each.id))
  const counted: CountedMembers = {
    members: ids.length,
    removed: [],
    until,
    begun: base.begun,
    categories: addUp(base.categories, added.categories, taken.categories),
    source_types: addUp(base.source_types, added.source_types, taken.source_types),
    votes: base.votes + sum(votes, 'votes') + added.votes - taken.votes,
  }
  return {
    doc,
    statistics: {
      iod_count: doc.iod_count,
      categories: counted.categories,
      source_types: counted.source_types,
      votes: counted.votes + sum(votes, 'later') + added.later,
      comments: 0,
    },
    counted,
    changes: newer.length + removed.length + voted.length,
  }
}

/**
 * Returns the base of a count: the stored counts if they are recent and few votes are newer, else zero counts. `voted`
 * lists the IODs of all campaigns with newer votes: their numbers up to `until`, and later. Times are by the clock of
 * the iods service's database, which dates votes.
 */
const findBase = async (peers: Peers, { counted }: CampaignDoc) => {
  const body = { since: counted?.until.toISOString() ?? null }
  const newest = await peers.call('iods', iodsInternal.votesSince, { body })
  const until = new Date(newest.until)
  if (counted && newest.complete && until.getTime() - counted.begun.getTime() < MAX_AGE_MS)
    return { base: counted, until, voted: newest.iods }
  const none = { categories: {}, source_types: {}, votes: 0 }
  const base: CountedMembers = { members: 0, removed: [], until, begun: until, ...none }
  return { base, until, voted: [] }
}

/** Counts IODs in batches, so that other queries run in between. */
const countIods = async (peers: Peers, ids: string[], until: Date): Promise<Counts> => {
  let counts: Counts = { categories: {}, source_types: {}, votes: 0, later: 0 }
  for (let at = 0; at < ids.length; at += LIMITS.campaignBatch) {
    const body = { ids: ids.slice(at, at + LIMITS.campaignBatch), until: until.toISOString() }
    const batch = await peers.call('iods', iodsInternal.countIods, { body })
    counts = {
      categories: addUp(counts.categories, batch.categories),
      source_types: addUp(counts.source_types, batch.source_types),
      votes: counts.votes + batch.votes,
      later: counts.later + batch.later,
    }
  }
  return counts
}

const sum = <K extends string>(items: Record<K, number>[], key: K): number =>
  items.reduce((total, item) => total + item[key], 0)

type Numbers = IodCounts['categories']
/** Returns the sums of numbers by name, minus `less`. Names with a sum of 0 are omitted. */
const addUp = (some: Numbers, more: Numbers, less: Numbers = {}): Numbers => {
  const names = new Set([...Object.keys(some), ...Object.keys(more)])
  const sums = [...names].map((name): [string, number] => [
    name,
    (some[name] ?? 0) + (more[name] ?? 0) - (less[name] ?? 0),
  ])
  return Object.fromEntries(sums.filter(([, n]) => n !== 0))
}
