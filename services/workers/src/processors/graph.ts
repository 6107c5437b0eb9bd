import { narrativesInternal } from '@iodine/contracts'
import { defineProcessor } from '../processor.js'

/** Brings the graph in line with a narrative that came or went; mostly it finds that done. */
export const graphProcessor = defineProcessor({
  queue: 'graph',
  async create({ service }) {
    return async ({ narrative_id: id }) => {
      await service.peers.call('narratives', narrativesInternal.syncGraph, { params: { id }, ms: 10_000 })
    }
  },
})
