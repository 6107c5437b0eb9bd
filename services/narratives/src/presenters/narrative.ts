import type { Narrative } from '@iodine/contracts'
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
