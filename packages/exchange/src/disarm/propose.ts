import glosses from '../../data/glosses.json' with { type: 'json' }
import cueFile from '../../data/technique-cues.json' with { type: 'json' }
import { findTechnique } from './techniques.js'
import { wordStarts } from './word-starts.js'

/** A technique that a text may describe. */
export interface TechniqueProposal {
  /** DISARM's id, of a technique of the latest release. */
  tid: string
  /** Index of the sentence that it rests on. */
  sentence: number
  /** Confidence in comparison with the other proposals, above 0. */
  score: number
}

/** Options of proposals. */
export interface ProposalOptions {
  /** Maximum number of proposals; default: 8. */
  limit?: number
}

const DEFAULT_LIMIT = 8
/** Characters of a sentence that are read. */
const SENTENCE_MAX = 1000
/** Number of sentences on either side whose evidence counts. */
const WINDOW = 3
/**
 * Minimum evidence of an operation in a sentence and those around it. Below, the sentence has no proposal: news that
 * mentions platforms, companies or elections describes no operation.
 */
const EVIDENCE_MIN = 4
/** Evidence of a neutral cue. */
const NEUTRAL_EVIDENCE = 0.75
/** Tactic of channels: Select Channels and Affordances. */
const CHANNELS = 'TA07'
/** Scores of cues by weight. A cue of weight 1, such as the name of a platform, is sure in the right context. */
const SCORES = [0, 2.2, 2, 3]
/**
 * Added to the score by tactic or technique: descriptions of incidents mostly name assets, their legitimacy and
 * channels, and rarely a strategy.
 */
const PRIORS: Readonly<Record<string, number>> = {
  TA15: 0.5,
  TA16: 0.6,
  TA07: 0.4,
  TA06: 0.1,
  TA01: -0.8,
  TA02: -0.5,
  TA13: -0.8,
  TA12: -0.8,
  T0143: 0.4,
  T0146: 0.2,
}
/** Added for each further cue in the sentence. */
const FURTHER_CUE = 0.2
/** Maximum that the similarity with name and gloss adds. */
const SIMILARITY_MAX = 0.6

interface Cue {
  tid: string
  weight: number
  pattern: () => RegExp
}
interface Rules {
  cues: readonly Cue[]
  /** Cues by the start of the first word of their matches: the others need no search. */
  byStart: ReadonlyMap<string, readonly Cue[]>
  /** Length of the longest of these starts. */
  longest: number
  context: readonly { weight: number; pattern: RegExp }[]
}

/**
 * Returns a pattern of technique-cues.json as a regular expression. In it, `{name}` is a group of the vocabulary, `*`
 * any end of the word, ` .. ` a gap of at most 60 characters, ` ~ ` one of at most three words, and `@caps`, once, a word that must have a capital letter.
 */
const sourceOf = (pattern: string): string => {
  const vocabulary = cueFile.vocabulary as Readonly<Record<string, string>>
  let expanded = pattern
  for (let depth = 0; depth < 3; depth++)
    expanded = expanded.replace(/\{([a-z]+)\}/g, (_, name: string) => `(?:${vocabulary[name]})`)
  return expanded
    .replaceAll(' .. ', '(?:\\W(?:.{0,60}\\W)?)')
    .replaceAll(' ~ ', '(?:\\W+\\w+){0,3}?\\W+')
    .replace(/(?<!\\w|\])\*/g, '\\w*')
    .replaceAll('@caps', '(?<caps>\\w+)')
}

const compile = (source: string): RegExp =>
  new RegExp(`(?<!\\w)(?:${source})(?!\\w)`, source.includes('<caps>') ? 'd' : '')

/** A sentence in the form that cues are searched in. */
interface Text {
  lower: string
  /** The same characters before the change to lower case. */
  cased: string
}

const matches = (pattern: RegExp, { lower, cased }: Text): boolean => {
  if (!pattern.hasIndices) return pattern.test(lower)
  const found = pattern.exec(lower)
  const caps = found?.indices?.groups?.caps
  return found !== null && (caps === undefined || /[A-Z]/.test(cased.charAt(caps[0])))
}

let rules: Rules | undefined
const getRules = (): Rules => {
  if (rules) return rules
  const byStart = new Map<string, Cue[]>()
  const cues = cueFile.cues.map(([tid, weight, pattern]) => {
    const source = sourceOf(pattern as string)
    let compiled: RegExp | undefined
    const cue = {
      tid: tid as string,
      weight: weight as number,
      pattern: () => (compiled ??= compile(source)),
    }
    for (const start of wordStarts(source)) {
      const same = byStart.get(start)
      if (same) same.push(cue)
      else byStart.set(start, [cue])
    }
    return cue
  })
  const context = cueFile.context.map(([weight, pattern]) => ({
    weight: weight as number,
    pattern: compile(sourceOf(pattern as string)),
  }))
  const longest = Math.max(...[...byStart.keys()].map(({ length }) => length))
  rules = { cues, byStart, longest, context }
  return rules
}

/** Removes accents, invisible characters and typographic quotes. */
const normalize = (sentence: string): string =>
  sentence
    .slice(0, SENTENCE_MAX)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/\s+/g, ' ')

const textOf = (cased: string): Text => ({
  cased,
  lower: cased.replace(/[A-Z]+/g, part => part.toLowerCase()),
})

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).map(word => word.replace(/(?:ing|ed|es|s|e)$/, ''))

interface Similarity {
  /** Weight of each word of a technique's name and gloss, divided by the technique's maximum. */
  weights: ReadonlyMap<string, ReadonlyMap<string, number>>
}
let similarity: Similarity | undefined
/**
 * Indexes names and glosses by BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; k1 = 1.2,
 * b = 0.75).
 */
const getSimilarity = (): Similarity => {
  if (similarity) return similarity
  const documents = Object.entries(glosses).map(
    ([tid, gloss]) => [tid, wordsOf(`${findTechnique(tid)?.name} ${gloss}`)] as const,
  )
  const frequency = new Map<string, number>()
  for (const [, words] of documents)
    for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const average = documents.reduce((sum, [, words]) => sum + words.length, 0) / documents.length
  const weights = new Map<string, Map<string, number>>()
  for (const [tid, words] of documents) {
    const counts = new Map<string, number>()
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
    const of = new Map<string, number>()
    let total = 0
    for (const [word, count] of counts) {
      const n = frequency.get(word) ?? 0
      const rarity = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5))
      const saturated = (count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / average))
      of.set(word, rarity * saturated)
      total += rarity * saturated
    }
    weights.set(tid, new Map([...of].map(([word, weight]) => [word, weight / total])))
  }
  similarity = { weights }
  return similarity
}

/** Returns the similarity of a sentence's words with a technique's name and gloss, from 0 to 1. */
const similarityOf = (words: ReadonlySet<string>, tid: string): number => {
  let sum = 0
  for (const [word, weight] of getSimilarity().weights.get(tid) ?? []) if (words.has(word)) sum += weight
  return sum
}

/** Returns the cues that a sentence's words may begin, in the order of the file. */
const candidatesOf = ({ lower }: Text): Cue[] => {
  const { byStart, cues, longest } = getRules()
  const found = new Set(byStart.get(''))
  for (const word of new Set(lower.match(/\w+/g)))
    for (let length = 1; length <= Math.min(word.length + 1, longest); length++)
      for (const cue of byStart.get(`${word} `.slice(0, length)) ?? []) found.add(cue)
  return cues.filter(cue => found.has(cue))
}

/** Finds the cues in a sentence: the weight of each technique. */
const cuesIn = (text: Text): Map<string, number> => {
  const weights = new Map<string, number>()
  for (const { tid, weight, pattern } of candidatesOf(text)) {
    if (!matches(pattern(), text)) continue
    const earlier = weights.get(tid)
    weights.set(tid, earlier === undefined ? weight : Math.max(earlier, weight) + FURTHER_CUE)
  }
  return weights
}

const scoreOf = (tid: string, weight: number): number => {
  const whole = Math.floor(weight)
  const priors = [findTechnique(tid)?.tactic.id ?? '', tid.split('.')[0] as string].map(id => PRIORS[id] ?? 0)
  return (SCORES[whole] as number) + weight - whole + (priors[0] as number) + (priors[1] as number)
}

/** Techniques whose cues are no evidence by themselves, with the techniques below them: platforms, media, payments. */
const NEUTRAL = new Set(cueFile.neutral)
const isNeutral = (tid: string): boolean =>
  NEUTRAL.has(tid) || NEUTRAL.has(tid.split('.')[0] as string) || findTechnique(tid)?.tactic.id === CHANNELS

/** Evidence that a technique's cue gives. */
const evidenceOf = (tid: string, weight: number): number =>
  isNeutral(tid) ? NEUTRAL_EVIDENCE : Math.floor(weight)

/** Returns the weight of words such as 'inauthentic' in a sentence. */
const contextOf = (text: Text): number =>
  getRules().context.reduce((sum, { weight, pattern }) => sum + (matches(pattern, text) ? weight : 0), 0)

interface ReadSentence {
  index: number
  words: ReadonlySet<string>
  /** Weight of the cues of each technique. */
  weights: ReadonlyMap<string, number>
  context: number
}

/**
 * Returns the evidence that sentences describe an operation: by their words, and by the cues of different techniques.
 */
const evidenceIn = (sentences: readonly ReadSentence[]): number => {
  let sum = 0
  const counted = new Map<string, number>()
  for (const { weights, context } of sentences) {
    sum += context
    for (const [tid, weight] of weights)
      counted.set(tid, Math.max(counted.get(tid) ?? 0, evidenceOf(tid, weight)))
  }
  for (const each of counted.values()) sum += each
  return sum
}

/**
 * Proposes techniques that a text may describe, each with the sentence it rests on: by cues in English, such as names
 * of platforms and words for personas, where the sentences around describe an operation. The similarity with names and
 * glosses of techniques orders them. Only words count: ids in the text are not read, and orders in it not followed.
 * @param sentences of the text, in its order. The first 1,000 characters of each are read; of equal ones, the first.
 * @returns the best proposals first, at most one for a technique; none for a text that describes no operation
 */
export function proposeTechniques(
  sentences: readonly string[],
  { limit = DEFAULT_LIMIT }: ProposalOptions = {},
): TechniqueProposal[] {
  const firsts = new Map<string, number>()
  for (const [n, sentence] of sentences.entries()) {
    const text = normalize(sentence)
    if (!firsts.has(text)) firsts.set(text, n)
  }
  const read = [...firsts].map(([cased, index]): ReadSentence => {
    const text = textOf(cased)
    return { index, words: new Set(wordsOf(text.lower)), weights: cuesIn(text), context: contextOf(text) }
  })
  const best = new Map<string, TechniqueProposal>()
  for (const [at, { words, index, weights }] of read.entries()) {
    if (evidenceIn(read.slice(Math.max(0, at - WINDOW), at + WINDOW + 1)) < EVIDENCE_MIN) continue
    for (const [tid, weight] of weights) {
      const score = scoreOf(tid, weight) + SIMILARITY_MAX * similarityOf(words, tid)
      if (score > (best.get(tid)?.score ?? 0)) best.set(tid, { tid, sentence: index, score })
    }
  }
  const isParent = (tid: string) => [...best.keys()].some(other => other.startsWith(`${tid}.`))
  return [...best.values()]
    .filter(({ tid }) => !isParent(tid))
    .sort((a, b) => b.score - a.score || a.sentence - b.sentence || (a.tid < b.tid ? -1 : 1))
    .slice(0, Math.max(0, limit))
}
