import type { SightingModels } from '../models/index.js'

/** Size of a sighting in BSON with a signature of full length and some links; reading them all would take long. */
const SIGHTING_BYTES = 2_500

/** Number of sightings, and about how many bytes they take. */
export const storedOf = async ({
  sightings,
}: Pick<SightingModels, 'sightings'>): Promise<{ documents: number; bytes: number }> => {
  const documents = await sightings.estimatedDocumentCount()
  return { documents, bytes: documents * SIGHTING_BYTES }
}
