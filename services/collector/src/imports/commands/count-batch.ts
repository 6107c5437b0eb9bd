import type { IngestResult, RecordOf, Source } from '@iodine/contracts'
import { conflict, invalid } from '@iodine/service-kit'
import type { ClientSession, Model } from 'mongoose'
import type { RecordImportDoc } from '../models/record-import.js'

/** Reasons that are listed; further ones count as the last. */
const REASONS_MAX = 50
const OTHER_REASONS = 'other reasons'

const undone = () => conflict('This import is being undone')

/**
 * Checks the position of a batch. Only the next batch, or a repetition of the last one, is accepted, so that each record
 * counts once.
 * @throws HttpError 409 for another position or while the import is undone, 422 beyond the stated total
 */
export const checkPosition = (run: RecordImportDoc, offset: number, records: number): void => {
  if (run.state !== 'open') throw undone()
  if (offset !== run.received && offset !== run.received_before)
    throw conflict(`offset: must be ${run.received}`)
  if (offset + records > run.total)
    throw invalid([`records: the import has ${run.total}, this would be ${offset + records}`])
}

/** Returns whether a record states when it was collected: the file's time does not. */
export const isTimed = ({ file_time }: RecordImportDoc, record: RecordOf[Source]): boolean =>
  file_time !== undefined && Date.parse(record.collector_metadata.fetch_timestamp) !== file_time.getTime()

/** Counts created and merged records in the transaction that stores them. @throws HttpError 409 if it is being undone */
export const countWritten = async (
  imports: Model<RecordImportDoc>,
  { _id }: RecordImportDoc,
  written: (IngestResult | undefined)[],
  session: ClientSession,
): Promise<void> => {
  const count = (status: string) =>
    written.filter(result => result && 'status' in result && result.status === status).length
  const $inc = { created: count('created'), merged: count('updated') }
  const { matchedCount } = await imports.updateOne({ _id, state: 'open' }, { $inc }, { session })
  if (matchedCount === 0) throw undone()
}

/** Records that a batch was received, with its refusals by reason. A repeated batch changes nothing. */
export const countReceived = async (
  imports: Model<RecordImportDoc>,
  { _id, received, refused }: RecordImportDoc,
  results: IngestResult[],
): Promise<void> => {
  const counts = new Map(refused.map(({ reason, count }) => [reason, count]))
  for (const result of results)
    if ('error' in result) {
      const [reason = ''] = [result.error].flat()
      const listed = counts.has(reason) || counts.size < REASONS_MAX ? reason : OTHER_REASONS
      counts.set(listed, (counts.get(listed) ?? 0) + 1)
    }
  await imports.updateOne(
    { _id, received },
    {
      $set: {
        received: received + results.length,
        received_before: received,
        refused: [...counts].map(([reason, count]) => ({ reason, count })),
      },
    },
  )
}
