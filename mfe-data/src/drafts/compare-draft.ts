import { naturalKey } from '@iodine/contracts'
import type { ApiClient } from '@iodine/mfe-kit'
import type { Draft, StoredBatch } from '../model/import-draft'
import type { ImportedRecord } from '../model/import-plan'
import { nextBatch, storeDraft } from './database'

/** Returns the natural keys of a batch, without records that have none. */
const keysOf = ({ source, records }: StoredBatch): string[] => {
  const keyOf = naturalKey[source] as (record: ImportedRecord) => string | undefined
  return records.map(keyOf).filter(key => key !== undefined)
}

/** Asks the server which records of a draft the user has already, and stores their number. */
export const compareDraft = async (draft: Draft, api: ApiClient, signal: AbortSignal): Promise<Draft> => {
  let known = 0
  let batch = await nextBatch(draft.id, 0)
  while (batch) {
    const { source } = batch
    const keys = keysOf(batch)
    if (keys.length > 0) {
      const answers = await api.call('POST /:source/data/known', {
        params: { source },
        body: { keys },
        signal,
      })
      known += answers.filter(Boolean).length
    }
    batch = await nextBatch(draft.id, batch.offset + 1)
  }
  signal.throwIfAborted()
  const compared = { ...draft, known }
  await storeDraft(compared)
  return compared
}
