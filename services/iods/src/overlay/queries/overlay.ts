import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Category } from '@iodine/contracts'
import { encodeOverlay, overlayRow } from '@iodine/known-iods'
import { createSharedReads, createSingleFlight, type Download, unavailable } from '@iodine/service-kit'
import type { PipelineStage, Types } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import { BY_REVISION, votesOf } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import { findConsensus } from '../../votes/queries/find-consensus.js'
import { type Change, OverlayTable } from './overlay-table.js'

/** Changes are read at most this often. */
const REFRESH_MS = 2_000
/** How long a reading of changes is waited for before the next one begins. */
const REFRESH_TIMEOUT_MS = 5_000
/** How much later than its revision a change may be seen: a transaction takes 60 s, and clocks differ. */
const LATE_MS = 90_000
/** All IODs are read again after this time, as a restored database or a wrong clock may falsify the table. */
const TRUSTED_MS = 24 * 3_600_000
/** How long a request waits for the first reading of all IODs: a million take a minute. */
const FIRST_MS = 2_000
/** Rows of an answer that has not all IODs. */
const DELTA_MAX = 20_000
/** An answer with all IODs is given again for this time: so few are in memory at once, whoever asks for them. */
const SNAPSHOT_MS = 30_000
/** IODs that are read at once, and the time after which other work comes in between. */
const BATCH = 250
const SLICE_MS = 10

/** Votes that are weighed at least: one alone is worth what it is. */
const WEIGHED_MIN = 2

type Models = Pick<IodModels, 'mongo' | 'iods' | 'covotes' | 'covoteBuilds'>

interface Found {
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
 * The rows of IODs. What votes are worth changes with votes elsewhere, too: it is that of the IOD's last change, or of the
 * last reading of all.
 */
const changesOf = async (models: Models, found: readonly Found[]): Promise<Change[]> => {
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

/** Adds what is found to a table a batch at a time, so that other requests are answered in between. */
const putAll = async (models: Models, table: OverlayTable, found: AsyncIterable<Found>): Promise<void> => {
  let batch: Found[] = []
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

/** An answer with all IODs. */
interface Snapshot {
  revision: number
  etag: string
  bytes: Promise<Uint8Array>
}

/** Other bounds than those above, for tests. */
interface OverlayBounds {
  refreshMs?: number
  snapshotMs?: number
  trustedMs?: number
  firstMs?: number
  deltaMax?: number
}

/**
 * All IODs as rows by which texts are searched for them. They are kept in memory, and what has changed is read
 * before an answer.
 * @returns a function of the revision that the client has, 0 for none. It throws 503 until all are read
 */
export const createOverlay = (
  models: Models,
  {
    refreshMs = REFRESH_MS,
    snapshotMs = SNAPSHOT_MS,
    trustedMs = TRUSTED_MS,
    firstMs = FIRST_MS,
    deltaMax = DELTA_MAX,
  }: OverlayBounds = {},
) => {
  const { mongo, iods } = models
  interface Kept {
    table: OverlayTable
    /** All changes until this time are in the table, by the database's clock. */
    until: number
    /** When the last reading of changes, and that of all IODs, began. */
    refreshed: number
    built: number
  }
  let kept: Kept | undefined
  let snapshot: Snapshot | undefined
  const building = createSingleFlight<'all', Kept>()
  const refreshing = createSharedReads<'changes', void>(REFRESH_TIMEOUT_MS)

  async function* readAll(): AsyncGenerator<Found> {
    for (let after: Types.ObjectId | undefined; ; ) {
      const found: Found[] = await iods.aggregate<Found>([
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

  /** In the order of their revisions, so that a client that has one has everything before. */
  const readChanges = (after: number): AsyncIterable<Found> =>
    iods
      .aggregate<Found>([
        { $match: { revision: { $gt: new Date(after) } } },
        { $sort: BY_REVISION },
        { $project: FIELDS },
      ])
      .hint(BY_REVISION)
      .cursor({ batchSize: BATCH })

  const build = async (): Promise<Kept> => {
    const built = Date.now()
    const until = await databaseTime(mongo)
    const table = new OverlayTable(await iods.estimatedDocumentCount())
    await putAll(models, table, readAll())
    kept = { table, until, refreshed: 0, built }
    return kept
  }

  const refresh = async (state: Kept): Promise<void> => {
    const refreshed = Date.now()
    const until = await databaseTime(mongo)
    await putAll(models, state.table, readChanges(state.until - LATE_MS))
    Object.assign(state, { until, refreshed })
  }

  /** The table with all changes, but for those of the last `refreshMs` unless they are `needed`. */
  const current = async (needed: (table: OverlayTable) => boolean): Promise<OverlayTable> => {
    if (!kept || Date.now() - kept.built > trustedMs) {
      const built = building('all', build)
      built.catch(() => {})
      const late = () => sleep(firstMs, undefined, { ref: false }).then(() => Promise.reject(unavailable()))
      kept ??= await Promise.race([built, late()])
    }
    const state = kept
    if (Date.now() - state.refreshed >= refreshMs || needed(state.table))
      await refreshing('changes', () => refresh(state))
    return state.table
  }

  const takeSnapshot = (table: OverlayTable): Snapshot => {
    const { revision, state, rows } = table
    // The rows are copied at once.
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

  /** @param least the revision that it must have at least */
  const everything = (table: OverlayTable, least: number): Download => {
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

  return async (since: number): Promise<Download> => {
    const table = await current(({ revision }) => since > revision)
    const { revision, state } = table
    // A later revision than any is of a database that was replaced by a copy.
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
