import { byId, type Job, type KindSpec, type StoreService } from '@iodine/service-kit'
import type { NarrativeModels } from '../models/index.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { type createNarrativeQuotas, givenBack } from '../models/usage.js'
import type { NarrativeWork } from './narrative-work.js'

/** What an extraction's end needs of the service. */
type Extracting = Pick<NarrativeModels, 'narratives'> &
  Pick<NarrativeWork, 'expired'> & {
    quotas: ReturnType<typeof createNarrativeQuotas>
    service: StoreService
  }

/** Time until it is seen to that an open narrative has a job. */
export const EXTRACTION_GRACE_MS = 15_000
/** How long a failed narrative keeps its reason for waiting requests. */
const FAILED_KEPT_MS = 600_000
const REPAIRS_MAX = 3

/** Job id of a narrative's extraction. The prefix is needed: BullMQ refuses ids of digits alone. */
export const extractionJobId = ({ _id }: Pick<NarrativeDoc, '_id'>): string =>
  `narrative-${_id.toHexString()}`

/** Adds the narrative's extraction job. Idempotent: the job id derives from the narrative's id. */
export const addExtraction = (
  { service }: Pick<Extracting, 'service'>,
  narrative: NarrativeDoc,
): Promise<Job> =>
  service.queues.add(
    'extraction',
    { narrative_id: narrative._id.toHexString(), user_id: narrative.user_id.toHexString() },
    { jobId: extractionJobId(narrative), attempts: 6 },
  )

/** Ends an open narrative without triplets. Returns false when it was no longer open. */
export const failNarrative = async (
  { narratives, quotas, expired }: Extracting,
  id: NarrativeDoc['_id'] | string,
  failure: NonNullable<NarrativeDoc['failure']>,
  retry_after?: number,
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const open = await narratives
      .findOneAndUpdate(
        { _id: id, state: 'open' },
        { $set: { state: 'failed', failure, retry_after, text: '' } },
        { session },
      )
      .lean<NarrativeDoc>()
    if (!open) return false
    await take(open.user_id, givenBack(open))
    await expired.add({ id: open._id.toHexString() }, { dueIn: FAILED_KEPT_MS, session })
    return true
  })

/** Work of the outbox: sees that an open narrative has a job which will end it. Its request adds the first one. */
export const extractionWork = (of: () => Extracting): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: EXTRACTION_GRACE_MS,
  async handle([opened]) {
    const store = of()
    const { service, narratives } = store
    const narrative = await narratives.findOne({ _id: opened?.id, state: 'open' }).lean<NarrativeDoc>()
    if (!narrative) return
    const job = await service.queues.queue('extraction').getJob(extractionJobId(narrative))
    const state = await job?.getState()
    if (job && (state === 'failed' || state === 'completed')) {
      await job.remove()
      // Only jobs that ended count as repairs, not jobs that Redis lost.
      if (narrative.repairs >= REPAIRS_MAX) {
        await failNarrative(store, narrative._id, 'unavailable')
        return
      }
      await narratives.updateOne({ _id: narrative._id }, { $inc: { repairs: 1 } })
    }
    await addExtraction(store, narrative)
    return EXTRACTION_GRACE_MS
  },
})
