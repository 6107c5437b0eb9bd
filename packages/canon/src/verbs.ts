import { infinitiveOf, isGerund, isParticiple } from './lemmas.js'

/** The parse of a verb phrase, without tense and person. */
export interface VerbForm {
  /** Infinitive of the main verb and the words after it. */
  lemma: string
  /** Negation and modality, such as `not` or `may`; only rules join phrases that differ here. */
  mood: string
  /** Whether it is a passive with an agent, such as "was attacked by": subject and object are exchanged. */
  turned: boolean
}

const CONTRACTED = new Map([
  ["can't", 'can not'],
  ['cannot', 'can not'],
  ["won't", 'will not'],
  ["shan't", 'shall not'],
  ["ain't", 'is not'],
  ['gonna', 'going to'],
])
const NEGATIONS = new Map([
  ['not', 'not'],
  ['never', 'not'],
  ['no longer', 'no longer'],
  ['hardly', 'hardly'],
  ['barely', 'hardly'],
  ['nearly', 'nearly'],
  ['almost', 'nearly'],
])
const MODALS = new Map([
  ['can', 'can'],
  ['could', 'can'],
  ['may', 'may'],
  ['might', 'may'],
  ['must', 'must'],
  ['shall', 'will'],
  ['will', 'will'],
  ['would', 'would'],
  ['should', 'should'],
  ['ought to', 'should'],
  ['going to', 'will'],
])
const BE = new Set(['be', 'is', 'are', 'am', 'was', 'were', 'been', 'being'])
const HAVE = new Set(['have', 'has', 'had', 'having'])
const DO = new Set(['do', 'does', 'did'])
const GET = new Set(['get', 'gets', 'got', 'getting', 'gotten'])
/** Adverbs that change neither meaning nor modality. */
const FILLERS = new Set([
  'also',
  'already',
  'just',
  'now',
  'then',
  'really',
  'actually',
  'indeed',
  'even',
  'still',
  'again',
])
/** Participles that are not passive before "by" without an auxiliary. */
const INTRANSITIVE = new Set([
  'passed',
  'stopped',
  'dropped',
  'lived',
  'walked',
  'increased',
  'decreased',
  'grown',
  'fallen',
  'risen',
  'come',
  'gone',
  'ended',
  'started',
  'followed',
])

const wordsOf = (key: string): string[] =>
  key
    .replace(/[’ʼ`]/g, "'")
    .split(' ')
    .map(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .flatMap(word =>
      (
        CONTRACTED.get(word) ??
        word
          .replace(/n't$/, ' not')
          .replace(/'(?:ve|re|m)$/, '')
          .replace(/'ll$/, ' will')
      ).split(' '),
    )
    .filter(Boolean)

/**
 * Parses an English verb phrase: removes auxiliaries of tense, voice and person, extracts negation and modality, and
 * marks a passive with an agent. The lemma of a phrase in another language is its key.
 *
 * @param key a verb's key
 */
export const formOf = (key: string): VerbForm => {
  const words = wordsOf(key)
  const mood = new Set<string>()
  let passive = false
  let at = 0
  const word = (n: number) => words[at + n] ?? ''
  /** Returns the next word that is neither a negation nor a filler. */
  const after = (n: number): string => {
    let next = n
    while (FILLERS.has(word(next)) || NEGATIONS.has(word(next))) next++
    return word(next)
  }
  // The last word is never an auxiliary.
  while (at < words.length - 1) {
    const two = `${word(0)} ${word(1)}`
    const left = words.length - at
    if (left > 2 && (NEGATIONS.has(two) || MODALS.has(two))) {
      mood.add(NEGATIONS.get(two) ?? MODALS.get(two) ?? two)
      at += 2
    } else if (NEGATIONS.has(word(0))) {
      mood.add(NEGATIONS.get(word(0)) ?? '')
      at++
    } else if (MODALS.has(word(0))) {
      mood.add(MODALS.get(word(0)) ?? '')
      at++
    } else if (FILLERS.has(word(0))) at++
    else if (DO.has(word(0)) && NEGATIONS.has(word(1)) && left > 2) at++
    else if (HAVE.has(word(0)) && (isParticiple(after(1)) || after(1) === 'been' || BE.has(after(1)))) at++
    else if (BE.has(word(0)) && (isGerund(after(1)) || MODALS.has(`${word(1)} ${word(2)}`))) at++
    else if ((BE.has(word(0)) || GET.has(word(0))) && isParticiple(after(1)) && !BE.has(after(1))) {
      passive = true
      at++
    } else if (BE.has(word(0)) && NEGATIONS.has(word(1))) {
      // "is not a part of": the copula stays, its negation becomes the mood.
      mood.add(NEGATIONS.get(word(1)) ?? '')
      words.splice(at + 1, 1)
    } else break
  }
  const rest = words.slice(at)
  const main = rest[0] ?? ''
  const byAgent = rest.length > 1 && rest.at(-1) === 'by' && isParticiple(main)
  const turned = byAgent && (passive || (rest.length === 2 && main.endsWith('ed') && !INTRANSITIVE.has(main)))
  const kept = turned ? rest.slice(0, -1) : rest
  const lemma = [
    BE.has(main) ? 'be' : infinitiveOf(main),
    ...kept.slice(1).filter(next => !FILLERS.has(next)),
  ]
  return {
    // The subject of a passive without an agent is not the subject of the active verb.
    lemma: (passive && !turned ? ['be', ...lemma] : lemma).join(' ') || key,
    mood: [...mood].sort().join(' '),
    turned,
  }
}
