import { LIMITS } from '@iodine/contracts'

/** Maximum UTF-16 units of a look-up, below the server's limit: each takes up to 6 bytes of JSON. */
const LOOKUP_CHARACTERS_MAX = 120_000

/**
 * Splits the distinct values into batches, by default within the limits of `POST /iods/lookup`.
 * @param max values of a batch
 * @param charactersMax UTF-16 units of a batch, except of a single longer value
 */
export function lookupBatches(
  values: Iterable<string>,
  max: number = LIMITS.lookupValuesMax,
  charactersMax: number = LOOKUP_CHARACTERS_MAX,
): string[][] {
  const batches: string[][] = []
  let characters = 0
  for (const value of new Set(values)) {
    const last = batches.at(-1)
    characters += value.length
    if (last && last.length < max && characters <= charactersMax) last.push(value)
    else {
      batches.push([value])
      characters = value.length
    }
  }
  return batches
}
