import { hashOf } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import type { RecordDoc, RecordScope } from '../models/record.js'

/** Returns whether the user has a record of each natural key, in order. */
export const knownKeys = async (
  { records }: Pick<CollectorStore, 'records'>,
  scope: RecordScope,
  keys: readonly string[],
): Promise<boolean[]> => {
  const hashes = keys.map(hashOf)
  const docs = await records
    .find({ ...scope, key: { $in: hashes } }, { key: 1 })
    .lean<Pick<RecordDoc, 'key'>[]>()
  const known = new Set(docs.map(({ key }) => key))
  return hashes.map(hash => known.has(hash))
}
