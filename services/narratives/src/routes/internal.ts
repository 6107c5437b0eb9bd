import { narrativesInternal, repairInternal } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { finishExtraction } from '../commands/finish-extraction.js'
import { repairNarratives } from '../commands/settle.js'
import { syncGraph } from '../commands/sync-graph.js'
import type { NarrativeDoc } from '../models/narrative.js'
import type { Store } from '../store.js'

export const addInternalRoutes = (store: Store): void => {
  const { service, narratives } = store

  service.internal(narrativesInternal.getExtractionWork, async ({ params }) => {
    const open = await narratives.findOne({ _id: params.id, state: 'open' }).lean<NarrativeDoc>()
    if (!open) throw notFound()
    return { user_id: open.user_id.toHexString(), text: open.text }
  })

  service.internal(narrativesInternal.finishExtraction, async ({ params, body }) => ({
    triplets_extracted: await finishExtraction(store, params.id, body),
  }))

  service.internal(narrativesInternal.syncGraph, async ({ params }) => {
    await syncGraph(store, params.id)
    return { done: true }
  })

  service.internal(repairInternal.repair, async () => ({ repaired: await repairNarratives(store) }))
}
