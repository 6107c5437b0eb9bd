import type { SightingModels } from '../../models.js'

/** Size of a sighting in BSON with a signature of full length and some links; reading them all would take long. */
const SIGHTING_BYTES = 2_500
/** Size of an edge of a run with some pairs. */
const EDGE_BYTES = 1_000

/** Number of sightings, and about how many bytes they take. */
export const storedOf = async ({
  sightings,
  edges,
}: Pick<SightingModels, 'sightings' | 'edges'>): Promise<{ documents: number; bytes: number }> => {
  const [seen, found] = await Promise.all([
    sightings.estimatedDocumentCount(),
    edges.estimatedDocumentCount(),
  ])
  return { documents: seen + found, bytes: seen * SIGHTING_BYTES + found * EDGE_BYTES }
}
