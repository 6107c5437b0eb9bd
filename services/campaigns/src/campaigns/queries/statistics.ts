import {
  type CampaignStatistics,
  type IodCounts,
  iodsInternal,
  LIMITS,
  type ResponseOf,
} from '@iodine/contracts'
import { notFound, type Peers } from '@iodine/service-kit'
import type { CampaignDoc, CampaignModel, CountedMembers } from '../models/campaign.js'

/** Numbers of this age are counted from nothing, as a restored database or a wrong clock may falsify them. */
const TRUSTED_MS = 24 * 3_600_000
type Counts = ResponseOf<typeof iodsInternal.countIods>

interface Counted {
  doc: CampaignDoc
  statistics: CampaignStatistics
  /** Numbers that the next count may begin with. */
  counted: CountedMembers
  /** Members and votes that the stored numbers lack. */
  changes: number
}

/**
 * Counts a campaign's statistics, as of some time during the call.
 * @throws HttpError 404, or 503 while the iods service is down
 *
 * The stored numbers are of the first members, and of votes until some time. Members are only appended, votes
 * only added, and an IOD's kind never changes. So the iods service is asked about the rest alone: newer
 * members, removed ones, and newer votes.
 */
export const countStatistics = async (model: CampaignModel, peers: Peers, id: string): Promise<Counted> => {
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
 * What a campaign's count begins with: the stored numbers, if they can be trusted and few votes are newer, or
 * else nothing. `voted` lists the IODs, of any campaign, with newer votes until `until`, and later ones. Times
 * are of the clock that dates votes, that of the iods service's database.
 */
const findBase = async (peers: Peers, { counted }: CampaignDoc) => {
  const body = { since: counted?.until.toISOString() ?? null }
  const newest = await peers.call('iods', iodsInternal.votesSince, { body })
  const until = new Date(newest.until)
  if (counted && newest.complete && until.getTime() - counted.begun.getTime() < TRUSTED_MS)
    return { base: counted, until, voted: newest.iods }
  const none = { categories: {}, source_types: {}, votes: 0 }
  const base: CountedMembers = { members: 0, removed: [], until, begun: until, ...none }
  return { base, until, voted: [] }
}

/** Counts IODs a batch at a time, so that other queries come in between. */
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
/** Adds numbers by name and subtracts others. Names with 0 are left out. */
const addUp = (some: Numbers, more: Numbers, less: Numbers = {}): Numbers => {
  const names = new Set([...Object.keys(some), ...Object.keys(more)])
  const sums = [...names].map((name): [string, number] => [
    name,
    (some[name] ?? 0) + (more[name] ?? 0) - (less[name] ?? 0),
  ])
  return Object.fromEntries(sums.filter(([, n]) => n !== 0))
}
