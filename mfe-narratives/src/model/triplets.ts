import { foldValue, type Iod, LIMITS, type Triplet } from '@iodine/contracts'

const LOOKUP_BYTES_MAX = LIMITS.bodyBytes * 0.8

/** What a triplet becomes as an IOD's value. */
export const tripletValue = ({
  subject,
  verb,
  object,
}: Pick<Triplet, 'subject' | 'verb' | 'object'>): string => `${subject} ${verb} ${object}`

/** The description a triplet's IOD starts with. */
export const tripletDescription = ({ subject, verb, object }: Triplet): string =>
  `Narrative triplet: ${subject} → ${verb} → ${object}`

/** Values cut into lists that one lookup takes, by number and by size; doubles fall away. */
export function lookupBatches(values: readonly string[], bytesMax: number = LOOKUP_BYTES_MAX): string[][] {
  const encoder = new TextEncoder()
  const batches: string[][] = []
  let batch: string[] = []
  let bytes = 0
  for (const value of new Set(values)) {
    const size = encoder.encode(JSON.stringify(value)).length + 1
    if (batch.length > 0 && (batch.length === LIMITS.lookupValuesMax || bytes + size > bytesMax)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(value)
    bytes += size
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

/** Tells the IOD that a triplet already is: by value, or made from this very triplet under another value. */
export function iodMatcher(iods: readonly Iod[]): (triplet: Triplet) => Iod | undefined {
  const byValue = new Map<string, Iod>()
  const byTriplet = new Map<number, Iod>()
  for (const iod of iods) {
    byValue.set(foldValue(iod.value), iod)
    if (iod.source_type === 'NARRATIVES' && iod.source_id !== null) byTriplet.set(iod.source_id, iod)
  }
  return triplet => byTriplet.get(triplet.id) ?? byValue.get(foldValue(tripletValue(triplet)))
}
