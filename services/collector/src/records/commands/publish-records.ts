import { id, LIMITS } from '@iodine/contracts'
import {
  type Kind,
  PEER_BACKOFF_MAX_MS,
  publishRecordsToWatchers,
  type StoreService,
} from '@iodine/service-kit'
import { z } from 'zod'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc } from '../models/record.js'
import { presentSighting } from '../presenters/sighting.js'

const watchedRecords = z.strictObject({ ids: z.array(id).max(LIMITS.sightingsBatch) })
/** Records of one user. */
export type WatchedRecords = Kind<z.output<typeof watchedRecords>>

/**
 * Registers the outbox kind that publishes records to those who watch what they contain. It is a kind of its own, so that
 * an outage of the notifications service delays no sightings.
 */
export const createWatchedRecords = (
  { outbox, peers }: StoreService,
  { records }: Pick<CollectorModels, 'records'>,
): WatchedRecords =>
  outbox.kind('records.watched', {
    payload: watchedRecords,
    concurrency: 2,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([batch]) {
      const docs = await records.find({ _id: { $in: batch?.ids ?? [] } }).lean<RecordDoc[]>()
      const [first] = docs
      if (!first) return
      await publishRecordsToWatchers(peers, {
        user_id: first.user_id.toHexString(),
        records: docs.map(presentSighting),
      })
    },
  })
