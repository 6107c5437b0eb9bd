import { inTransaction } from '@iodine/service-kit'
import { type ClientSession, type Model, type QueryFilter, Types } from 'mongoose'
import { edgesOf } from '../models/edge.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { sourcesOf } from '../models/source.js'
import type { Store } from '../store.js'

interface Counted {
  _id: string
  count: number
}

const add = async <T extends Counted>(model: Model<T>, rows: T[], session: ClientSession): Promise<void> => {
  if (rows.length === 0) return
  await (model as unknown as Model<Counted>).bulkWrite(
    rows.map(({ _id, count, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $inc: { count }, $setOnInsert: rest }, upsert: true },
    })),
    { session },
  )
}

const subtract = async <T extends Counted>(
  model: Model<T>,
  rows: T[],
  session: ClientSession,
): Promise<void> => {
  if (rows.length === 0) return
  const counted = model as unknown as Model<Counted>
  await counted.bulkWrite(
    rows.map(({ _id, count }) => ({
      updateOne: { filter: { _id }, update: { $inc: { count: -count } } },
    })),
    { session },
  )
  await counted.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) }, count: { $lte: 0 } }, { session })
}

/**
 * Brings the aggregates in line with one narrative: counted once while it is done, not at all otherwise. The mark on the
 * narrative changes in the same transaction, so repeats, in any order, change nothing.
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
    const change = done ? add : subtract
    await change(edges, edgesOf(narrative), session)
    await change(sources, sourcesOf(narrative), session)
  }
  await inTransaction(mongo, sync, { retriesDuplicates: true })
}
