import { type RecordOf, type Source, type Stored, witnessedAt } from '@iodine/contracts'
import type { RecordDoc } from '../models/record.js'

/** Returns a record's storage form, with `imageHashes` as pairs: its keys may contain dots and dollar signs. */
export const packRecord = (record: object): Record<string, unknown> =>
  'imageHashes' in record
    ? { ...record, imageHashes: Object.entries(record.imageHashes as Record<string, string>) }
    : { ...record }

/** Returns a record from its storage form. */
export const unpackRecord = ({ data }: Pick<RecordDoc, 'data'>): RecordOf[Source] => {
  const { imageHashes } = data
  return {
    ...data,
    ...(Array.isArray(imageHashes) && { imageHashes: Object.fromEntries(imageHashes) }),
  } as unknown as RecordOf[Source]
}

/** Returns when the collector last saw the record's post; null if it is known from imports only. */
export const witnessedTime = (doc: Pick<RecordDoc, 'data' | 'seen'>): Date | null => {
  const at = witnessedAt({ record: unpackRecord(doc), seen: doc.seen })
  return at === null ? null : new Date(at)
}

/** Presents records as sent or merged, each with its id. */
export const presentRecords = (docs: Pick<RecordDoc, '_id' | 'data'>[]): Stored<Source>[] =>
  docs.map(doc => ({ id: doc._id.toHexString(), ...unpackRecord(doc) }))
