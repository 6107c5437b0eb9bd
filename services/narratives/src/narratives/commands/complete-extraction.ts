import type { BodyOf, narrativesInternal } from '@iodine/contracts'
import {
  byId,
  inTransaction,
  type Job,
  type Kind,
  type KindSpec,
  notFound,
  type StoreService,
} from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Clusterings } from '../../canon/commands/mark-canon.js'
import { countInGraph } from '../../graph/commands/count-in-graph.js'
import type { NarrativeModels } from '../../models.js'
import type { Numbers } from '../models/counter.js'
import { extractionJobId, graphKeysOf, type NarrativeDoc } from '../models/narrative.js'
import { type createNarrativeQuotas, releasedUsage } from '../models/usage.js'
import type { NarrativeWork } from './narrative-work.js'
import type { Waits } from './waits.js'

type ExtractionContext = Pick<NarrativeModels, 'narratives'> &
  Pick<NarrativeWork, 'expired'> & {
    quotas: ReturnType<typeof createNarrativeQuotas>
    service: StoreService
  }

type CompletionContext = ExtractionContext &
  NarrativeModels &
  Clusterings &
  Pick<NarrativeWork, 'changed'> & { extractions: Kind<{ id: string }>; numbers: Numbers; waits: Waits }

/** Interval of the checks that an open narrative has a job. */
export const EXTRACTION_GRACE_MS = 15_000
/** Retention of failed narratives, whose failure waiting requests read. */
const FAILED_KEPT_MS = 600_000
/** Maximum number of jobs that replace a job without a result. */
const RETRIES_MAX = 3

/** Adds the narrative's extraction job. Idempotent: the job id derives from the narrative's id. */
export const addExtraction = (
  { service }: Pick<ExtractionContext, 'service'>,
  narrative: NarrativeDoc,
): Promise<Job> =>
  service.queues.add(
    'extraction',
    { narrative_id: narrative._id.toHexString(), user_id: narrative.user_id.toHexString() },
    { jobId: extractionJobId(narrative), attempts: 6 },
  )

/** Marks an open narrative as failed. Resolves to false if it is not open. */
export const failNarrative = async (
  { narratives, quotas, expired }: ExtractionContext,
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
      .lean()
    if (!open) return false
    await take(open.user_id, releasedUsage(open))
    await expired.add({ id: open._id.toHexString() }, { dueIn: FAILED_KEPT_MS, session })
    return true
  })

/**
 * Stores an extraction's result and counts it in the graph in one transaction, then answers the requests of this
 * process that wait for it. Idempotent: it changes open narratives only, and a repeated call returns the same count.
 * @throws HttpError 404 when the narrative was deleted meanwhile
 */
export const finishExtraction = async (
  store: CompletionContext,
  id: string,
  result: BodyOf<typeof narrativesInternal.finishExtraction>,
): Promise<number> => {
  const { mongo, narratives, numbers, waits, changed, extractions } = store
  let narrative: NarrativeDoc | null = null
  if ('failure' in result) await failNarrative(store, id, result.failure, result.retry_after)
  else {
    const first = await numbers.take(result.triplets.length)
    const triplets = result.triplets.map((triplet, n) => ({ id: first + n, cite: null, ...triplet }))
    const $set = { state: 'done', triplets, ...graphKeysOf(triplets) }
    const finish = async (session: ClientSession): Promise<NarrativeDoc | null> => {
      const done = await narratives
        .findOneAndUpdate(
          { _id: id, state: 'open' },
          { $set: { ...$set, graph: new Types.ObjectId() } },
          { session, returnDocument: 'after' },
        )
        .lean()
      if (!done) return done
      await countInGraph(store, done, 1, session)
      await changed.add({ id }, { session })
      return done
    }
    narrative = await inTransaction(mongo, finish, { retriesDuplicates: true })
  }
  narrative ??= await narratives.findById(id).lean()
  if (!narrative || narrative.state === 'deleted') throw notFound()
  waits.end(narrative)
  await extractions.complete(id)
  return narrative.triplets.length
}

/** Outbox handler: adds an open narrative's job again if it was lost or ended. The request adds the first job. */
export const extractionWork = (of: () => ExtractionContext): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: EXTRACTION_GRACE_MS,
  async handle([opened]) {
    const store = of()
    const { service, narratives } = store
    const narrative = await narratives.findOne({ _id: opened?.id, state: 'open' }).lean()
    if (!narrative) return
    const job = await service.queues.queue('extraction').getJob(extractionJobId(narrative))
    const state = await job?.getState()
    if (job && (state === 'failed' || state === 'completed')) {
      await job.remove()
      // Only ended jobs count as retries, not jobs that Redis lost.
      if (narrative.retries >= RETRIES_MAX) {
        await failNarrative(store, narrative._id, 'unavailable')
        return
      }
      await narratives.updateOne({ _id: narrative._id }, { $inc: { retries: 1 } })
    }
    await addExtraction(store, narrative)
    return EXTRACTION_GRACE_MS
  },
})
