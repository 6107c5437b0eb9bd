import nlp from 'compromise'

/** Plugin methods of compromise that its types lack. */
interface Methods {
  two: {
    transform: {
      verb: { toInfinitive(word: string, model: object, tense?: Tense): string }
      noun: { toSingular(word: string, model: object): string }
    }
  }
}
interface Model {
  one: { lexicon: Record<string, string | string[] | undefined> }
}

type Tense = 'PastTense' | 'PresentTense' | 'Participle' | 'Gerund'

const { verb, noun } = (nlp.methods() as Methods).two.transform
const model = nlp.model() as Model
const TENSES = new Set<string>(['PastTense', 'PresentTense', 'Participle', 'Gerund'])
/** Tags of words that are no inflected verbs. */
const UNINFLECTED = new Set([
  'Infinitive',
  'Singular',
  'Plural',
  'Preposition',
  'Determiner',
  'Adverb',
  'Conjunction',
  'Pronoun',
])

/** Memoizes a function of words. The cache is bounded: made-up words in texts must not exhaust memory. */
const memoized = (find: (word: string) => string): ((word: string) => string) => {
  const known = new Map<string, string>()
  return word => {
    const before = known.get(word)
    if (before !== undefined) return before
    const found = find(word)
    if (known.size >= 50_000) known.clear()
    known.set(word, found)
    return found
  }
}

const tagsOf = (word: string): string[] =>
  Object.hasOwn(model.one.lexicon, word) ? [model.one.lexicon[word] ?? []].flat() : []
const tagOf = (word: string): string | undefined => tagsOf(word)[0]

/** Returns the infinitive of an English verb form in lower case; other words are returned unchanged. */
export const infinitiveOf = memoized(word => {
  const tag = tagOf(word)
  if (tag !== undefined && TENSES.has(tag)) return verb.toInfinitive(word, model, tag as Tense) || word
  const guess = verb.toInfinitive(word, model) || word
  if (guess !== word || (tag !== undefined && UNINFLECTED.has(tag))) return guess
  // The library does not change "shelling".
  if (/(?:ll|ss|ff|zz)ing$/.test(word)) return word.slice(0, -3)
  // Irregular forms that the lexicon tags otherwise, such as "left" and "broken".
  for (const tense of ['PastTense', 'Participle'] as const) {
    const found = verb.toInfinitive(word, model, tense)
    if (found && found !== word && tagOf(found) !== undefined) return found
  }
  return word
})

/** Verbs whose participle equals the infinitive. */
const UNCHANGED = new Set(
  'bet bid broadcast burst cast cost cut hit hurt let put read rid set shed shut split spread thrust'.split(
    ' ',
  ),
)

/** Returns whether a word has the form of a past participle. */
export const isParticiple = (word: string): boolean => {
  if (UNCHANGED.has(word)) return true
  const tag = tagOf(word)
  if (tag === 'Participle' || tag === 'PastTense') return true
  return !word.endsWith('ing') && !word.endsWith('s') && infinitiveOf(word) !== word
}

/** Returns whether a word is a present participle. */
export const isGerund = (word: string): boolean => word.endsWith('ing') && infinitiveOf(word) !== word

/** Returns the singular of an English noun in lower case; words of up to three letters are returned unchanged. */
export const singularOf = memoized(word =>
  word.length > 3 && /[^ius]s$/.test(word) ? noun.toSingular(word, model) || word : word,
)

const hasTag = (word: string, ...tags: readonly string[]): boolean =>
  tagsOf(word).some(each => tags.includes(each))

/** Returns whether a word is a given name. */
export const isGivenName = (word: string): boolean =>
  hasTag(word, 'MaleName', 'FemaleName', 'FirstName', 'Person')

/** Returns whether a word is a form of address, such as "dr". */
export const isHonorific = (word: string): boolean => hasTag(word, 'Honorific')

/** Returns whether a word is a role or a title of persons. */
export const isRole = (word: string): boolean => hasTag(word, 'Actor', 'Honorific')

/** Returns whether compromise's word list contains the word. */
export const isKnownWord = (word: string): boolean => Object.hasOwn(model.one.lexicon, word)

/** Returns whether a word is a country, a region or another place. */
export const isPlace = (word: string): boolean => hasTag(word, 'Country', 'Place', 'Region')

/** Returns whether a word is a city. */
export const isCity = (word: string): boolean => hasTag(word, 'City')

/** Returns the American spelling of a British one. */
export const commonSpellingOf = (word: string): string =>
  word.length > 5
    ? word
        .replace(/tre$/, 'ter')
        .replace(/isation$/, 'ization')
        .replace(/([^aeiou])our$/, '$1or')
        .replace(/fence$/, 'fense')
    : word

const countries = Object.keys(model.one.lexicon).filter(word => !word.includes(' ') && isPlace(word))

const sharedStart = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** Returns the country of a demonym with the same beginning ("ukrainian"); other words are returned unchanged. */
export const demonymCountryOf = memoized(word => {
  if (!hasTag(word, 'Demonym')) return word
  let best = word
  let most = 3
  for (const country of countries) {
    const shared = sharedStart(country, word)
    if (shared > most && shared >= country.length - 2) [best, most] = [country, shared]
  }
  return best
})
