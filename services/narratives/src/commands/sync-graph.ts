import { inTransaction } from '@iodine/service-kit'
import { type ClientSession, type Model, type QueryFilter, Types } from 'mongoose'
import { edgesOf, withGrams } from '../models/edge.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { sourcesOf } from '../models/source.js'
import type { Store } from '../store.js'

interface Counted {
  _id: string
  count: number
}

/** Adds rows to the counts or subtracts them. Rows that reach zero are removed. */
const change = async <T extends Counted>(
  model: Model<T>,
  rows: T[],
  by: 1 | -1,
  session: ClientSession,
): Promise<void> => {
  if (rows.length === 0) return
  const counted = model as unknown as Model<Counted>
  const isAdded = by === 1
  await counted.bulkWrite(
    rows.map(({ _id, count, ...rest }) => ({
      updateOne: {
        filter: { _id },
        update: { $inc: { count: by * count }, ...(isAdded && { $setOnInsert: rest }) },
        upsert: isAdded,
      },
    })),
    { session },
  )
  if (!isAdded)
    await counted.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) }, count: { $lte: 0 } }, { session })
}

/**
 * Brings the aggregates in line with one narrative: counted once while it is done, otherwise not counted. The
 * narrative's sync mark changes in the same transaction, so the call is idempotent, in any order.
 */
export const syncGraph = async (store: Store, id: Types.ObjectId | string): Promise<void> => {
  const { mongo, narratives, edges, sources } = store
  const outOfLine: QueryFilter<NarrativeDoc> = {
    _id: id,
    $or: [
      { state: 'done', graph: null },
      { state: { $ne: 'done' }, graph: { $ne: null } },
    ],
  }
  const sync = async (session: ClientSession) => {
    const narrative = await narratives.findOne(outOfLine, null, { session }).lean<NarrativeDoc>()
    if (!narrative) return
    const done = narrative.state === 'done'
    await narratives.updateOne(
      { _id: id },
      { $set: { graph: done ? new Types.ObjectId() : null } },
      { session },
    )
    const by = done ? 1 : -1
    await change(edges, edgesOf(narrative).map(withGrams), by, session)
    await change(sources, sourcesOf(narrative), by, session)
  }
  await inTransaction(mongo, sync, { retriesDuplicates: true })
}
