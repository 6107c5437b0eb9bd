import { foldText, foldValue } from '@iodine/contracts'
import { type Sentence, sentencesOf } from './sentences.js'

export interface SaidTriplet {
  subject: string
  verb: string
  object: string
}

/** Where a text says a triplet: a sentence, or two that follow each other. `score` from 0 to 1: how much of it. */
export interface CitedPlace extends Sentence {
  score: number
}

/** What the parts of a triplet count. Verbs are often put into other words. */
const SHARES = { subject: 0.4, object: 0.4, verb: 0.2 } as const
type TripletField = keyof typeof SHARES
const TRIPLET_FIELDS = Object.keys(SHARES) as TripletField[]

/** A word in another form counts less than the word. */
const INFLECTED = 0.9
/** Letters that words of one stem share at least, and share of the longer one. */
const STEM_MIN = 4
const STEM_SHARE = 0.6
const ENDING_MAX = 4

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The words of a text, folded, each once, without the English possessive. */
const wordsOf = (text: string): string[] => {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(foldText(text).replace(/[‘’ʼ]/g, "'")))
    if (isWordLike) words.add(segment.replace(/'s$/, ''))
  return [...words]
}

const HAS_NUMBER = /\p{N}/u
/** Two forms of one word, as far as endings tell: 'hide' and 'hiding', 'lake' and 'lakes'. Not for numbers. */
const isInflected = (one: string, other: string): boolean => {
  const longer = Math.max(one.length, other.length)
  let same = 0
  while (same < longer && one[same] === other[same]) same += 1
  // A final e or y goes before an ending.
  const isShort = same >= 3 && longer <= 7 && longer - same <= 3
  return longer - same <= ENDING_MAX && ((same >= STEM_MIN && same >= longer * STEM_SHARE) || isShort)
}

/** The sentences of a text by the words that they have. */
class Index {
  readonly sentences: Sentence[]
  readonly #folded: string[]
  readonly #having = new Map<string, number[]>()
  readonly #byBeginning = new Map<string, string[]>()
  readonly #found = new Map<string, Map<number, number>>()

  constructor(text: string) {
    this.sentences = sentencesOf(text)
    this.#folded = this.sentences.map(({ start, end }) => foldText(text.slice(start, end)))
    this.#folded.forEach((sentence, n) => {
      for (const word of wordsOf(sentence)) {
        const known = this.#having.get(word)
        if (known) known.push(n)
        else {
          this.#having.set(word, [n])
          if (HAS_NUMBER.test(word)) continue
          const beginning = word.slice(0, 3)
          const forms = this.#byBeginning.get(beginning)
          if (forms) forms.push(word)
          else this.#byBeginning.set(beginning, [word])
        }
      }
    })
  }

  /** The sentences that have a word, or a form of it, and how much that counts. */
  find(word: string): Map<number, number> {
    const known = this.#found.get(word)
    if (known) return known
    const found = new Map<number, number>()
    const alike = HAS_NUMBER.test(word) ? [] : (this.#byBeginning.get(word.slice(0, 3)) ?? [])
    for (const form of alike)
      if (form !== word && isInflected(form, word))
        for (const n of this.#having.get(form) ?? []) found.set(n, INFLECTED)
    for (const n of this.#having.get(word) ?? []) found.set(n, 1)
    this.#found.set(word, found)
    return found
  }

  /** Rare words tell sentences apart, and long ones mean more. */
  weight(word: string): number {
    const share = this.sentences.length / Math.max(1, this.find(word).size)
    return Math.log(1 + share) * Math.min(1, word.length / 4)
  }

  /** Whether a sentence has this text. */
  has(n: number, folded: string): boolean {
    return this.#folded[n]?.includes(folded) ?? false
  }
}

interface Wanted {
  /** The words, with their share of the part. */
  words: { share: number; found: Map<number, number> }[]
  folded: string
}

const want = (index: Index, text: string): Wanted => {
  const words = wordsOf(text).map(word => ({ share: index.weight(word), found: index.find(word) }))
  const total = words.reduce((sum, { share }) => sum + share, 0)
  return {
    words: words.map(({ share, found }) => ({ share: share / total, found })),
    folded: foldValue(text),
  }
}

/** How much of a part some sentences have. Without any word, such as an emoji, it has to be there as it is. */
const covered = (index: Index, { words, folded }: Wanted, sentences: readonly number[]): number => {
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
  /** Parts that are there as they are. */
  literal: number
}

/** Below this it is not said there. */
const SCORE_MIN = 0.55
const PART_MIN = 0.5
/** What says most of the triplet must lead by this over what else says some of it. */
const LEAD_MIN = 0.12
/** All of the triplet is said, but for forms of its words. */
const WHOLE = 0.94

const isSaid = ({ cover: { subject, object, verb }, score }: Candidate): boolean => {
  if (score < SCORE_MIN) return false
  if (subject >= PART_MIN && object >= PART_MIN) return true
  // 'He hides numbers' says of a man named before what he does.
  return Math.max(subject, object) >= 0.9 && verb >= 0.9
}

const cite = (index: Index, triplet: SaidTriplet): CitedPlace | null => {
  const wanted = Object.fromEntries(TRIPLET_FIELDS.map(part => [part, want(index, triplet[part])])) as Record<
    TripletField,
    Wanted
  >
  const candidate = (sentences: readonly number[]): Candidate => {
    const cover = Object.fromEntries(
      TRIPLET_FIELDS.map(part => [part, covered(index, wanted[part], sentences)]),
    ) as Record<TripletField, number>
    const score = TRIPLET_FIELDS.reduce((sum, part) => sum + SHARES[part] * cover[part], 0)
    const literal = TRIPLET_FIELDS.filter(part =>
      sentences.some(n => index.has(n, wanted[part].folded)),
    ).length
    return { sentences, cover, score, literal }
  }
  const having = new Set<number>()
  for (const { words, folded } of Object.values(wanted)) {
    for (const { found } of words) for (const n of found.keys()) having.add(n)
    if (words.length === 0 && folded !== '')
      for (let n = 0; n < index.sentences.length; n += 1) if (index.has(n, folded)) having.add(n)
  }
  const better = (a: Candidate, b: Candidate) =>
    b.score - a.score || b.literal - a.literal || (a.sentences[0] ?? 0) - (b.sentences[0] ?? 0)
  const singles = [...having].map(n => candidate([n])).sort(better)
  let best = singles[0]
  if (!best) return null
  if (best.score < WHOLE) {
    const pairs = [...having].flatMap(n => (having.has(n + 1) ? [candidate([n, n + 1])] : [])).sort(better)
    const [pair] = pairs
    // A second sentence is cited only for what it adds.
    if (pair && isSaid(pair) && pair.score >= best.score + 2 * LEAD_MIN && pair.score >= WHOLE) best = pair
  }
  if (!isSaid(best)) return null
  const { sentences, score, literal } = best
  const rival = singles.find(other => !sentences.includes(other.sentences[0] ?? -1))
  const isClear = score >= WHOLE ? score > (rival?.score ?? 0) || literal >= (rival?.literal ?? 0) : false
  if (!isClear && rival && score - rival.score < LEAD_MIN) return null
  const [first, last] = [index.sentences[sentences[0] ?? 0], index.sentences[sentences.at(-1) ?? 0]]
  return first && last ? { start: first.start, end: last.end, score: Math.round(score * 100) / 100 } : null
}

/**
 * Finds where a text says triplets: by their words alone, folded and in any form, whatever model extracted them.
 * Null where the text does not say a triplet, or as much in several places. Offsets in UTF-16 units, of whole
 * sentences; equal sentences: the first.
 */
export const citationsOf = (text: string, triplets: readonly SaidTriplet[]): (CitedPlace | null)[] => {
  if (triplets.length === 0) return []
  const index = new Index(text)
  return triplets.map(triplet => cite(index, triplet))
}
