import {
  commonSpellingOf,
  demonymCountryOf,
  isCity,
  isGivenName,
  isHonorific,
  isPlace,
  isRole,
  singularOf,
} from './lemmas.js'

/** The words of an entity's label. */
export interface Name {
  /** Words in their order, without leading determiners, punctuation and plurals. */
  words: string[]
  /** Distinct words without stop words. */
  tokens: ReadonlySet<string>
  /** The tokens, sorted and joined: equal for equal names. */
  text: string
  /** The head noun: the last word before a preposition, without legal forms. */
  head: string
  /** Whether the label is in capitals, has points after its letters, or is the name of a place. */
  isAcronym: boolean
}

const DETERMINERS = new Set([
  ...['the', 'a', 'an', 'this', 'that', 'these', 'those', 'some', 'any', 'all'],
  ...['our', 'their', 'its', 'his', 'her', 'my', 'your'],
])
const PREPOSITIONS = new Set([
  'of',
  'in',
  'on',
  'at',
  'for',
  'from',
  'to',
  'with',
  'by',
  'against',
  'about',
  'under',
  'over',
  'near',
  'between',
  'among',
])
const STOP_WORDS = new Set([...DETERMINERS, ...PREPOSITIONS, 'and'])
const LEGAL_FORMS = new Set([
  'inc',
  'incorporated',
  'corp',
  'corporation',
  'co',
  'company',
  'ltd',
  'limited',
  'llc',
  'plc',
  'gmbh',
  'ag',
  'group',
  'holding',
])
/** Maximum words of a label that are compared: longer labels are sentences. */
const WORDS_MAX = 24

/** Joins consecutive single letters into one word: "u s" becomes "us". */
const joinLetters = (words: string[]): string[] => {
  const joined: string[] = []
  let letters = ''
  for (const word of [...words, '']) {
    if (/^\p{L}$/u.test(word)) {
      letters += word
      continue
    }
    if (letters) joined.push(letters)
    letters = ''
    if (word) joined.push(word)
  }
  return joined
}

/**
 * Parses an entity's label.
 *
 * @param key the label's key
 * @param spellings the label's variants in texts
 */
export const nameOf = (key: string, spellings: Iterable<string> = []): Name => {
  const parts = key
    .normalize('NFKC')
    .replace(/[’'`´ʼ]s(?=$|[^\p{L}\p{N}])/gu, '')
    .replace(/[’'`´ʼ.]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u, WORDS_MAX * 2)
    .filter(Boolean)
  let words = joinLetters(parts)
  while (words.length > 1 && DETERMINERS.has(words[0] ?? '')) words.shift()
  words = words.slice(0, WORDS_MAX).map(word => commonSpellingOf(singularOf(word)))
  while (words.length > 1 && isHonorific(words[0] ?? '')) words.shift()
  if (words.length > 1) words = words.map(demonymCountryOf)
  const full = words.filter(word => !STOP_WORDS.has(word))
  const stop = words.findIndex((word, n) => n > 0 && PREPOSITIONS.has(word))
  let end = stop > 0 ? stop : words.length
  while (end > 1 && LEGAL_FORMS.has(words[end - 1] ?? '')) end--
  if (words[end - 1] === 'university' && (end > 2 || (end === 2 && !isPlace(words[0] ?? '')))) end--
  // "Portland, Oregon"
  if (
    end > 1 &&
    isPlace(words[end - 1] ?? '') &&
    (isCity(words[end - 2] ?? '') || key.includes(`, ${words[end - 1]}`))
  )
    end--
  let isAcronym =
    words.length === 1 &&
    (isPlace(words[0] ?? '') ||
      (parts.length > 1 && words[0]?.length === parts.length) ||
      /^(?:\p{L}\.){2,}$/u.test(key))
  for (const spelling of spellings)
    if (/\p{Lu}/u.test(spelling) && !/\p{Ll}/u.test(spelling)) isAcronym = true
  const tokens = new Set(full.length > 0 ? full : words)
  return { words, tokens, text: textOf(tokens), head: words[end - 1] ?? '', isAcronym }
}

/** Returns the tokens, sorted and joined. */
export const textOf = (tokens: Iterable<string>): string => [...tokens].sort().join(' ')

/** Returns whether a word describes an entity without identifying it, such as "president". */
export const isDescription = (word: string): boolean => isRole(word) || LEGAL_FORMS.has(word)

/**
 * Returns whether a shorter name may stand for a longer one: the longer name contains its words, which include the
 * head.
 */
export const mayMean = (short: Name, long: Name): boolean => {
  if (short.tokens.size >= long.tokens.size) return false
  for (const token of short.tokens) if (!long.tokens.has(token)) return false
  if (short.tokens.has(long.head)) return true
  // "Rupert" for "Rupert Murdoch".
  return (
    short.words.length === 1 &&
    long.words.length === 2 &&
    long.words[0] === short.words[0] &&
    isGivenName(short.words[0] ?? '')
  )
}

/** Returns the initials of words, without stop words. */
export const initialsOf = (words: readonly string[]): string =>
  words
    .filter(word => !STOP_WORDS.has(word))
    .map(word => word[0] ?? '')
    .join('')

/** Returns short forms of a name, whose first words are abbreviated to initials: "un", "la dodger", "v putin". */
export const shortForms = (words: readonly string[]): string[] => {
  const forms: string[] = []
  for (let n = 2; n <= Math.min(words.length, 8); n++) {
    if (STOP_WORDS.has(words[n - 1] ?? '')) continue
    const initials = initialsOf(words.slice(0, n))
    if (initials.length > 1) forms.push([initials, ...words.slice(n)].join(' '))
  }
  if (words.length > 1 && (words[0]?.length ?? 0) > 1)
    forms.push([words[0]?.[0], ...words.slice(1)].join(' '))
  return forms
}
