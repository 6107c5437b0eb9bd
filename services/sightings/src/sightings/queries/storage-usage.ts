import type { SightingModels } from '../../models.js'

/** Estimated BSON size of a sighting with a full signature and some links. */
const SIGHTING_BYTES = 2_500
/** Estimated BSON size of an edge with some pairs. */
const EDGE_BYTES = 1_000

/** Estimates the number and bytes of stored sightings and edges, without reading them. */
export const storageUsage = async ({
  sightings,
  edges,
}: Pick<SightingModels, 'sightings' | 'edges'>): Promise<{ documents: number; bytes: number }> => {
  const [seen, found] = await Promise.all([
    sightings.estimatedDocumentCount(),
    edges.estimatedDocumentCount(),
  ])
  return { documents: seen + found, bytes: seen * SIGHTING_BYTES + found * EDGE_BYTES }
}
