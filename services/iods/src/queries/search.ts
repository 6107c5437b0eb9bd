import type { QueryFilter } from 'mongoose'
import { BY_DATE, type TextDoc, type TextModel } from '../models/iod.js'

/** Case and Unicode form don't count in a search; white space does. */
const fold = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC')

/** The text that a search looks into. NUL, which no query may hold, keeps matches from spanning both parts. */
export const searchText = (value: string, description: string): string =>
  `${fold(value)}\0${fold(description)}`

const GRAM = 3
const MAX_GRAMS = 1_000
/** Stands for a text of too many grams: such documents are candidates of every search. No text holds it. */
const OVERFLOW = '\0'

const gramsOf = (part: string): string[] => {
  const points = Array.from(part)
  return points.map((_, at) => points.slice(at, at + GRAM).join(''))
}

/**
 * Distinct runs of 3 code points of a search text, shorter ones at the ends of its parts: every substring of up to 3
 * is a prefix of one of them, every longer one contains some (n-gram index, as in PostgreSQL's pg_trgm).
 */
export const searchGrams = (text: string): string[] => {
  const grams = new Set(text.split('\0').flatMap(gramsOf))
  return grams.size > MAX_GRAMS ? [OVERFLOW] : [...grams]
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const SAMPLE = 1_000
const SAMPLE_MS = 600_000

export interface Search {
  /** Matches IODs whose value or description holds the text literally, in any case. */
  filter: QueryFilter<TextDoc>
  /** The same in disjoint parts, each of which the gram index serves. */
  streams: QueryFilter<TextDoc>[]
  /** Estimated part of all IODs that the gram index leaves to look into, 0 to 1; 0 where it decides alone. */
  share: number
}

const either = (streams: QueryFilter<TextDoc>[], share: number): Search => ({
  filter: streams.length === 1 ? { ...streams[0] } : { $or: streams },
  streams,
  share,
})

/** Literal search over the gram index; how common a gram is, is estimated from the newest IODs. */
export const createIodSearch = (texts: TextModel): ((q: string) => Promise<Search>) => {
  let common = new Map<string, number>()
  let sampled = 0
  let sampledAt = 0
  const sample = async () => {
    sampledAt = Date.now()
    const docs = await texts.find({}, { grams: 1 }).sort(BY_DATE).limit(SAMPLE).lean()
    const counts = new Map<string, number>()
    for (const { grams } of docs) for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1)
    common = counts
    sampled = docs.length
  }
  return async q => {
    const text = fold(q)
    const search = { $regex: escapePattern(text) }
    const grams = gramsOf(text).filter(gram => Array.from(gram).length === GRAM)
    if (grams.length === 0)
      return either([{ grams: { $regex: `^${search.$regex}` } }, { grams: OVERFLOW, search }], 0)
    if (Date.now() - sampledAt > SAMPLE_MS) await sample()
    const count = (gram: string) => common.get(gram) ?? 0
    const rarest = grams.reduce((best, gram) => (count(gram) < count(best) ? gram : best))
    const share = (count(rarest) + count(OVERFLOW)) / Math.max(sampled, 1)
    return either([{ grams: { $in: [rarest, OVERFLOW] }, search }], share)
  }
}
