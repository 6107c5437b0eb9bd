import { canonInternal, canonicalApi } from '@iodine/contracts'
import { done, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { applyCanon } from '../commands/apply-canon.js'
import { markComparison } from '../commands/mark-canon.js'
import { mergeNarratives } from '../commands/merge-narratives.js'
import { splitNarrative } from '../commands/split-narrative.js'
import { undoDecision } from '../commands/undo-decision.js'
import { isClustered } from '../models/canon.js'
import { presentDecision } from '../presenters/canonical.js'
import { canonWork } from '../queries/canon-work.js'

/** Default page size. */
const DECISIONS_PAGE = 100

/** Adds the routes for the clustering of a user's labels: its state, the user's decisions, and the worker's results. */
export const addDecisionRoutes = (store: Store): void => {
  const { service, canon, canonDecisions, quotas } = store

  service.route(canonicalApi.getCanonicalState, async ({ user }) => {
    const _id = new Types.ObjectId(user.id)
    const [state, usage] = await Promise.all([canon.findById(_id).lean(), quotas.usage(_id)])
    return {
      pending: state !== null && !isClustered(state),
      method: state?.method ?? 'offline',
      comparing: state?.compare ?? false,
      failure: state?.failure ?? null,
      rules: usage.canon_rules ?? { used: 0, limit: 0 },
    }
  })

  service.route(canonicalApi.compareByMeaning, ({ user }) =>
    done(markComparison(store, new Types.ObjectId(user.id))),
  )

  service.route(canonicalApi.listDecisions, async ({ user, query, reply }) =>
    sendList(reply, {
      model: canonDecisions,
      filter: { user_id: user.id },
      limit: query.limit ?? DECISIONS_PAGE,
      cursor: query.cursor,
      present: docs => docs.map(presentDecision),
    }),
  )

  service.route(canonicalApi.undoDecision, ({ user, params }) =>
    done(undoDecision(store, user.id, params.id)),
  )

  service.route(canonicalApi.mergeCanonical, async ({ user, params, body }) =>
    mergeNarratives(store, user.id, params.id, body.with, body.scope),
  )

  service.route(canonicalApi.splitCanonical, async ({ user, params, body }) =>
    splitNarrative(store, user.id, params.id, body),
  )

  service.internal(canonInternal.getCanonWork, async ({ params }) =>
    canonWork(store, new Types.ObjectId(params.user_id)),
  )

  service.internal(canonInternal.applyCanon, async ({ params, body }) => ({
    applied: await applyCanon(store, new Types.ObjectId(params.user_id), body),
  }))
}
