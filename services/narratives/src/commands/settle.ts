import type { Job } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'
import { givenBack } from '../models/usage.js'
import type { Store } from '../store.js'

/** Time for the request that opened a narrative to add its job, before the repair does. */
const GRACE_MS = 15_000
/** How long a failed narrative keeps its reason for waiting requests. */
const FAILED_KEPT_MS = 600_000
const REPAIRS_MAX = 3
const REPAIR_BATCH = 500

/** Job id of a narrative's extraction. The prefix is needed: BullMQ refuses ids of digits alone. */
export const extractionJobId = ({ _id }: Pick<NarrativeDoc, '_id'>): string =>
  `narrative-${_id.toHexString()}`

export const nextCheck = (): Date => new Date(Date.now() + GRACE_MS)

/** Adds the narrative's extraction job. Idempotent: the job id derives from the narrative's id. */
export const addExtraction = ({ service }: Store, narrative: NarrativeDoc): Promise<Job> =>
  service.queues.add(
    'extraction',
    { narrative_id: narrative._id.toHexString(), user_id: narrative.user_id.toHexString() },
    { jobId: extractionJobId(narrative), attempts: 6 },
  )

/** Ends an open narrative without triplets. Returns false when it was no longer open. */
export const failNarrative = async (
  { narratives, quotas, expired }: Store,
  id: NarrativeDoc['_id'] | string,
  failure: NonNullable<NarrativeDoc['failure']>,
  retry_after?: number,
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const open = await narratives
      .findOneAndUpdate(
        { _id: id, state: 'open' },
        { $set: { state: 'failed', failure, retry_after, text: '' }, $unset: { check_at: 1 } },
        { session },
      )
      .lean<NarrativeDoc>()
    if (!open) return false
    await take(open.user_id, givenBack(open))
    await expired.add({ id: open._id.toHexString() }, { dueIn: FAILED_KEPT_MS, session })
    return true
  })

/** Ensures that an open narrative has a job which will end it. */
const repairExtraction = async (store: Store, narrative: NarrativeDoc): Promise<boolean> => {
  const { service, narratives } = store
  const job = await service.queues.queue('extraction').getJob(extractionJobId(narrative))
  if (job) {
    const state = await job.getState()
    if (state !== 'failed' && state !== 'completed') return false
    await job.remove()
    // Only jobs that ended count as repairs, not jobs that Redis lost.
    if (narrative.repairs >= REPAIRS_MAX) return failNarrative(store, narrative._id, 'unavailable')
    await narratives.updateOne({ _id: narrative._id }, { $inc: { repairs: 1 } })
  }
  await addExtraction(store, narrative)
  return true
}

/** Adds again the extractions that a lost Redis or a crash has left out. Returns their number. */
export const repairExtractions = async (store: Store): Promise<number> => {
  const { narratives } = store
  const due = await narratives
    .find({ state: 'open', check_at: { $lte: new Date() } })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<NarrativeDoc[]>()
  let repaired = 0
  for (const narrative of due) {
    // The next check is set first, so that a failing narrative does not block the others.
    await narratives.updateOne({ _id: narrative._id, state: 'open' }, { $max: { check_at: nextCheck() } })
    repaired += Number(await repairExtraction(store, narrative))
  }
  return repaired
}
