import { type Iod, matchKey, matchKeys, type Triplet } from '@iodine/contracts'

/** The value of an IOD created from a triplet. */
export const tripletValue = ({
  subject,
  verb,
  object,
}: Pick<Triplet, 'subject' | 'verb' | 'object'>): string => `${subject} ${verb} ${object}`

/** The suggested description of an IOD created from a triplet. */
export const tripletDescription = ({ subject, verb, object }: Triplet): string =>
  `Narrative triplet: ${subject} → ${verb} → ${object}`

/** The triplets of a text, each of the same words once, with how often the text has it. */
export const mergeEqual = (triplets: readonly Triplet[]): { triplet: Triplet; times: number }[] => {
  const merged = new Map<string, { triplet: Triplet; times: number }>()
  for (const triplet of triplets) {
    const key = JSON.stringify([triplet.subject, triplet.verb, triplet.object])
    const known = merged.get(key)
    if (known) known.times++
    else merged.set(key, { triplet, times: 1 })
  }
  return [...merged.values()]
}

/** Finds a triplet's existing IOD: one with its value, or one created from it with another value. */
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
