import { type ClientSession, type QueryFilter, Types } from 'mongoose'
import { type EdgeModel, edgesOf } from '../models/edge.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { inTransaction, type Store } from '../store.js'

const count = async (edges: EdgeModel, narrative: NarrativeDoc, session: ClientSession): Promise<void> => {
  const added = edgesOf(narrative)
  if (added.length === 0) return
  await edges.bulkWrite(
    added.map(({ _id, count, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $inc: { count }, $setOnInsert: rest }, upsert: true },
    })),
    { session },
  )
}

const uncount = async (edges: EdgeModel, narrative: NarrativeDoc, session: ClientSession): Promise<void> => {
  const removed = edgesOf(narrative)
  if (removed.length === 0) return
  await edges.bulkWrite(
    removed.map(({ _id, count }) => ({
      updateOne: { filter: { _id }, update: { $inc: { count: -count } } },
    })),
    { session },
  )
  await edges.deleteMany({ _id: { $in: removed.map(({ _id }) => _id) }, count: { $lte: 0 } }, { session })
}

/**
 * Brings the aggregates in line with one narrative: counted once while it is done, not at all otherwise. The mark on the
 * narrative changes in the same transaction, so repeats, in any order, change nothing.
 */
export const syncGraph = async (store: Store, id: Types.ObjectId | string): Promise<void> => {
  const { narratives, edges } = store
  const outOfLine: QueryFilter<NarrativeDoc> = {
    _id: id,
    $or: [
      { state: 'done', graph: null },
      { state: { $ne: 'done' }, graph: { $ne: null } },
    ],
  }
  await inTransaction(store, async session => {
    const narrative = await narratives.findOne(outOfLine, null, { session }).lean<NarrativeDoc>()
    if (!narrative) return
    const done = narrative.state === 'done'
    await narratives.updateOne(
      { _id: id },
      { $set: { graph: done ? new Types.ObjectId() : null } },
      { session },
    )
    await (done ? count : uncount)(edges, narrative, session)
  })
}
