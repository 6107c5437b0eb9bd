import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Category } from '@iodine/contracts'
import { encodeOverlay, overlayRow } from '@iodine/known-iods'
import { createSharedReads, createSingleFlight, type Download, unavailable } from '@iodine/service-kit'
import type { PipelineStage, Types } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import { BY_REVISION, type IodModel, votesOf } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import { findConsensus } from '../../votes/queries/find-consensus.js'
import { type Change, OverlayTable } from './overlay-table.js'

/** Minimum interval between two reads of changes. */
const REFRESH_MS = 2_000
/** Timeout of a read of changes, after which the next one may begin. */
const REFRESH_TIMEOUT_MS = 5_000
/** Maximum delay from a revision to its visibility: a transaction takes up to 60 s, and clocks differ. */
const LATE_MS = 90_000
/** Maximum age of the table: a restored database or a wrong clock may falsify it. */
const MAX_AGE_MS = 24 * 3_600_000
/** Timeout of a request for the first full read. A million IODs take a minute. */
const FIRST_MS = 2_000
/** Maximum rows of a delta. */
const DELTA_MAX = 20_000
/** Time for which a snapshot is reused: this limits the snapshots in memory, regardless of the number of requests. */
const SNAPSHOT_MS = 30_000
/** IODs per read, and the time after which a loop yields to other work. */
const BATCH = 250
const SLICE_MS = 10

/** Minimum votes to weigh: a single vote depends on no other. */
const WEIGHED_MIN = 2

type Models = Pick<IodModels, 'mongo' | 'iods' | 'covotes' | 'covoteBuilds'>

interface OverlayIod {
  _id: Types.ObjectId
  value: string
  category: Category
  revision: Date
  votes_for: number
  votes_against: number
}
const FIELDS: PipelineStage.Project['$project'] = {
  value: 1,
  category: 1,
  revision: 1,
  votes_for: votesOf('POSITIVE'),
  votes_against: votesOf('NEGATIVE'),
}

/**
 * Returns the rows of IODs. Votes on other IODs also change the weight of an IOD's votes: a row has the weight at the
 * IOD's last change or at the last full read.
 */
const changesOf = async (models: Models, found: readonly OverlayIod[]): Promise<Change[]> => {
  const voted = found.filter(({ votes_for, votes_against }) => votes_for + votes_against >= WEIGHED_MIN)
  const consensus = await findConsensus(
    models,
    voted.map(({ _id }) => _id.toHexString()),
  )
  return found.map(({ _id, revision, ...iod }) => {
    const id = _id.toHexString()
    const weighed = consensus[id]
    const independent = weighed && { for: weighed.for, against: weighed.against }
    return { row: overlayRow({ id, ...iod, independent }), revision: revision.getTime() }
  })
}

/** Adds IODs to a table in batches, and yields to other requests in between. */
const putAll = async (
  models: Models,
  table: OverlayTable,
  found: AsyncIterable<OverlayIod>,
): Promise<void> => {
  let batch: OverlayIod[] = []
  const put = async () => {
    table.put(await changesOf(models, batch))
    batch = []
  }
  let since = performance.now()
  for await (const each of found) {
    if (batch.push(each) >= BATCH) await put()
    if (performance.now() - since > SLICE_MS) {
      await setImmediate()
      since = performance.now()
    }
  }
  await put()
}

interface Loaded {
  table: OverlayTable
  /** All changes until this time are in the table, by the database's clock. */
  until: number
  /** Start of the last read of changes, and of the full read. */
  refreshed: number
  built: number
}

async function* readAll(iods: IodModel): AsyncGenerator<OverlayIod> {
  for (let after: Types.ObjectId | undefined; ; ) {
    const found: OverlayIod[] = await iods.aggregate<OverlayIod>([
      { $match: after ? { _id: { $gt: after } } : {} },
      { $sort: { _id: 1 } },
      { $limit: BATCH },
      { $project: FIELDS },
    ])
    yield* found
    after = found.at(-1)?._id
    if (found.length < BATCH) return
  }
}

/** Reads changes in the order of their revisions, so that a client with a revision has all earlier changes. */
const readChanges = (iods: IodModel, after: number): AsyncIterable<OverlayIod> =>
  iods
    .aggregate<OverlayIod>([
      { $match: { revision: { $gt: new Date(after) } } },
      { $sort: BY_REVISION },
      { $project: FIELDS },
    ])
    .hint(BY_REVISION)
    .cursor({ batchSize: BATCH })

const build = async (models: Models): Promise<Loaded> => {
  const { mongo, iods } = models
  const built = Date.now()
  const until = await databaseTime(mongo)
  const table = new OverlayTable(await iods.estimatedDocumentCount())
  await putAll(models, table, readAll(iods))
  return { table, until, refreshed: 0, built }
}

const refresh = async (models: Models, state: Loaded): Promise<void> => {
  const refreshed = Date.now()
  const until = await databaseTime(models.mongo)
  await putAll(models, state.table, readChanges(models.iods, state.until - LATE_MS))
  Object.assign(state, { until, refreshed })
}

/** A full answer, with all IODs. */
interface Snapshot {
  revision: number
  etag: string
  bytes: Promise<Uint8Array>
}

/** Creates the downloads of all IODs, which share a snapshot for `snapshotMs`. */
const createSnapshots = (snapshotMs: number) => {
  let snapshot: Snapshot | undefined

  const takeSnapshot = (table: OverlayTable): Snapshot => {
    const { revision, state, rows } = table
    // `encodeOverlay` copies the rows synchronously.
    const taken: Snapshot = {
      revision,
      etag: `"${state}"`,
      bytes: encodeOverlay({ revision, since: 0, rows }),
    }
    snapshot = taken
    const drop = () => {
      if (snapshot === taken) snapshot = undefined
    }
    setTimeout(drop, snapshotMs).unref()
    return taken
  }

  /**
   * Returns a download of all IODs.
   * @param least minimum revision of a reused snapshot
   */
  return (table: OverlayTable, least: number): Download => {
    const usable = () => (snapshot && snapshot.revision >= least ? snapshot : undefined)
    return {
      etag: usable()?.etag ?? `"${table.state}"`,
      size: table.rows.length,
      async make() {
        const { etag, bytes } = usable() ?? takeSnapshot(table)
        return { etag, bytes: await bytes }
      },
    }
  }
}

/** Overrides of the bounds above, for tests. */
interface OverlayBounds {
  refreshMs?: number
  snapshotMs?: number
  maxAgeMs?: number
  firstMs?: number
  deltaMax?: number
}

/**
 * Creates the overlay: all IODs as rows by which clients find them in texts. The rows are in memory; changes are read
 * before an answer.
 * @returns a function of the client's revision, 0 for none. It throws 503 until the first full read is done
 */
export const createOverlay = (
  models: Models,
  {
    refreshMs = REFRESH_MS,
    snapshotMs = SNAPSHOT_MS,
    maxAgeMs = MAX_AGE_MS,
    firstMs = FIRST_MS,
    deltaMax = DELTA_MAX,
  }: OverlayBounds = {},
) => {
  let loaded: Loaded | undefined
  const everything = createSnapshots(snapshotMs)
  const building = createSingleFlight<'all', Loaded>()
  const refreshing = createSharedReads<'changes', void>(REFRESH_TIMEOUT_MS)

  /** Returns the table with all changes, except those of the last `refreshMs` unless they are `needed`. */
  const current = async (needed: (table: OverlayTable) => boolean): Promise<OverlayTable> => {
    if (!loaded || Date.now() - loaded.built > maxAgeMs) {
      const built = building('all', async () => (loaded = await build(models)))
      built.catch(() => {})
      const late = () => sleep(firstMs, undefined, { ref: false }).then(() => Promise.reject(unavailable()))
      loaded ??= await Promise.race([built, late()])
    }
    const state = loaded
    if (Date.now() - state.refreshed >= refreshMs || needed(state.table))
      await refreshing('changes', () => refresh(models, state))
    return state.table
  }

  return async (since: number): Promise<Download> => {
    const table = await current(({ revision }) => since > revision)
    const { revision, state } = table
    // A revision after the latest one is from before a restore of the database.
    if (since === 0 || since > revision) return everything(table, 0)
    const rows = table.after(since - LATE_MS, deltaMax)
    if (!rows) return everything(table, since)
    const etag = `"${state}"`
    return {
      etag,
      size: rows.length,
      make: async () => ({ etag, bytes: await encodeOverlay({ revision, since, rows }) }),
    }
  }
}
