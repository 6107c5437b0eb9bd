import type { BodyFor, narrativesInternal } from '@iodine/contracts'
import { citationsOf } from '@iodine/evidence'
import type { Triplet } from './provider.js'
import type { TextPart } from './split.js'

type Result = Extract<BodyFor<typeof narrativesInternal.finishExtraction>, { triplets: unknown }>
/** A triplet and its citation, which is computed here and never taken from the model. */
export type CitedTriplet = Result['triplets'][number]

/** Finds the citations of triplets in a part, as offsets into the whole text. */
export const citeTriplets = ({ text, start }: TextPart, triplets: readonly Triplet[]): CitedTriplet[] => {
  const citations = citationsOf(text, triplets)
  return triplets.map((triplet, n) => {
    const found = citations[n]
    return {
      ...triplet,
      cite: found ? { start: start + found.start, end: start + found.end, score: found.score } : null,
    }
  })
}
