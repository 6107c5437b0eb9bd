import type { DomainEvent } from '@iodine/contracts'
import { byId, type Kind, PEER_BACKOFF_MAX_MS, type StoreService, tellCommunity } from '@iodine/service-kit'
import type { NarrativeModels } from '../models/index.js'
import { type NarrativeDoc, unchanged } from '../models/narrative.js'
import { foldDeletion, type Summing } from './sum-graph.js'

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

const isRestorable = ({ restore_until }: NarrativeDoc): boolean =>
  restore_until !== undefined && restore_until.getTime() > Date.now()

/** Erases what a deleted narrative holds, so that it cannot be restored. */
export const erased = () => ({
  $set: { text: '', triplets: [], link_keys: [], node_keys: [] },
  $unset: { restore_until: 1 as const },
})

/** Work of the outbox that follows a change of a narrative. */
export interface NarrativeWork {
  /** Publishes that a narrative was created, deleted or restored; its key is the narrative's id. */
  changed: Kind<{ id: string }>
  /** Erases a deleted narrative whose time for restoring is over, and removes a failed one. */
  expired: Kind<{ id: string }>
}

export const createNarrativeWork = (
  { outbox, peers }: Pick<StoreService, 'outbox' | 'peers'>,
  models: NarrativeModels & Summing,
): NarrativeWork => ({
  changed: outbox.kind('narrative.changed', {
    ...byId,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    concurrency: 4,
    async handle([changed]) {
      const { narratives } = models
      const narrative = await narratives.findById(changed?.id).lean<NarrativeDoc>()
      if (narrative?.state !== 'done' && narrative?.state !== 'deleted') return
      if (narrative.state === 'done') return tellCommunity(peers, eventsOfNarrative(narrative))
      const { _id, user_id, restored, restore_until } = narrative
      await foldDeletion(models, user_id)
      const data = { id: _id.toHexString(), user_id: user_id.toHexString(), restored }
      await tellCommunity(peers, [{ type: 'narrative.deleted', data }])
      if (restore_until && isRestorable(narrative)) return restore_until.getTime() - Date.now()
      await narratives.deleteOne(unchanged(narrative))
    },
  }),
  expired: outbox.kind('narrative.expired', {
    ...byId,
    async handle([expired]) {
      const { narratives } = models
      const narrative = await narratives.findById(expired?.id).lean<NarrativeDoc>()
      if (!narrative) return
      if (narrative.state === 'failed') await narratives.deleteOne(unchanged(narrative))
      if (narrative.state !== 'deleted') return
      const { restore_until } = narrative
      if (restore_until && isRestorable(narrative)) return restore_until.getTime() - Date.now()
      // Also while the community service is down.
      await narratives.updateOne(unchanged(narrative), erased())
    },
  }),
})
