import type { RecordOf, Source, Stored } from '@iodine/contracts'
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

/** Presents records as sent or merged, each with its id. */
export const presentRecords = (docs: Pick<RecordDoc, '_id' | 'data'>[]): Stored<Source>[] =>
  docs.map(doc => ({ id: doc._id.toHexString(), ...unpackRecord(doc) }))
