import { LIMITS, type Narrative, type OpenNarrative } from '@iodine/contracts'
import type { NarrativeDoc } from '../models/narrative.js'

export const presentNarrative = ({ _id, text, src, triplets }: NarrativeDoc): Narrative => ({
  id: _id.toHexString(),
  text,
  src,
  triplets: triplets.map(({ id, subject, verb, object }) => ({
    id,
    subject,
    verb,
    object,
    narrative_data: { src },
  })),
})

export const presentOpenNarrative = (
  { _id, text, src, created_at }: NarrativeDoc,
  progress: OpenNarrative['progress'],
): OpenNarrative => ({
  id: _id.toHexString(),
  // The slice may split a surrogate pair.
  text: text.slice(0, LIMITS.openNarrativeTextMax).toWellFormed(),
  text_length: text.length,
  src,
  created_at: created_at.toISOString(),
  progress,
})
