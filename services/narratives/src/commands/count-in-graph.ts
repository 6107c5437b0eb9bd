import type { ClientSession, Model } from 'mongoose'
import { edgesOf, withGrams } from '../models/edge.js'
import type { NarrativeModels } from '../models/index.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { sourcesOf } from '../models/source.js'
import { type Clusterings, markTexts } from './mark-canon.js'

interface Counted {
  _id: string
  count: number
}

/**
 * Adds rows to the counts or subtracts them. Rows that reach zero are removed; those that are noted as due, once
 * nothing is due of them.
 */
const change = async <T extends Counted>(
  model: Model<T>,
  rows: T[],
  by: 1 | -1,
  session: ClientSession,
  { notesDue = false } = {},
): Promise<void> => {
  if (rows.length === 0) return
  const counted = model as unknown as Model<Counted>
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
 * Counts a narrative in the aggregates, or takes it out, in the transaction that changes its state. The user's labels
 * are clustered after the commit.
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
  // Last: one document for all of a user's texts, held for a short time.
  if (narrative.triplets.length > 0) await markTexts(store, narrative.user_id, session)
}
