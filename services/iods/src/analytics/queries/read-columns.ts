import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { createSharedReads, createSingleFlight, unavailable } from '@iodine/service-kit'
import type { PipelineStage } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import { BY_DATE, BY_REVISION, type IodDoc } from '../../iods/models/iod.js'
import { DECIDED_MIN, THIRD_VOTE_AT } from '../../iods/policies/agreement.js'
import type { IodModels } from '../../models.js'
import { type AnalyzedIod, IodColumns } from './iod-columns.js'

/** Maximum delay from a revision to its visibility: a transaction takes up to 60 s, and clocks differ. */
const LATE_MS = 90_000
/** Maximum age of the columns: a restored database or a wrong clock may falsify them. */
const MAX_AGE_MS = 24 * 3_600_000
/** Timeout of a request while the IODs that it needs are read first. */
const FIRST_MS = 10_000
/** Age of the IODs that are also read separately at first: 90 days, or 45 and the 45 before, in any zone. */
const RECENT_MS = 92 * 24 * 3_600_000
/** Least time from one full read to the next, in durations of a read. */
const PAUSE = 10
/** Timeout of a read of changes, after which the next one may begin. */
const REFRESH_TIMEOUT_MS = 5_000
const BATCH = 1_000

/** Fields of the top level: others take an IOD twice as long. */
const PLAIN = {
  created_at: 1,
  category: 1,
  source_type: 1,
  created_by: 1,
  votes_total: 1,
  votes_disputed: 1,
  terms: 1,
  fold_key: 1,
} as const
const FIELDS: PipelineStage.Project['$project'] = { ...PLAIN, third_vote: THIRD_VOTE_AT }

/** Adds IODs to columns in batches, between which other requests run. */
const putAll = async (columns: IodColumns, found: AsyncIterable<AnalyzedIod>): Promise<void> => {
  let batch: AnalyzedIod[] = []
  const put = async () => {
    columns.put(batch)
    batch = []
    await setImmediate()
  }
  for await (const each of found) if (batch.push(each) >= BATCH) await put()
  await put()
}

interface Loaded {
  columns: IodColumns
  /** Creation of the first IOD; all later ones are in the columns. */
  from: number
  /** All changes until this time are in the columns, by the database's clock. */
  until: number
  built: number
  /** Duration of the read. */
  took: number
}

type Iods = IodModels['iods']

/** Adds the time of the third vote to those with as many votes. */
const withThirdVotes = async (iods: Iods, found: AnalyzedIod[]): Promise<AnalyzedIod[]> => {
  const voted = new Map(
    found.filter(({ votes_total }) => votes_total >= DECIDED_MIN).map(iod => [iod._id.toHexString(), iod]),
  )
  if (voted.size === 0) return found
  const ids = [...voted.values()].map(({ _id }) => _id)
  const votes = iods.collection.find<Pick<AnalyzedIod, '_id' | 'third_vote'>>(
    { _id: { $in: ids as never } },
    { projection: { third_vote: THIRD_VOTE_AT } },
  )
  for await (const { _id, third_vote } of votes)
    Object.assign(voted.get(_id.toHexString()) as AnalyzedIod, { third_vote })
  return found
}

/** Reads IODs in the order of the columns, so that each is appended. */
async function* readFrom(iods: Iods, from: number): AsyncGenerator<AnalyzedIod> {
  for (let last: Pick<IodDoc, '_id' | 'created_at'> | undefined; ; ) {
    const after = last
      ? {
          $and: [
            { created_at: { $gte: last.created_at } },
            { $or: [{ created_at: { $gt: last.created_at } }, { _id: { $gt: last._id } }] },
          ],
        }
      : { created_at: { $gte: new Date(from) } }
    // The driver's query: an aggregation sorts all later IODs for each page.
    const found = await iods.collection
      .find<AnalyzedIod>(after as object, { projection: PLAIN })
      .hint(BY_DATE)
      .sort({ created_at: 1, _id: 1 })
      .limit(BATCH)
      .toArray()
    yield* await withThirdVotes(iods, found)
    last = found.at(-1)
    if (found.length < BATCH) return
  }
}

/**
 * Creates the reader of all IODs as columns in memory: any combination of filters is counted exactly, and a change of
 * an IOD writes nothing else. Changes are read by their revisions before each answer. The first read has two parts, at
 * the same time: the recent IODs, which most answers need, and all.
 * @returns `read`, a function of the creation time of the first IOD that is needed, which rejects with HttpError 503
 * while the first read takes too long, and `load`, which begins that read
 */
export const createColumnReader = (
  { mongo, iods }: Pick<IodModels, 'mongo' | 'iods'>,
  { firstMs = FIRST_MS, maxAgeMs = MAX_AGE_MS, recentMs = RECENT_MS } = {},
) => {
  let all: Loaded | undefined
  let recent: { from: number; loaded: Promise<Loaded> } | undefined
  const building = createSingleFlight<'all', Loaded>()
  const refreshing = createSharedReads<Loaded, void>(REFRESH_TIMEOUT_MS)

  const load = async (from: number): Promise<Loaded> => {
    const built = Date.now()
    const until = await databaseTime(mongo)
    const columns = new IodColumns()
    await putAll(columns, readFrom(iods, from))
    return { columns, from, until, built, took: Date.now() - built }
  }

  const build = async (): Promise<Loaded> => {
    if (!all) {
      const from = Date.now() - recentMs
      recent = { from, loaded: load(from) }
      recent.loaded.catch(() => {})
    }
    try {
      all = await load(0)
      return all
    } finally {
      recent = undefined
    }
  }
  const rebuild = (): Promise<Loaded> => {
    const built = building('all', build)
    built.catch(() => {})
    return built
  }

  const refresh = async (state: Loaded): Promise<void> => {
    const until = await databaseTime(mongo)
    const changes = iods
      .aggregate<AnalyzedIod>([
        { $match: { revision: { $gt: new Date(state.until - LATE_MS) } } },
        { $sort: BY_REVISION },
        { $project: FIELDS },
      ])
      .hint(BY_REVISION)
      .cursor({ batchSize: BATCH })
    await putAll(state.columns, changes)
    state.until = until
  }

  const current = (from: number): Promise<Loaded> | Loaded => {
    const isOld = !all || Date.now() - all.built > maxAgeMs
    const built = isOld ? rebuild() : undefined
    if (all) return all
    const enough = recent && recent.from <= from ? recent.loaded : (built as Promise<Loaded>)
    const late = () => sleep(firstMs, undefined, { ref: false }).then(() => Promise.reject(unavailable()))
    return Promise.race([enough, late()])
  }

  /** Returns whether IODs were deleted, or changed their time of creation, which only writes to the database can do. */
  const isOutdated = async ({ columns, from, built, took }: Loaded): Promise<boolean> =>
    from === 0 && Date.now() - built > PAUSE * took && columns.size > (await iods.estimatedDocumentCount())

  const read = async (from: number): Promise<IodColumns> => {
    const state = await current(from)
    await refreshing(state, () => refresh(state))
    return (await isOutdated(state)) ? (await rebuild()).columns : state.columns
  }
  return { read, load: () => void rebuild() }
}
