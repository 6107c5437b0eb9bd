import { LRUCache } from 'lru-cache'
import type { Model, SortOrder } from 'mongoose'

/** Code points of the longest gram: a term of up to so many is one gram. */
const LONGEST = 3

/** A 32-bit hash of up to three code points, each below 2^21. */
const hash = (first: number, second: number, third: number): number => {
  let mixed = Math.imul(first + 1, 0x9e3779b1) ^ (second + 1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) ^ (third + 1)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Placeholder of the code points that a shorter gram does not have. */
const NONE = -1

const pointsOf = (text: string): number[] => Array.from(text, point => point.codePointAt(0) as number)

/**
 * The n-grams of texts: hashes of each run of 1, 2 and 3 code points, each once. No gram spans two texts. Like
 * PostgreSQL's pg_trgm, but without word boundaries, so that any part of a text can be searched.
 * @param texts folded, as searched terms are
 * @returns signed 32-bit integers
 */
export const gramsOf = (...texts: string[]): number[] => {
  const grams = new Set<number>()
  for (const text of texts) {
    const points = pointsOf(text)
    for (const [at, first] of points.entries()) {
      const [second = NONE, third = NONE] = [points[at + 1], points[at + 2]]
      grams.add(hash(first, NONE, NONE))
      if (second !== NONE) grams.add(hash(first, second, NONE))
      if (third !== NONE) grams.add(hash(first, second, third))
    }
  }
  return [...grams]
}

/**
 * The grams that every text with the term has: those of the greatest length.
 * @param term folded, as the texts are
 */
export const gramsOfTerm = (term: string): number[] => {
  const points = pointsOf(term)
  const length = Math.min(points.length, LONGEST)
  const starts = Array.from({ length: points.length - length + 1 }, (_, at) => at)
  return [
    ...new Set(
      starts.map(at => {
        const [first, second = NONE, third = NONE] = points.slice(at, at + length)
        return hash(first as number, second, third)
      }),
    ),
  ]
}

/** Condition on a folded text: it contains the term literally. */
export const containing = (term: string): { $regex: string } => ({
  $regex: term.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'),
})

/** Documents whose grams estimate how frequent each gram is. */
const SAMPLE = 1_000
const SAMPLE_BATCH = 100
const SAMPLE_MS = 600_000

/** Estimates which gram is the rarest, so that a search reads the shortest part of the index of grams. */
export type RarestGram = (grams: number[]) => Promise<number>

/**
 * Estimates frequencies of grams from a sample of the documents' field `grams`, as query planners do: a wrong
 * estimate costs time, never a result.
 * @param sampleBy an indexed order: the first documents in it are the sample
 * @returns the rarest of one or more grams
 */
export const createRarestGram = <D>(
  model: Model<D>,
  sampleBy: Readonly<Record<string, SortOrder>>,
): RarestGram => {
  /** How many of the sample have each gram; grams of one document are omitted. */
  const sample = async (): Promise<Map<number, number>> => {
    const counts = new Map<number, number>()
    const docs = model
      .find({}, { grams: 1 })
      .sort(sampleBy)
      .limit(SAMPLE)
      .lean<{ grams?: number[] }[]>()
      .cursor({ batchSize: SAMPLE_BATCH })
    for await (const { grams = [] } of docs as AsyncIterable<{ grams?: number[] }>)
      for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1)
    for (const [gram, n] of counts) if (n === 1) counts.delete(gram)
    return counts
  }
  const samples = new LRUCache<'sample', Map<number, number>>({
    max: 1,
    ttl: SAMPLE_MS,
    allowStale: true,
    fetchMethod: sample,
  })
  return async grams => {
    const counts = (await samples.fetch('sample')) ?? new Map<number, number>()
    const countOf = (gram: number) => counts.get(gram) ?? 0
    return grams.reduce((best, gram) => (countOf(gram) < countOf(best) ? gram : best))
  }
}
