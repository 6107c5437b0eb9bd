import { notFound } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'
import type { Store } from '../store.js'
import { nextCheck, settle } from './settle.js'

/**
 * Deletes a user's narrative, also one whose extraction is under way: what that brings finds nothing to end. Resolves
 * once the graph shows it. Throws 404 for another's, and for one that nobody sees.
 */
export const deleteNarrative = async (store: Store, userId: string, id: string): Promise<void> => {
  const { narratives } = store
  const deleted = await narratives
    .findOneAndUpdate(
      // `deleted`: an earlier call was cut off before it had settled.
      { _id: id, user_id: userId, state: { $in: ['open', 'done', 'deleted'] } },
      { $set: { state: 'deleted', text: '', check_at: nextCheck() } },
      { returnDocument: 'after' },
    )
    .lean<NarrativeDoc>()
  if (!deleted) throw notFound()
  await settle(store, deleted)
}
