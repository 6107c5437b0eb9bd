import type { Source, Stored } from '@iodine/contracts'
import type { RecordDoc } from '../models/record.js'

/** A record's storage form: `imageHashes` as pairs, as its keys may contain dots and dollar signs. */
export const packRecord = (record: object): Record<string, unknown> =>
  'imageHashes' in record
    ? { ...record, imageHashes: Object.entries(record.imageHashes as Record<string, string>) }
    : { ...record }

/** Records as the client sent them, each with its id. */
export const presentRecords = (docs: RecordDoc[]): Stored<Source>[] =>
  docs.map(({ _id, data }) => {
    const { imageHashes } = data
    return {
      id: _id.toHexString(),
      ...data,
      ...(Array.isArray(imageHashes) && { imageHashes: Object.fromEntries(imageHashes) }),
    } as unknown as Stored<Source>
  })
