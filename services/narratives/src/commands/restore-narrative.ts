import { DETAILS } from '@iodine/contracts'
import { conflict, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { NarrativeDoc } from '../models/narrative.js'
import { usageOf } from '../models/usage.js'
import type { Store } from '../store.js'
import { countInGraph } from './count-in-graph.js'

/**
 * Brings back a narrative that its user deleted less than a minute ago, with its triplets. Resolves once the
 * graph counts it again. Throws 404 for another user's narrative and for one that is erased, 409 for one that
 * is not deleted, 413 when the user's quota is used up.
 */
export const restoreNarrative = async (store: Store, userId: string, id: string): Promise<void> => {
  const { narratives, quotas, changed } = store
  const mine = { _id: id, user_id: userId }
  const restored = await quotas.settle(
    async (session, take) => {
      const narrative = await narratives
        .findOneAndUpdate(
          { ...mine, state: 'deleted', restore_until: { $gt: new Date() } },
          {
            $set: { state: 'done', graph: new Types.ObjectId() },
            $inc: { restored: 1 },
            $unset: { restore_until: 1 },
          },
          { session, returnDocument: 'after' },
        )
        .lean<NarrativeDoc>()
      if (!narrative) return narrative
      await take(narrative.user_id, usageOf(narrative))
      await countInGraph(store, narrative, 1, session)
      await changed.add({ id }, { session })
      return narrative
    },
    { retriesDuplicates: true },
  )
  if (restored) return
  throw (await narratives.exists({ ...mine, state: 'done' })) ? conflict(DETAILS.notDeleted) : notFound()
}
