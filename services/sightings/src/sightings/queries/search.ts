import {
  foldValue,
  LIMITS,
  MATCHES,
  type Match,
  type Sighting,
  type SightingResults,
  type SightingSearch,
} from '@iodine/contracts'
import { invalid } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import type { Context } from '../../context.js'
import type { SightingDoc } from '../models/sighting.js'
import { edgesOf } from '../presenters/edges.js'
import { type Found, findMatches, type Scope, type VisibleSighting } from './candidates.js'
import { createFindQuotes, type FindQuotes, openRecords } from './open-records.js'
import { questionOf } from './question.js'

const DAY_MS = 24 * 3_600_000
/** Maximum number of accounts with their first sighting in a response. */
const FIRSTS_MAX = 500

/** Returns the end of a time's day (UTC). Anonymous sightings show only this, to hide when they were collected. */
const endOfDay = (time: Date): Date => new Date((Math.floor(time.getTime() / DAY_MS) + 1) * DAY_MS)

const byTime = (a: VisibleSighting, b: VisibleSighting) =>
  a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1)

/** Keeps one sighting per post: the user's own, else one with a username, else the one collected first. */
const onePerPost = (all: VisibleSighting[]): VisibleSighting[] => {
  const rank = ({ own, sharer }: VisibleSighting) => (own ? 0 : sharer ? 1 : 2)
  const kept = new Map<string, VisibleSighting>()
  for (const each of all) {
    const other = kept.get(each.doc.post_key)
    const isBetter =
      !other ||
      rank(each) < rank(other) ||
      (rank(each) === rank(other) && each.fetched_at.getTime() < other.fetched_at.getTime())
    if (isBetter) kept.set(each.doc.post_key, each)
  }
  return [...kept.values()]
}

const cursorOf = ({ at, id }: VisibleSighting) => Buffer.from(`${at.getTime()} ${id}`).toString('base64url')
/** Returns the sightings after a cursor. @throws HttpError 422 for a malformed cursor */
const after = (all: VisibleSighting[], cursor: string | undefined): VisibleSighting[] => {
  if (cursor === undefined) return all
  const [, time, id] = /^(-?\d{1,16}) ([0-9a-f]{24})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (time === undefined || id === undefined) throw invalid(['cursor: is malformed'])
  return all.filter(
    each => each.at.getTime() > Number(time) || (each.at.getTime() === Number(time) && each.id > id),
  )
}

/**
 * Returns the sightings of others that are shared now, with their sharers.
 * @throws HttpError 503 while the collector is down
 */
const readShared = async (
  { peers, secrets }: Context,
  userId: string,
  found: Found[],
): Promise<VisibleSighting[]> => {
  if (found.length === 0) return []
  const open = await openRecords(
    peers,
    userId,
    found.map(({ doc }) => doc._id.toHexString()),
  )
  const sharing = new Map(open.map(each => [each.id, each]))
  const { opaqueId } = await secrets()
  return found.flatMap((each): VisibleSighting[] => {
    const recordId = each.doc._id.toHexString()
    const { shared, user_id } = sharing.get(recordId) ?? {}
    if (!shared) return []
    const { at, fetched_at, posted_claimed } = each.doc
    const anonymous = shared === 'anonymous'
    return [
      {
        ...each,
        id: opaqueId(recordId),
        own: false,
        at: anonymous && !posted_claimed ? endOfDay(at) : at,
        fetched_at: anonymous ? endOfDay(fetched_at) : fetched_at,
        shared,
        sharer: anonymous ? null : (user_id ?? null),
      },
    ]
  })
}

/** Returns excerpts by record id; none while the collector is down. */
const readExcerpts = async ({ peers }: Context, userId: string, visible: VisibleSighting[]) => {
  const ids = visible.map(({ doc }) => doc._id.toHexString())
  const open = await openRecords(peers, userId, ids, { excerpt: LIMITS.excerptChars }).catch(() => [])
  return new Map(open.map(({ id, excerpt }) => [id, excerpt]))
}

const present = (
  { doc, id, own, at, fetched_at, shared, sharer, matches, likeness }: VisibleSighting,
  excerpts: Map<string, string>,
  names: Map<string, string>,
): Sighting => ({
  id,
  own,
  source: doc.source,
  account: doc.account,
  url: doc.url,
  matches: MATCHES.filter(match => matches.has(match)),
  likeness: likeness === null ? null : Math.round(likeness * 1_000) / 1_000,
  at: at.toISOString(),
  posted_claimed: doc.posted_claimed,
  posted_at: doc.posted_at?.toISOString() ?? null,
  fetched_at: fetched_at.toISOString(),
  ...(doc.imported && { imported: true as const }),
  edited: doc.edited,
  forwarded_from: doc.forward,
  ...(doc.taken_down_at && { removed_at: doc.taken_down_at.toISOString() }),
  ...(doc.names && { names: doc.names }),
  excerpt: excerpts.get(doc._id.toHexString()) ?? null,
  shared,
  shared_by: sharer === null ? null : (names.get(sharer) ?? null),
})

const firstsOf = (visible: VisibleSighting[]): SightingResults['firsts'] => {
  const accounts = new Map<string, SightingResults['firsts'][number]>()
  for (const { doc, id, at } of visible) {
    const { source, account, posted_claimed, imported } = doc
    const key = `${source} ${foldValue(account ?? '')}`
    const known = accounts.get(key)
    if (known) known.count++
    else
      accounts.set(key, {
        source,
        account,
        id,
        at: at.toISOString(),
        posted_claimed,
        ...(imported && { imported }),
        count: 1,
      })
  }
  return [...accounts.values()]
}

/**
 * Finds the sightings of a text, URL, picture or record, the earliest first. Own sightings are queried by owner. Shared
 * ones are queried only among shared sightings and confirmed by the collector, so no response depends on others'
 * unshared records.
 */
export const search = async (
  searching: Context,
  userId: string,
  body: SightingSearch,
): Promise<SightingResults> => {
  const { models, peers, secrets, users } = searching
  const owner = new Types.ObjectId(userId)
  const question = await questionOf(models, (await secrets()).sign, owner, body)
  const during: QueryFilter<SightingDoc> = {
    ...((body.since || body.until) && {
      at: {
        ...(body.since && { $gte: new Date(body.since) }),
        ...(body.until && { $lte: new Date(body.until) }),
      },
    }),
  }
  const quotesIn = createFindQuotes(peers, userId)
  // Finds no quotes while the collector is down.
  const findQuotes: FindQuotes = (quoting, ids) => quotesIn(quoting, ids).catch(() => new Map())
  const within = (scope: Scope) => findMatches(models, question, scope, during, findQuotes)
  const [ownMatches, sharedMatches] = await Promise.all([
    within({ owner }),
    body.scope === 'shared' ? within({ shared: { $exists: true } }) : undefined,
  ])
  const own = ownMatches.found.map((each): VisibleSighting => {
    const { doc } = each
    const { at, fetched_at, shared } = doc
    return {
      ...each,
      id: doc._id.toHexString(),
      own: true,
      at,
      fetched_at,
      shared: shared ?? null,
      sharer: null,
    }
  })
  const foreign = (sharedMatches?.found ?? []).filter(({ doc }) => !doc.owner?.equals(owner))
  const all = onePerPost([...own, ...(await readShared(searching, userId, foreign))]).sort(byTime)

  const rest = after(all, body.cursor)
  const page = rest.slice(0, body.limit)
  const first = all[0]
  const firstSeen = all.reduce<VisibleSighting | undefined>(
    (best, each) => (!best || each.fetched_at < best.fetched_at ? each : best),
    undefined,
  )
  const shown = [...new Set([first, firstSeen, ...page].filter(each => each !== undefined))].sort(byTime)
  const [excerpts, names, linked] = await Promise.all([
    readExcerpts(searching, userId, shown),
    users.usernames(shown.flatMap(({ sharer }) => sharer ?? [])).catch(() => new Map<string, string>()),
    models.sightings.find({ _id: { $in: shown.map(({ doc }) => doc._id) } }, { links: 1 }).lean(),
  ])
  const links = new Map(linked.map(doc => [doc._id.toHexString(), doc.links]))
  const withLinks = shown.map(each => ({
    ...each,
    doc: { ...each.doc, links: links.get(each.doc._id.toHexString()) ?? [] },
  }))
  const firsts = firstsOf(all)
  const byMatch = (match: Match) => all.filter(({ matches }) => matches.has(match)).length
  return {
    items: page.map(each => present(each, excerpts, names)),
    first: first ? present(first, excerpts, names) : null,
    first_seen: firstSeen ? present(firstSeen, excerpts, names) : null,
    firsts: firsts.slice(0, FIRSTS_MAX),
    edges: edgesOf(withLinks),
    counts: {
      items: all.length,
      accounts: firsts.length,
      without_time: all.filter(({ doc }) => doc.posted_at === null).length,
      may_be_earlier: all.slice(1).filter(({ doc }) => !doc.posted_claimed).length,
      by_match: Object.fromEntries(
        MATCHES.map(match => [match, byMatch(match)]),
      ) as SightingResults['counts']['by_match'],
      truncated: ownMatches.truncated || (sharedMatches?.truncated ?? false),
    },
    next: rest.length > page.length ? cursorOf(page.at(-1) as VisibleSighting) : null,
  }
}
