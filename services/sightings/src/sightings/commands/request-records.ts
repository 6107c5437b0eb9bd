import { id, recordsInternal } from '@iodine/contracts'
import { type Kind, PEER_BACKOFF_MAX_MS, type StoreService } from '@iodine/service-kit'
import { z } from 'zod'

const REQUEST_MS = 60_000

const page = z.strictObject({ after: id.nullable() })
/** A page of requested records: those after this id, or from the start for null. */
export type RecordPage = z.output<typeof page>

/** Creates the outbox kind whose handler requests all records from the collector for a new index, page by page. */
export const createRecordRequests = ({ outbox, peers }: StoreService): Kind<RecordPage> => {
  const requests = outbox.kind('records.requested', {
    payload: page,
    keyOf: () => 'index',
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([body]) {
      if (!body) return
      const { next } = await peers.call('collector', recordsInternal.redeliverRecords, {
        body,
        ms: REQUEST_MS,
      })
      if (next !== null) await requests.add({ after: next })
    },
  })
  return requests
}
