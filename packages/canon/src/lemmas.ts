import nlp from 'compromise'

/** What compromise offers to its plugins. Its types leave these out. */
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
/** Words whose tag says that they are no inflected verb. */
const BASE = new Set([
  'Infinitive',
  'Singular',
  'Plural',
  'Preposition',
  'Determiner',
  'Adverb',
  'Conjunction',
  'Pronoun',
])

/** A cache of words with a bound: the words of a language fit, what strangers make up does not pile up. */
const remembered = (find: (word: string) => string): ((word: string) => string) => {
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

const tagOf = (word: string): string | undefined => {
  const tag = Object.hasOwn(model.one.lexicon, word) ? model.one.lexicon[word] : undefined
  return Array.isArray(tag) ? tag[0] : tag
}

/** The infinitive of an English verb's form, in lower case; any other word as it is. */
export const infinitiveOf = remembered(word => {
  const tag = tagOf(word)
  if (tag !== undefined && TENSES.has(tag)) return verb.toInfinitive(word, model, tag as Tense) || word
  const guess = verb.toInfinitive(word, model) || word
  if (guess !== word || (tag !== undefined && BASE.has(tag))) return guess
  // Irregular forms with another tag, such as "left" and "broken".
  for (const tense of ['PastTense', 'Participle'] as const) {
    const found = verb.toInfinitive(word, model, tense)
    if (found && found !== word && tagOf(found) !== undefined) return found
  }
  return word
})

/** Whether a word is a past participle, as far as its form says. */
export const isParticiple = (word: string): boolean => {
  const tag = tagOf(word)
  if (tag === 'Participle' || tag === 'PastTense') return true
  return !word.endsWith('ing') && !word.endsWith('s') && infinitiveOf(word) !== word
}

/** Whether a word is a present participle of a verb. */
export const isGerund = (word: string): boolean => word.endsWith('ing') && infinitiveOf(word) !== word

/** The singular of an English noun, in lower case; a short word as it is. */
export const singularOf = remembered(word =>
  word.length > 3 && word.endsWith('s') ? noun.toSingular(word, model) || word : word,
)
