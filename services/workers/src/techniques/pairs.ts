import { TECHNIQUE_PATTERN } from '@iodine/contracts'
import { CONTENT_MAX, jsonsIn, parsed } from '../extraction/answer.js'

/** A technique that a model names for a sentence: index from 0. */
export interface Pair {
  sentence: number
  tid: string
}

/** Pairs of an answer, and the number of entries that are none. */
export interface Pairs {
  pairs: Pair[]
  dropped: number
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listIn = (json: unknown): unknown[] | undefined => {
  if (Array.isArray(json)) return json
  return isObject(json) && Array.isArray(json.pairs) ? json.pairs : undefined
}

/** Finds the list of pairs: of the whole text, or of the last JSON in it. */
const findList = (content: string): unknown[] | undefined => {
  const whole = listIn(parsed(content))
  if (whole) return whole
  let found: unknown[] | undefined
  for (const { json } of jsonsIn(content)) found = listIn(json) ?? found
  return found
}

/**
 * Parses the pairs in a model's answer. Entries with another id than an accepted one, or with a number out of range, are
 * dropped and counted. Undefined for an answer without a list, and one of more than 2 million characters.
 * @param accepts whether an id may be named
 * @param sentences number of sentences, which the model knows by their numbers from 1
 */
export const parsePairs = (
  content: string,
  accepts: (tid: string) => boolean,
  sentences: number,
): Pairs | undefined => {
  if (content.length > CONTENT_MAX) return undefined
  const list = findList(content.replace(/^\ufeff/, '').trim())
  if (!list) return undefined
  const pairs = list.flatMap((entry): Pair[] => {
    const { sentence, id } = isObject(entry) ? entry : {}
    const isValid =
      Number.isInteger(sentence) &&
      (sentence as number) >= 1 &&
      (sentence as number) <= sentences &&
      typeof id === 'string' &&
      TECHNIQUE_PATTERN.test(id) &&
      accepts(id)
    return isValid ? [{ sentence: (sentence as number) - 1, tid: id }] : []
  })
  return { pairs, dropped: list.length - pairs.length }
}
