import type { DomainEvent } from '@iodine/contracts'
import { type Job, tellCommunity } from '@iodine/service-kit'
import { type NarrativeDoc, unchanged } from '../models/narrative.js'
import { givenBack } from '../models/usage.js'
import type { Store } from '../store.js'
import { queueCanon } from './mark-canon.js'
import { syncGraph } from './sync-graph.js'

/** Time for the request that changed a narrative to settle it, before the repair does. */
export const GRACE_MS = 15_000
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
  { narratives, quotas }: Store,
  id: NarrativeDoc['_id'] | string,
  failure: NonNullable<NarrativeDoc['failure']>,
  retry_after?: number,
): Promise<boolean> =>
  quotas.settle(async (session, take) => {
    const check_at = new Date(Date.now() + FAILED_KEPT_MS)
    const open = await narratives
      .findOneAndUpdate(
        { _id: id, state: 'open' },
        { $set: { state: 'failed', failure, retry_after, text: '', check_at } },
        { session },
      )
      .lean<NarrativeDoc>()
    if (open) await take(open.user_id, givenBack(open))
    return open !== null
  })

/** A text up to its 280th character that is no white space: more than a profile shows. */
const beginningOf = (text: string): string => /(?:\S\s*){0,280}/u.exec(text.trim())?.[0] ?? ''

/** The domain events of a finished narrative. */
export const eventsOfNarrative = ({
  _id,
  user_id,
  text,
  triplets,
  created_at,
  restored,
}: NarrativeDoc): DomainEvent[] => [
  {
    type: 'narrative.created',
    data: {
      id: _id.toHexString(),
      user_id: user_id.toHexString(),
      text: beginningOf(text),
      triplets: triplets.length,
      created_at: created_at.toISOString(),
      restored,
    },
  },
]

/** Queues a projection job that tells the community of a created or deleted narrative. */
const giveNotice = ({ service }: Store, { _id, state }: NarrativeDoc): Promise<void> =>
  service.queues.emit({
    type: state === 'done' ? 'narrative.created' : 'narrative.deleted',
    id: _id.toHexString(),
  })

const isRestorable = ({ restore_until }: NarrativeDoc): boolean =>
  restore_until !== undefined && restore_until.getTime() > Date.now()

/** Erases what a deleted narrative holds, so that it cannot be restored. */
export const erased = () => ({
  $set: { text: '', triplets: [], link_keys: [], node_keys: [] },
  $unset: { restore_until: 1 as const },
})

/**
 * Sends a created or deleted narrative to the community and marks the narrative as settled; a deleted one that
 * can still be restored is looked at again after that. Idempotent.
 */
export const announceNarrative = async (store: Store, id: string): Promise<void> => {
  const { narratives, service } = store
  const narrative = await narratives.findById(id).lean<NarrativeDoc>()
  if (narrative?.state !== 'done' && narrative?.state !== 'deleted') return
  const { user_id, state, restored, restore_until } = narrative
  const same = unchanged(narrative)
  await syncGraph(store, narrative)
  const events: DomainEvent[] =
    state === 'done'
      ? eventsOfNarrative(narrative)
      : [{ type: 'narrative.deleted', data: { id, user_id: user_id.toHexString(), restored } }]
  // Whatever the community says, what can no longer be restored is erased in time.
  await tellCommunity(service.peers, events, recheckAt =>
    narratives.updateOne(same, { $max: { check_at: isRestorable(narrative) ? restore_until : recheckAt } }),
  )
  if (state === 'done') await narratives.updateOne(same, { $unset: { check_at: 1 } })
  else if (isRestorable(narrative)) await narratives.updateOne(same, { $set: { check_at: restore_until } })
  else await narratives.deleteOne(same)
}

/**
 * Updates graph and community after a narrative is done or deleted. Resolves once the graph is updated; the
 * community may follow later.
 */
export const settle = async (store: Store, narrative: NarrativeDoc): Promise<void> => {
  await syncGraph(store, narrative)
  if (narrative.triplets.length > 0) await queueCanon(store, narrative.user_id)
  await giveNotice(store, narrative).catch(error =>
    store.service.log.warn({ err: error, narrative: narrative._id.toHexString() }, 'not announced yet'),
  )
}

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

/** Completes work after a crash or an outage of a service. Returns the number of narratives repaired. */
export const repairNarratives = async (store: Store): Promise<number> => {
  const { narratives } = store
  const due = await narratives
    .find({ check_at: { $lte: new Date() } })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<NarrativeDoc[]>()
  let repaired = 0
  for (const narrative of due) {
    const { _id, state } = narrative
    // The next check is set first, so that a failing narrative does not block the others.
    await narratives.updateOne({ _id, state }, { $max: { check_at: nextCheck() } })
    if (state === 'failed') await narratives.deleteOne({ _id, state })
    else if (state === 'open') repaired += Number(await repairExtraction(store, narrative))
    else {
      await syncGraph(store, narrative)
      // After the graph, which is counted down by the triplets.
      if (state === 'deleted' && !isRestorable(narrative))
        await narratives.updateOne(unchanged(narrative), erased())
      await giveNotice(store, narrative)
      repaired++
    }
  }
  return repaired
}
