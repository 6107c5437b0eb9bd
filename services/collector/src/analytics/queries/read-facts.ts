import { setImmediate } from 'node:timers/promises'
import { SOURCES, type Source } from '@iodine/contracts'
import type { Model, Types } from 'mongoose'
import type { RecordDoc, RecordFacts } from '../../records/models/record.js'

/** A record as analyses read it. */
export interface AnalyzedRecord {
  _id: Types.ObjectId
  source: Source
  created_at: Date
  facts?: RecordFacts
}

const BATCH = 2_000

/** Reads a user's records stored from one time until before another, newest first for each source. */
export const readFacts = async (
  records: Model<RecordDoc>,
  userId: string,
  sources: readonly Source[] = SOURCES,
  [from, until]: [number, number],
): Promise<AnalyzedRecord[]> => {
  const found: AnalyzedRecord[] = []
  for (const source of new Set(sources)) {
    const cursor = records
      .find(
        { user_id: userId, source, created_at: { $gte: new Date(from), $lt: new Date(until) } },
        { source: 1, created_at: 1, facts: 1 },
      )
      .hint({ user_id: 1, source: 1, created_at: -1, _id: -1 })
      .lean<AnalyzedRecord>()
      .cursor({ batchSize: BATCH })
    for await (const each of cursor) if (found.push(each) % BATCH === 0) await setImmediate()
  }
  return found
}
