import { narrativesInternal } from '@iodine/contracts'
import { defineProcessor } from '../processor.js'

/** Syncs the graph with a created or deleted narrative; mostly the request has done so already. */
export const graphProcessor = defineProcessor({
  queue: 'graph',
  async create({ service }) {
    return async ({ narrative_id: id }) => {
      await service.peers.call('narratives', narrativesInternal.syncGraph, { params: { id }, ms: 10_000 })
    }
  },
})
