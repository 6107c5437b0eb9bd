import {
  countVotes,
  iodAnalyticsApi,
  iodsInternal,
  periodBefore,
  startOfDay,
  type VoteAnalysis,
} from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import { Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import { membersOf } from '../../iods/queries/select-iods.js'
import type { IodStore } from '../../store.js'
import { findConsensus } from '../../votes/queries/find-consensus.js'
import {
  allowedKinds,
  analyzeIods,
  analyzeValues,
  analyzeVotes,
  type Query,
  type Rows,
} from '../queries/analyze.js'
import { creationsOf } from '../queries/campaign-members.js'
import { compareGroups } from '../queries/compare-iods.js'
import { containIods } from '../queries/contain-iods.js'
import type { IodColumns } from '../queries/iod-columns.js'
import { createColumnReader } from '../queries/read-columns.js'

/** Answers of some 100 kB each, at most. */
const ANSWERS_MAX = 200

/** Returns the first time that an analysis counts. */
const startOf = (query: Query): number =>
  startOfDay((query.compare ? periodBefore(query) : query).from, query.zone)

/**
 * Adds the analyses.
 * @returns a function that begins to read the IODs, so that the first answer is not the one that waits for them
 */
export const addAnalyticsRoutes = (service: StoreService, models: IodStore): (() => void) => {
  const { iods } = models
  const { read, load } = createColumnReader(models)

  /** Answers by their question, until an IOD changes: all clients request the same when one was created. */
  const answers = new LRUCache<string, { columns: IodColumns; version: number; answer: object }>({
    max: ANSWERS_MAX,
  })
  /** Calls `work` in the same step that selects rows: a later one may insert others before them. */
  const analyze = async <T extends object>(
    kind: 'iods' | 'values' | 'votes',
    query: Query,
    userId: string,
    work: (rows: Rows, query: Query) => T,
  ): Promise<T> => {
    const members = query.campaign
      ? await creationsOf(iods, await membersOf(service.peers, [query.campaign]))
      : undefined
    const columns = await read(startOf(query))
    // A campaign's members change without a change of an IOD.
    const key = query.campaign ? undefined : `${kind} ${query.mine ? userId : ''} ${JSON.stringify(query)}`
    const known = key && answers.get(key)
    if (known && known.columns === columns && known.version === columns.version) return known.answer as T
    const answer = work(
      {
        columns,
        kinds: allowedKinds(query),
        // No row has the creator NaN.
        creator: query.mine ? (columns.userOf(userId) ?? Number.NaN) : undefined,
        members: members && Uint32Array.from(members.flatMap(each => columns.find(each) ?? [])).sort(),
      },
      query,
    )
    if (key) answers.set(key, { columns, version: columns.version, answer })
    return answer
  }

  service.route(iodAnalyticsApi.analyzeIods, ({ query, user }) =>
    analyze('iods', query, user.id, analyzeIods),
  )

  service.route(iodAnalyticsApi.analyzeValues, ({ query, user }) =>
    analyze('values', query, user.id, analyzeValues),
  )

  service.internal(iodsInternal.compareIods, async ({ body: { from, until, groups } }) => {
    const ids = [...new Set(groups.flat())].map(id => new Types.ObjectId(id))
    const creations = await creationsOf(iods, ids)
    const columns = await read(Date.parse(from))
    const rows = new Map(creations.map(each => [each._id.toHexString(), columns.find(each)]))
    const found = groups.map(group => group.flatMap(id => rows.get(id) ?? []))
    return compareGroups(columns, found, [Date.parse(from), Date.parse(until)])
  })

  service.internal(iodsInternal.containIods, async ({ body }) =>
    containIods(iods, await read(0), body.entries),
  )

  service.route(iodAnalyticsApi.analyzeVotes, async ({ query, user }): Promise<VoteAnalysis> => {
    const { disputed: ids, ...votes } = await analyze('votes', query, user.id, analyzeVotes)
    const [docs, consensus] = await Promise.all([
      iods.find({ _id: { $in: ids as never } }, { value: 1, category: 1, votes: 1 }).lean<IodDoc[]>(),
      findConsensus(models, ids),
    ])
    const known = new Map(docs.map(doc => [doc._id.toHexString(), doc]))
    const disputed = ids.flatMap(id => {
      const doc = known.get(id)
      if (!doc) return []
      const weighed = consensus[id]
      const independent = weighed ? { for: weighed.for, against: weighed.against } : null
      return { id, value: doc.value, category: doc.category, ...countVotes(doc), independent }
    })
    return { ...votes, disputed }
  })
  return load
}
