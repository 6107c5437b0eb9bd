import { foldText } from '@iodine/contracts'
import { LRUCache } from 'lru-cache'
import type { Model, SortOrder } from 'mongoose'

/** Lengths of grams, in code points. */
export interface GramLengths {
  /** Shortest gram, 1 to 3: shorter terms cannot be searched by grams. 1 by default. */
  shortest?: number
  /** Longest gram: above 3 adds sparse grams. 3 by default. */
  longest?: number
}

/** A term of up to this many code points is one gram. */
const COMPLETE = 3
/** Minimum length of sparse grams: grams of four would be the most, and select little more than grams of three. */
const SPARSE_SHORTEST = 5

/** A 32-bit hash of up to three code points, each below 2^21. */
const hash = (first: number, second: number, third: number): number => {
  let mixed = Math.imul(first + 1, 0x9e3779b1) ^ (second + 1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) ^ (third + 1)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** Placeholder of the code points that a shorter gram does not have. */
const NONE = -1

/** A 32-bit hash of a run of more than three code points. */
const hashRun = (points: readonly number[], from: number, to: number): number => {
  let mixed = to - from
  for (let at = from; at < to; at++) mixed = hash(mixed >>> 0, points[at] as number, NONE)
  return mixed
}

const pointsOf = (text: string): number[] => Array.from(text, point => point.codePointAt(0) as number)

/**
 * Calls back with each sparse gram of 5 to `longest` code points: a run whose first and last pair of neighbours both
 * have a greater hash than every pair between them. This depends only on the run itself, so that every text with a term
 * has all sparse grams of the term. There are fewer than half as many as code points, and they are much rarer than runs
 * of three.
 */
const eachSparse = (
  points: readonly number[],
  longest: number,
  take: (gram: number, length: number) => void,
): void => {
  const weights = points.slice(1).map((point, at) => hash(points[at] as number, point, NONE) >>> 0)
  for (const [first, weight] of weights.entries()) {
    let between = -1
    for (let last = first + 1; last < weights.length && last - first + 2 <= longest; last++) {
      const length = last - first + 2
      if (length >= SPARSE_SHORTEST && between < (weights[last] as number))
        take(hashRun(points, first, last + 2), length)
      between = Math.max(between, weights[last] as number)
      if (between >= weight) break
    }
  }
}

/**
 * Returns the n-grams of texts: hashes of each run of 1, 2 and 3 code points, each once. No gram spans two texts. Like
 * PostgreSQL's pg_trgm, but without word boundaries, so that any part of a text can be searched. Long texts contain most
 * of the frequent runs of 3: sparse grams, as in ClickHouse's sparseGrams, distinguish them.
 * @param texts folded, as searched terms are
 * @returns signed 32-bit integers
 */
export const gramsOf = (
  texts: readonly string[],
  { shortest = 1, longest = COMPLETE }: GramLengths = {},
): number[] => {
  const grams = new Set<number>()
  for (const text of texts) {
    const points = pointsOf(text)
    for (const [at, first] of points.entries()) {
      const [second = NONE, third = NONE] = [points[at + 1], points[at + 2]]
      if (shortest === 1) grams.add(hash(first, NONE, NONE))
      if (shortest <= 2 && second !== NONE) grams.add(hash(first, second, NONE))
      if (third !== NONE) grams.add(hash(first, second, third))
    }
    eachSparse(points, longest, gram => grams.add(gram))
  }
  return [...grams]
}

/**
 * Returns the most selective grams that every text with the term has, longest first; none for a term shorter than the
 * shortest gram.
 * @param term folded, as the texts are
 * @param lengths as of the texts' grams
 */
export const gramsOfTerm = (
  term: string,
  { shortest = 1, longest = COMPLETE }: GramLengths = {},
): number[] => {
  const points = pointsOf(term)
  if (points.length < shortest) return []
  const sparse: { gram: number; length: number }[] = []
  eachSparse(points, longest, (gram, length) => sparse.push({ gram, length }))
  sparse.sort((a, b) => b.length - a.length)
  const length = Math.min(points.length, COMPLETE)
  const runs = Array.from({ length: points.length - length + 1 }, (_, at) => {
    const [first, second = NONE, third = NONE] = points.slice(at, at + length)
    return hash(first as number, second, third)
  })
  return [...new Set([...sparse.map(({ gram }) => gram), ...runs])]
}

/** Returns the condition that a folded text contains the term literally. */
export const containing = (term: string): { $regex: string } => ({
  $regex: term.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'),
})

/** Ranges that contain the characters whose folding has several characters: ß, İ, ŉ, և, Greek with iota, ligatures. */
const EXPANDING = [
  [0xdf, 0x149],
  [0x587, 0x587],
  [0x1e9a, 0x1e9e],
  [0x1f80, 0x1fff],
  [0xfb00, 0xfb17],
] as const

/** Characters by their folding, if it has several characters: regular expressions fold one by one. */
const EXPANDED = (() => {
  const found = new Map<string, string[]>()
  for (const [first, last] of EXPANDING)
    for (let point = first; point <= last; point++) {
      const character = String.fromCodePoint(point)
      const folded = foldText(character)
      if (folded.length > character.length) found.set(folded, [...(found.get(folded) ?? []), character])
    }
  // Ligatures of three letters and of two of them.
  for (const end of ['i', 'l']) found.get(`ff${end}`)?.push(`ﬀ${end}`, end === 'i' ? 'fﬁ' : 'fﬂ')
  return found
})()
const ALL_EXPANSIONS = new RegExp([...EXPANDED.keys()].sort((a, b) => b.length - a.length).join('|'), 'g')

/** Returns the condition that a text stored as sent contains the term literally, in any case. */
export const containingInAnyCase = (term: string): { $regex: string; $options: string } => {
  const folded = foldText(term)
  const forms = [...new Set([folded, folded.normalize('NFD')])]
  const patterns = forms.map(form => {
    const escaped = containing(form).$regex
    return escaped.replace(
      ALL_EXPANSIONS,
      found => `(?:${[found, ...(EXPANDED.get(found) ?? [])].join('|')})`,
    )
  })
  return { $regex: patterns.join('|'), $options: 'i' }
}

/** Number of documents in the sample of gram frequencies. */
const SAMPLE = 1_000
const SAMPLE_BATCH = 100
const SAMPLE_MS = 600_000

/**
 * Estimates which gram is the rarest, so that a search reads the shortest part of the index of grams. `sampled` is the
 * number of documents with it, of 1,000.
 */
export type RarestGram = (grams: number[]) => Promise<{ gram: number; sampled: number }>

/**
 * Creates an estimator of the rarest gram. It samples documents, as query planners do: a wrong estimate costs time,
 * never a result.
 * @param field of the documents' grams
 * @param sampleBy an indexed order: the first documents in it are the sample
 * @returns the rarest of one or more grams; the first of several
 */
export const createRarestGram = <D>(
  model: Model<D>,
  field: keyof D & string,
  sampleBy: Readonly<Record<string, SortOrder>>,
): RarestGram => {
  type Sampled = { [name: string]: number[] | undefined }
  /** Counts the sampled documents with each gram; omits grams of one document. */
  const sample = async (): Promise<Map<number, number>> => {
    const counts = new Map<number, number>()
    const docs = model
      .find({}, { [field]: 1 })
      .sort(sampleBy)
      .limit(SAMPLE)
      .lean<Sampled[]>()
      .cursor({ batchSize: SAMPLE_BATCH })
    for await (const doc of docs as AsyncIterable<Sampled>)
      for (const gram of doc[field] ?? []) counts.set(gram, (counts.get(gram) ?? 0) + 1)
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
    const gram = grams.reduce((best, gram) => (countOf(gram) < countOf(best) ? gram : best))
    return { gram, sampled: countOf(gram) }
  }
}
