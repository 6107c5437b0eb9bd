import type { BodyFor, narrativesInternal } from '@iodine/contracts'
import { citationsOf } from '@iodine/evidence'
import type { Triplet } from './provider.js'
import type { TextPart } from './split.js'

type Result = Extract<BodyFor<typeof narrativesInternal.finishExtraction>, { triplets: unknown }>
/** A triplet, and where the text says it: found by us, never taken from the model. */
export type CitedTriplet = Result['triplets'][number]

/** Finds in a part what it says the triplets by, as offsets into the whole text. */
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
