import { LIMITS } from '@iodine/contracts'

/** Maximum UTF-16 units of a call, below the server's limit: each takes up to 6 bytes of JSON. */
const BATCH_CHARACTERS_MAX = 120_000

/**
 * Splits the distinct values into batches of at most `max` values within the length limits of `POST /iods/lookup` and
 * `POST /records/contained`.
 */
export function lookupBatches(values: Iterable<string>, max: number = LIMITS.lookupValuesMax): string[][] {
  const batches: string[][] = []
  let characters = 0
  for (const value of new Set(values)) {
    const last = batches.at(-1)
    characters += value.length
    if (last && last.length < max && characters <= BATCH_CHARACTERS_MAX) last.push(value)
    else {
      batches.push([value])
      characters = value.length
    }
  }
  return batches
}
