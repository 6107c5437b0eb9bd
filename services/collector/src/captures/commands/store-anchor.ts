import { checkpointText } from '@iodine/evidence'
import { checkTimestamp } from '@iodine/evidence/timestamp'
import { invalid } from '@iodine/service-kit'
import type { LogModels } from '../models/log.js'
import { presentCheckpoint } from '../presenters/capture.js'
import { checkpointOf, newestCheckpoint } from '../queries/read-log.js'

/** Returns the newest checkpoint's size and signed text, or null if it has a time-stamp. */
export const dueAnchor = async (log: LogModels): Promise<{ size: number; text: string } | null> => {
  const newest = await newestCheckpoint(log)
  if (!newest || newest.anchors) return null
  return { size: newest._id, text: checkpointText(presentCheckpoint(newest)) }
}

/**
 * Stores an authority's time-stamp token over a checkpoint. The first token stays.
 * @param token DER in base64
 * @throws HttpError 404 for a size that the log never had, 422 for a token over other data
 */
export const storeAnchor = async (
  log: LogModels,
  { size, tsa, token }: { size: number; tsa: string; token: string },
): Promise<void> => {
  const text = checkpointText(presentCheckpoint(await checkpointOf(log, size)))
  const { at } = await checkTimestamp(new Uint8Array(Buffer.from(token, 'base64')), text).catch(error => {
    throw invalid([`token: ${error instanceof Error ? error.message : 'can’t be read'}`])
  })
  await log.checkpoints.updateOne(
    { _id: size, anchored_size: { $exists: false } },
    { $set: { anchors: [{ tsa, token, at }], anchored_size: size } },
  )
}
