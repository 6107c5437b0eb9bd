import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { createSharedReads, createSingleFlight, unavailable } from '@iodine/service-kit'
import type { PipelineStage } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import { BY_DATE, BY_REVISION, type IodDoc } from '../../iods/models/iod.js'
import { THIRD_VOTE_AT } from '../../iods/policies/agreement.js'
import type { IodModels } from '../../models.js'
import { type AnalyzedIod, IodColumns } from './iod-columns.js'

/** Maximum delay from a revision to its visibility: a transaction takes up to 60 s, and clocks differ. */
const LATE_MS = 90_000
/** Maximum age of the columns: a restored database or a wrong clock may falsify them. */
const MAX_AGE_MS = 24 * 3_600_000
/** Timeout of a request for the first full read. A million IODs take a minute. */
const FIRST_MS = 10_000
/** Timeout of a read of changes, after which the next one may begin. */
const REFRESH_TIMEOUT_MS = 5_000
const BATCH = 1_000

const FIELDS: PipelineStage.Project['$project'] = {
  created_at: 1,
  category: 1,
  source_type: 1,
  created_by: 1,
  votes_total: 1,
  votes_disputed: 1,
  terms: 1,
  third_vote: THIRD_VOTE_AT,
}

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

/**
 * Creates the reader of all IODs as columns in memory: any combination of filters is counted exactly, and a change of
 * an IOD writes nothing else. Changes are read by their revisions before each answer.
 * @returns a function that rejects with HttpError 503 until the first full read is done
 */
export const createColumnReader = (
  { mongo, iods }: Pick<IodModels, 'mongo' | 'iods'>,
  { firstMs = FIRST_MS, maxAgeMs = MAX_AGE_MS } = {},
) => {
  interface Loaded {
    columns: IodColumns
    /** All changes until this time are in the columns, by the database's clock. */
    until: number
    built: number
  }
  let loaded: Loaded | undefined
  const building = createSingleFlight<'all', Loaded>()
  const refreshing = createSharedReads<'changes', void>(REFRESH_TIMEOUT_MS)

  /** Reads all IODs in the order of the columns, so that each is appended. */
  async function* readAll(): AsyncGenerator<AnalyzedIod> {
    for (let last: Pick<IodDoc, '_id' | 'created_at'> | undefined; ; ) {
      const after = last && {
        $and: [
          { created_at: { $gte: last.created_at } },
          { $or: [{ created_at: { $gt: last.created_at } }, { _id: { $gt: last._id } }] },
        ],
      }
      // The driver's query: an aggregation sorts all later IODs for each page.
      const found = await iods.collection
        .find<AnalyzedIod>((after ?? {}) as object, { projection: FIELDS })
        .hint(BY_DATE)
        .sort({ created_at: 1, _id: 1 })
        .limit(BATCH)
        .toArray()
      yield* found
      last = found.at(-1)
      if (found.length < BATCH) return
    }
  }

  const build = async (): Promise<Loaded> => {
    const built = Date.now()
    const until = await databaseTime(mongo)
    const columns = new IodColumns()
    await putAll(columns, readAll())
    loaded = { columns, until, built }
    return loaded
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

  return async (): Promise<IodColumns> => {
    if (!loaded || Date.now() - loaded.built > maxAgeMs) {
      const built = building('all', build)
      built.catch(() => {})
      const late = () => sleep(firstMs, undefined, { ref: false }).then(() => Promise.reject(unavailable()))
      loaded ??= await Promise.race([built, late()])
    }
    const state = loaded
    await refreshing('changes', () => refresh(state))
    return state.columns
  }
}
