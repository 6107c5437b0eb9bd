import type { Citation } from '@iodine/contracts'
import { citationsOf } from '@iodine/evidence'
import type { NarrativeDoc, TripletDoc } from '../models/narrative.js'

/** The triplets with their citations: those that a version before stored without get theirs now. */
export const citedTriplets = ({ text, triplets }: Pick<NarrativeDoc, 'text' | 'triplets'>): TripletDoc[] => {
  if (triplets.every(({ cite }) => cite !== undefined)) return triplets
  const found = citationsOf(text, triplets)
  return triplets.map((triplet, n) => ({ ...triplet, cite: triplet.cite ?? found[n] ?? null }))
}

/** Where a narrative says its triplets; those whose words are not found are left out. */
export const citationsIn = (narrative: Pick<NarrativeDoc, 'text' | 'triplets'>): Citation[] =>
  citedTriplets(narrative).flatMap(({ id, cite }) =>
    cite ? { triplet_id: id, start: cite.start, end: cite.end } : [],
  )
