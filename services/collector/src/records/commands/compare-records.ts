import { iodsInternal, LIMITS } from '@iodine/contracts'
import { byId, type Kind, PEER_BACKOFF_MAX_MS, type StoreService } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, Types } from 'mongoose'
import type { CollectorModels } from '../../models.js'
import type { RecordDoc } from '../models/record.js'
import { comparedTexts } from '../presenters/facts.js'

/** Timeout for the texts of maximum length. */
const COMPARE_MS = 30_000
/** Batches per run of the handler. The remaining ones are enqueued behind other users. */
const STEPS = 5

/**
 * Registers the outbox kind that compares a user's new records with the IODs that existed when they were stored. It is a
 * kind of its own, so that an outage of the iods service delays no sightings.
 */
export const createRecordComparison = (
  { outbox, peers }: Pick<StoreService, 'outbox' | 'peers'>,
  { records }: Pick<CollectorModels, 'records'>,
): Kind<{ id: string }> =>
  outbox.kind('records.compared', {
    ...byId,
    concurrency: 1,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([user], { signal }) {
      for (let step = 0; user && step < STEPS && !signal.aborted; step++) {
        const docs = await records
          .find({ novelty: 'pending', user_id: new Types.ObjectId(user.id) })
          .limit(LIMITS.comparedRecordsMax)
          .lean<RecordDoc[]>()
        if (docs.length === 0) return
        const entries = docs.map(doc => ({ texts: comparedTexts(doc), until: doc.created_at.toISOString() }))
        const contained = await peers.call('iods', iodsInternal.containIods, {
          body: { entries },
          ms: COMPARE_MS,
        })
        const changed_at = new Date()
        await records.bulkWrite(
          docs.map(({ _id }, n) => ({
            updateOne: {
              filter: { _id },
              update: { $set: { novelty: contained[n] ? 'known' : 'new', changed_at } },
            },
          })) as AnyBulkWriteOperation<RecordDoc>[],
          { ordered: false },
        )
      }
      return 0
    },
  })
