import { LIMITS } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
import { countInGraph } from '../../graph/commands/count-in-graph.js'
import type { Store } from '../../store.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { releasedUsage } from '../models/usage.js'
import { erased } from './narrative-work.js'

/** Maximum number of a user's restorable narratives, which count towards no quota. Above it, the oldest are erased. */
const RESTORABLE_MAX = 100

/** Erases a user's oldest restorable narratives above the limit. */
const boundRestorable = async (
  { narratives }: Store,
  { user_id }: NarrativeDoc,
  session: ClientSession,
): Promise<void> => {
  const restorable = { user_id, state: 'deleted' as const, restore_until: { $exists: true } }
  const surplus = await narratives
    .find(restorable, { _id: 1 }, { session })
    .sort({ restore_until: -1, _id: -1 })
    .skip(RESTORABLE_MAX)
    .lean()
  if (surplus.length > 0)
    await narratives.updateMany({ _id: { $in: surplus.map(({ _id }) => _id) } }, erased(), { session })
}

/**
 * Deletes a user's narrative, which can be restored for a minute. The result of a running extraction is discarded, and
 * its narrative cannot be restored. Resolves once the graph is updated.
 * @throws HttpError 404 for another user's narrative, and for a failed or deleted one
 */
export const deleteNarrative = async (store: Store, userId: string, id: string): Promise<void> => {
  const { narratives, quotas, changed, expired } = store
  const own = { _id: id, user_id: userId }
  const deleted = await quotas.settle(
    async (session, take) => {
      const $set = { state: 'deleted' as const, graph: null }
      const remove = (state: NarrativeDoc['state'], change: Partial<NarrativeDoc>) =>
        narratives.findOneAndUpdate({ ...own, state }, { $set: { ...$set, ...change } }, { session }).lean()
      const restore_until = new Date(Date.now() + LIMITS.restoreMs)
      const kept = (await remove('done', { restore_until })) ?? (await remove('open', { text: '' }))
      if (!kept) return kept
      await take(kept.user_id, releasedUsage(kept))
      if (kept.graph !== null) await countInGraph(store, kept, -1, session)
      await boundRestorable(store, kept, session)
      await changed.add({ id }, { session })
      await expired.add({ id }, { dueIn: LIMITS.restoreMs, session })
      return kept
      // Concurrent transactions may insert the user's first `canon` document: hence `retriesDuplicates`.
    },
    { retriesDuplicates: true },
  )
  if (!deleted) throw notFound()
}
