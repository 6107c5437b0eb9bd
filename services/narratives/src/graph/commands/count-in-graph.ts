import type { ClientSession, Model } from 'mongoose'
import { type Clusterings, markTexts } from '../../canon/commands/mark-canon.js'
import type { NarrativeModels } from '../../models.js'
import type { NarrativeDoc } from '../../narratives/models/narrative.js'
import { edgesOf, withGrams } from '../models/edge.js'
import { sourcesOf } from '../models/source.js'

/** A row of the aggregates. */
export interface CountedRow {
  _id: string
  count: number
}

/**
 * Adds rows to the counts or subtracts them, and removes rows that reach zero. With `notesDue` it also changes `due`,
 * and keeps rows whose `due` is not zero.
 */
const change = async <T extends CountedRow>(
  model: Model<T>,
  rows: T[],
  by: 1 | -1,
  session: ClientSession,
  { notesDue = false } = {},
): Promise<void> => {
  if (rows.length === 0) return
  const counted = model as unknown as Model<CountedRow>
  const isAdded = by === 1
  await counted.bulkWrite(
    rows.map(({ _id, count, ...rest }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $inc: { count: by * count, ...(notesDue && { due: by * count }) },
          ...(isAdded && { $setOnInsert: rest }),
        },
        upsert: isAdded,
      },
    })),
    { session },
  )
  if (!isAdded)
    await counted.deleteMany(
      { _id: { $in: rows.map(({ _id }) => _id) }, count: { $lte: 0 }, ...(notesDue && { due: 0 }) },
      { session },
    )
}

/**
 * Adds a narrative to the aggregates, or removes it, in the transaction that changes its state. The user's labels are
 * clustered after the commit.
 */
export const countInGraph = async (
  store: NarrativeModels & Clusterings,
  narrative: NarrativeDoc,
  by: 1 | -1,
  session: ClientSession,
): Promise<void> => {
  const { edges, sources } = store
  await change(edges, edgesOf(narrative).map(withGrams), by, session, { notesDue: true })
  await change(sources, sourcesOf(narrative), by, session)
  // Last, because all of a user's texts share this document: its lock is held for a short time.
  if (narrative.triplets.length > 0) await markTexts(store, narrative.user_id, session)
}
