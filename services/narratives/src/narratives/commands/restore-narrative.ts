import { DETAILS } from '@iodine/contracts'
import { conflict, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { countInGraph } from '../../graph/commands/count-in-graph.js'
import type { Store } from '../../store.js'
import { usageOf } from '../models/usage.js'

/**
 * Restores a narrative that its user deleted less than a minute ago, with its triplets. Resolves once the graph is
 * updated.
 * @throws HttpError 404 for another user's or an erased narrative, 409 if it is not deleted, 413 above the user's quota
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
        .lean()
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
