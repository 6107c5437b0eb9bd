import type { DomainEvent } from '@iodine/contracts'
import {
  byId,
  type Kind,
  PEER_BACKOFF_MAX_MS,
  publishToCommunity,
  type StoreService,
} from '@iodine/service-kit'
import { foldDeletion, type SumsOutbox } from '../../graph/commands/sum-graph.js'
import type { NarrativeModels } from '../../models.js'
import { type NarrativeDoc, unchanged } from '../models/narrative.js'

/** Returns a text up to its 280th non-white-space character: more than a profile shows. */
const beginningOf = (text: string): string => /(?:\S\s*){0,280}/u.exec(text.trim())?.[0] ?? ''

/** Returns the domain events of a finished narrative. */
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

/** Returns the update that erases a deleted narrative's content, so that it cannot be restored. */
export const erased = () => ({
  $set: { text: '', triplets: [], link_keys: [], node_keys: [] },
  $unset: { restore_until: 1 as const },
})

/** Outbox kinds of narratives; keyed by narrative. */
export interface NarrativeWork {
  /** Publishes that a narrative was created, deleted or restored. */
  changed: Kind<{ id: string }>
  /** Erases a deleted narrative that is no longer restorable, and removes a failed one. */
  expired: Kind<{ id: string }>
}

export const createNarrativeWork = (
  { outbox, peers }: Pick<StoreService, 'outbox' | 'peers'>,
  models: NarrativeModels & SumsOutbox,
): NarrativeWork => ({
  changed: outbox.kind('narrative.changed', {
    ...byId,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    concurrency: 4,
    async handle([changed]) {
      const { narratives } = models
      const narrative = await narratives.findById(changed?.id).lean()
      if (narrative?.state !== 'done' && narrative?.state !== 'deleted') return
      if (narrative.state === 'done') return publishToCommunity(peers, eventsOfNarrative(narrative))
      const { _id, user_id, restored, restore_until } = narrative
      await foldDeletion(models, user_id)
      const data = { id: _id.toHexString(), user_id: user_id.toHexString(), restored }
      await publishToCommunity(peers, [{ type: 'narrative.deleted', data }])
      if (restore_until && isRestorable(narrative)) return restore_until.getTime() - Date.now()
      await narratives.deleteOne(unchanged(narrative))
    },
  }),
  expired: outbox.kind('narrative.expired', {
    ...byId,
    async handle([expired]) {
      const { narratives } = models
      const narrative = await narratives.findById(expired?.id).lean()
      if (!narrative) return
      if (narrative.state === 'failed') await narratives.deleteOne(unchanged(narrative))
      if (narrative.state !== 'deleted') return
      const { restore_until } = narrative
      if (restore_until && isRestorable(narrative)) return restore_until.getTime() - Date.now()
      // Independent of `changed`, which waits while the community service is down.
      await narratives.updateOne(unchanged(narrative), erased())
    },
  }),
})
