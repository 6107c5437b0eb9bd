import { narrativesInternal, rebuildInternal } from '@iodine/contracts'
import {
  notFound,
  personalSource,
  serveHistory,
  servePersonalData,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import type { NarrativesConfig } from '../../config.js'
import { rebuildStep } from '../../graph/commands/rebuild-graph.js'
import type { Store } from '../../store.js'
import { finishExtraction } from '../commands/complete-extraction.js'
import { eraseUser } from '../commands/forget-user.js'
import { eventsOfNarrative } from '../commands/narrative-work.js'
import { checkQuote } from '../queries/check-quote.js'

const personalSources = ({ narratives, edges, canonRules, canonDecisions, canonMembers }: Store) => [
  personalSource(
    'narrative',
    narratives,
    user_id => ({ user_id, state: { $ne: 'deleted' as const } }),
    ({
      open_key: _key,
      link_keys: _links,
      node_keys: _nodes,
      graph: _graph,
      retries: _retries,
      ...narrative
    }) => narrative,
  ),
  personalSource(
    'graph_edge',
    edges,
    user_id => ({ user_id, count: { $gt: 0 } }),
    ({ day, src, subject, verb, object, count }) => ({ day, src, subject, verb, object, count }),
  ),
  personalSource(
    'canonical_rule',
    canonRules,
    user_id => ({ user_id }),
    ({ kind, a, b, relation, at }) => ({ kind, a, b, relation, at }),
  ),
  personalSource(
    'canonical_decision',
    canonDecisions,
    user_id => ({ user_id }),
    ({ action, changes, narrative, created_at, undone_at }) => ({
      action,
      changes: changes.map(({ kind, left, right }) => ({ kind, left, right })),
      narrative,
      created_at,
      undone_at,
    }),
  ),
  personalSource(
    'canonical_label',
    canonMembers,
    user_id => ({ user_id }),
    ({ kind, key, cluster, why }) => ({ kind, key, cluster, why }),
  ),
]

/** Adds the routes for the workers and other services. */
export const addInternalRoutes = (
  store: Store,
  { STORAGE_ALARM_BYTES }: Pick<NarrativesConfig, 'STORAGE_ALARM_BYTES'>,
): void => {
  const { service, narratives, quotas, waits } = store

  service.internal(narrativesInternal.getExtractionWork, async ({ params }) => {
    const open = await narratives.findOne({ _id: params.id, state: 'open' }).lean()
    if (!open) throw notFound()
    const sealed_key = waits.takeKey(params.id)
    return { user_id: open.user_id.toHexString(), text: open.text, ...(sealed_key && { sealed_key }) }
  })

  service.internal(narrativesInternal.finishExtraction, async ({ params, body }) => ({
    triplets_extracted: await finishExtraction(store, params.id, body),
  }))

  service.internal(narrativesInternal.checkQuote, async ({ params, body }) =>
    checkQuote(store, params.id, body),
  )

  service.internal(narrativesInternal.getText, async ({ params: { id }, body: { user_id } }) => {
    const narrative = await narratives.findOne({ _id: id, user_id, state: 'done' }).lean()
    if (!narrative) throw notFound()
    return { text: narrative.text, src: narrative.src }
  })

  servePersonalData(service, {
    sources: personalSources(store),
    forget: userId => eraseUser(store, userId),
  })

  serveHistory(service, narratives, { state: 'done' }, eventsOfNarrative)

  service.internal(rebuildInternal.rebuildStep, async ({ body }) => rebuildStep(store, body.cursor))

  serveUsage(service, quotas)
  watchStorage(service, async () => {
    const { narratives: documents = 0, bytes = 0 } = await quotas.totals()
    return { documents, bytes, share: bytes / STORAGE_ALARM_BYTES }
  })
}
