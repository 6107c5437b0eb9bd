import { foldText, foldValue } from '@iodine/contracts'
import { type Sentence, sentencesOf } from './sentences.js'

export interface TripletParts {
  subject: string
  verb: string
  object: string
}

/**
 * The range of a text that contains a triplet: one sentence, or two consecutive ones. `score`: coverage, from 0 to 1.
 */
export interface CitedRange extends Sentence {
  score: number
}

/** Weights of a triplet's parts: texts often rephrase the verb. */
const PART_WEIGHTS = { subject: 0.4, object: 0.4, verb: 0.2 } as const
type TripletField = keyof typeof PART_WEIGHTS
const TRIPLET_FIELDS = Object.keys(PART_WEIGHTS) as TripletField[]

/** Weight of an inflected form of a word; the exact word weighs 1. */
const INFLECTED = 0.9
/** Minimum common prefix of two forms of a word: in letters, and as a share of the longer form. */
const STEM_MIN = 4
const STEM_SHARE = 0.6
const ENDING_MAX = 4

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** Returns the distinct folded words of a text, without the English possessive. */
const wordsOf = (text: string): string[] => {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(foldText(text).replace(/[‘’ʼ]/g, "'")))
    if (isWordLike) words.add(segment.replace(/'s$/, ''))
  return [...words]
}

const HAS_NUMBER = /\p{N}/u
/** Returns whether two words are forms of one word by their endings: 'hide' and 'hiding'. Not for numbers. */
const isInflected = (one: string, other: string): boolean => {
  const longer = Math.max(one.length, other.length)
  let same = 0
  while (same < longer && one[same] === other[same]) same += 1
  // A final e or y is dropped before an ending.
  const isShort = same >= 3 && longer <= 7 && longer - same <= 3
  return longer - same <= ENDING_MAX && ((same >= STEM_MIN && same >= longer * STEM_SHARE) || isShort)
}

/** Inverted index of a text's sentences. */
class SentenceIndex {
  readonly sentences: Sentence[]
  readonly #folded: string[]
  readonly #byWord = new Map<string, number[]>()
  readonly #byBeginning = new Map<string, string[]>()
  readonly #found = new Map<string, Map<number, number>>()

  constructor(text: string) {
    this.sentences = sentencesOf(text)
    this.#folded = this.sentences.map(({ start, end }) => foldText(text.slice(start, end)))
    this.#folded.forEach((sentence, n) => {
      for (const word of wordsOf(sentence)) {
        const known = this.#byWord.get(word)
        if (known) known.push(n)
        else {
          this.#byWord.set(word, [n])
          if (HAS_NUMBER.test(word)) continue
          const beginning = word.slice(0, 3)
          const forms = this.#byBeginning.get(beginning)
          if (forms) forms.push(word)
          else this.#byBeginning.set(beginning, [word])
        }
      }
    })
  }

  /** Returns the sentences with a word or a form of it, and the weight of each match. */
  find(word: string): Map<number, number> {
    const known = this.#found.get(word)
    if (known) return known
    const found = new Map<number, number>()
    const alike = HAS_NUMBER.test(word) ? [] : (this.#byBeginning.get(word.slice(0, 3)) ?? [])
    for (const form of alike)
      if (form !== word && isInflected(form, word))
        for (const n of this.#byWord.get(form) ?? []) found.set(n, INFLECTED)
    for (const n of this.#byWord.get(word) ?? []) found.set(n, 1)
    this.#found.set(word, found)
    return found
  }

  /** Returns the weight of a word: rare and long words weigh more. */
  weight(word: string): number {
    const share = this.sentences.length / Math.max(1, this.find(word).size)
    return Math.log(1 + share) * Math.min(1, word.length / 4)
  }

  /** Returns whether a sentence contains a folded text. */
  has(n: number, folded: string): boolean {
    return this.#folded[n]?.includes(folded) ?? false
  }
}

/** A triplet's part as a query. */
interface PartQuery {
  /** The words, with their share of the part's weight. */
  words: { share: number; found: Map<number, number> }[]
  folded: string
}

const queryOf = (index: SentenceIndex, text: string): PartQuery => {
  const words = wordsOf(text).map(word => ({ share: index.weight(word), found: index.find(word) }))
  const total = words.reduce((sum, { share }) => sum + share, 0)
  return {
    words: words.map(({ share, found }) => ({ share: share / total, found })),
    folded: foldValue(text),
  }
}

/**
 * Returns the share of a part that the sentences cover. A part without words, such as an emoji, must occur verbatim.
 */
const coverageOf = (
  index: SentenceIndex,
  { words, folded }: PartQuery,
  sentences: readonly number[],
): number => {
  if (words.length === 0) return Number(folded !== '' && sentences.some(n => index.has(n, folded)))
  return words.reduce(
    (sum, { share, found }) => sum + share * Math.max(...sentences.map(n => found.get(n) ?? 0)),
    0,
  )
}

interface Candidate {
  sentences: readonly number[]
  cover: Record<TripletField, number>
  score: number
  /** Number of parts that occur verbatim, apart from folding. */
  literal: number
}

/** Minimum score of a citation. */
const SCORE_MIN = 0.55
/** Minimum coverage of subject and object. */
const PART_MIN = 0.5
/** Minimum lead of the best candidate over the next one. */
const LEAD_MIN = 0.12
/** Minimum score of a complete match; only inflected forms reduce it. */
const SCORE_COMPLETE = 0.94

const isMatch = ({ cover: { subject, object, verb }, score }: Candidate): boolean => {
  if (score < SCORE_MIN) return false
  if (subject >= PART_MIN && object >= PART_MIN) return true
  // A pronoun may replace subject or object: 'He hides numbers'.
  return Math.max(subject, object) >= 0.9 && verb >= 0.9
}

const cite = (index: SentenceIndex, triplet: TripletParts): CitedRange | null => {
  const queries = Object.fromEntries(
    TRIPLET_FIELDS.map(part => [part, queryOf(index, triplet[part])]),
  ) as Record<TripletField, PartQuery>
  const candidate = (sentences: readonly number[]): Candidate => {
    const cover = Object.fromEntries(
      TRIPLET_FIELDS.map(part => [part, coverageOf(index, queries[part], sentences)]),
    ) as Record<TripletField, number>
    const score = TRIPLET_FIELDS.reduce((sum, part) => sum + PART_WEIGHTS[part] * cover[part], 0)
    const literal = TRIPLET_FIELDS.filter(part =>
      sentences.some(n => index.has(n, queries[part].folded)),
    ).length
    return { sentences, cover, score, literal }
  }
  const matching = new Set<number>()
  for (const { words, folded } of Object.values(queries)) {
    for (const { found } of words) for (const n of found.keys()) matching.add(n)
    if (words.length === 0 && folded !== '')
      for (let n = 0; n < index.sentences.length; n += 1) if (index.has(n, folded)) matching.add(n)
  }
  const better = (a: Candidate, b: Candidate) =>
    b.score - a.score || b.literal - a.literal || (a.sentences[0] ?? 0) - (b.sentences[0] ?? 0)
  const singles = [...matching].map(n => candidate([n])).sort(better)
  let best = singles[0]
  if (!best) return null
  if (best.score < SCORE_COMPLETE) {
    const pairs = [...matching]
      .flatMap(n => (matching.has(n + 1) ? [candidate([n, n + 1])] : []))
      .sort(better)
    const [pair] = pairs
    // Cite a second sentence only if it raises the score considerably.
    if (pair && isMatch(pair) && pair.score >= best.score + 2 * LEAD_MIN && pair.score >= SCORE_COMPLETE)
      best = pair
  }
  if (!isMatch(best)) return null
  const { sentences, score, literal } = best
  const rival = singles.find(other => !sentences.includes(other.sentences[0] ?? -1))
  const isClear =
    score >= SCORE_COMPLETE ? score > (rival?.score ?? 0) || literal >= (rival?.literal ?? 0) : false
  if (!isClear && rival && score - rival.score < LEAD_MIN) return null
  const [first, last] = [index.sentences[sentences[0] ?? 0], index.sentences[sentences.at(-1) ?? 0]]
  return first && last ? { start: first.start, end: last.end, score: Math.round(score * 100) / 100 } : null
}

/**
 * Finds the sentences of a text that contain triplets, by folded and inflected words. Returns null for a triplet that
 * does not occur or whose best sentences score alike; of equal sentences the first. Ranges cover whole sentences, in
 * UTF-16 units.
 */
export const citationsOf = (text: string, triplets: readonly TripletParts[]): (CitedRange | null)[] => {
  if (triplets.length === 0) return []
  const index = new SentenceIndex(text)
  return triplets.map(triplet => cite(index, triplet))
}
