import {
  type Citation,
  type Iod,
  matchKey,
  matchKeys,
  type Narrative,
  type NewEvidence,
  type TextPlace,
  type Triplet,
} from '@iodine/contracts'

/** Returns the value of an IOD created from a triplet. */
export const tripletValue = ({
  subject,
  verb,
  object,
}: Pick<Triplet, 'subject' | 'verb' | 'object'>): string => `${subject} ${verb} ${object}`

/** Returns the suggested description of an IOD created from a triplet. */
export const tripletDescription = ({ subject, verb, object }: Triplet): string =>
  `Narrative triplet: ${subject} → ${verb} → ${object}`

/** Merges equal triplets of a text, with the number of occurrences and all ids. */
export const mergeEqual = (triplets: readonly Triplet[]): MergedTriplet[] => {
  const merged = new Map<string, MergedTriplet>()
  for (const triplet of triplets) {
    const key = JSON.stringify([triplet.subject, triplet.verb, triplet.object])
    const known = merged.get(key)
    if (known) {
      known.times++
      known.ids.push(triplet.id)
    } else merged.set(key, { triplet, times: 1, ids: [triplet.id] })
  }
  return [...merged.values()]
}

export interface MergedTriplet {
  triplet: Triplet
  times: number
  ids: number[]
}

/** Returns the first sentence in the text that contains one of the triplets; null if none was found. */
export function sentenceOf(ids: readonly number[], citations: readonly Citation[]): TextPlace | null {
  const [first] = citations
    .filter(({ triplet_id }) => ids.includes(triplet_id))
    .toSorted((a, b) => a.start - b.start)
  return first ? { start: first.start, end: first.end } : null
}

/** Returns a triplet's sentence as a quote for evidence of its IOD; null if no sentence was found. */
export function quoteOf(
  narrative: Narrative,
  triplet: Triplet,
  citations: readonly Citation[],
): NewEvidence | null {
  const place = sentenceOf([triplet.id], citations)
  return (
    place && { narrative_id: narrative.id, ...place, exact: narrative.text.slice(place.start, place.end) }
  )
}

/** Returns a function that finds a triplet's existing IOD: one with its value, or one created from it. */
export function iodMatcher(iods: readonly Iod[]): (triplet: Triplet) => Iod | undefined {
  const byKey = new Map<string, Iod>()
  const byTriplet = new Map<number, Iod>()
  for (const iod of iods) {
    byKey.set(matchKey(iod), iod)
    if (iod.source_type === 'NARRATIVES' && iod.source_id !== null) byTriplet.set(iod.source_id, iod)
  }
  const byValue = (value: string) => matchKeys(value).flatMap(key => byKey.get(key) ?? [])[0]
  return triplet => byTriplet.get(triplet.id) ?? byValue(tripletValue(triplet))
}
