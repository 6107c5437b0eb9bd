import { foldText } from '@iodine/contracts/fold'
import { KIND, kindOf } from '@iodine/known-iods/characters'
import { mainScript, type Script, withoutHomoglyphs } from './homoglyphs.js'
import { languagesIn } from './languages.js'

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const WHITE_SPACE = /\s+/u
/** A URL, with or without its scheme. */
const LINK = /^[\p{P}\p{S}]*(?:https?:\/\/|www\.)|^[^/]+\.\p{L}{2,}\//iu
/** Letters, numbers, combining marks and underscores. */
const WORD = /[\p{L}\p{N}\p{M}_]+/gu
/** Words with inner apostrophes: some contractions are stop words. */
const CONTRACTION = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{N}\p{M}_]+)*/gu
const APOSTROPHE = "'"
const NAMED = /[#@](\p{Ll}*\p{Lu}[\p{L}\p{N}_]*)/gu
const NAME_PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu
const WITH_ACCENTS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u
const MARKS = /\p{M}/gu
const GRAM = 2

/** Normalizes a text to NFKC without invisible characters. */
const visible = (text: string): string => text.normalize('NFKC').replace(INVISIBLE, '')

/** Splits a text at white space and replaces homoglyphs in the pieces, except in links. */
const piecesOf = (text: string, script?: Script): string[] => {
  const seen = visible(text)
  script ??= mainScript(seen)
  return seen
    .split(WHITE_SPACE)
    .filter(piece => piece !== '')
    .map(piece => (LINK.test(piece) ? piece : piece.replace(WORD, word => withoutHomoglyphs(word, script))))
}

/** Returns a text's form for exact comparison, which ignores case, white space, invisible characters and homoglyphs. */
export const exactForm = (text: string): string => foldText(piecesOf(text).join(' '))

/** Returns a text's folded words in order, without punctuation; scripts without spaces are split into characters. */
const wordsInOrder = (text: string, script: Script): string => {
  const words = piecesOf(text, script).flatMap(piece => foldText(piece).match(WORD) ?? [])
  return ` ${words
    .join(' ')
    .replace(/\P{ASCII}/gu, character =>
      kindOf(character.codePointAt(0) as number) === KIND.lone ? ` ${character} ` : character,
    )
    .replace(/ +/g, ' ')
    .trim()} `
}

/**
 * Returns a test of texts against some words: `whole` if a text contains all the words in their order, `part` if the
 * words contain the whole text, else null. Ignores case, punctuation, white space, invisible and look-alike characters.
 * Words without letters or numbers, such as emoji, are compared in their exact form.
 */
export const quotesOf = (words: string): ((text: string) => 'whole' | 'part' | null) => {
  const script = mainScript(visible(words))
  const wanted = wordsInOrder(words, script)
  if (wanted.trim() === '') {
    const signs = exactForm(words)
    return text => (signs !== '' && exactForm(text).includes(signs) ? 'whole' : null)
  }
  return text => {
    const found = wordsInOrder(text, script)
    if (found.includes(wanted)) return 'whole'
    return found.trim() !== '' && wanted.includes(found) ? 'part' : null
  }
}

const isLetter = (word: string): boolean => word.length === 1 && word.toLowerCase() !== word.toUpperCase()

/** Splits a word: runs of scripts without spaces into bigrams, all else into words. */
const unitsOf = (word: string): { units: string[]; isGram: boolean }[] => {
  const runs: { characters: string[]; isGram: boolean }[] = []
  for (const character of word) {
    const kind = kindOf(character.codePointAt(0) as number)
    const last = runs.at(-1)
    const isGram = kind === KIND.mark ? (last?.isGram ?? false) : kind === KIND.lone
    if (last?.isGram !== isGram) runs.push({ characters: [character], isGram })
    else if (kind === KIND.mark && isGram) last.characters.push((last.characters.pop() ?? '') + character)
    else last.characters.push(character)
  }
  return runs.map(({ characters, isGram }) => {
    if (!isGram || characters.length < GRAM) return { units: [characters.join('')], isGram }
    const grams = characters.slice(GRAM - 1).map((_, n) => characters.slice(n, n + GRAM).join(''))
    return { units: grams, isGram }
  })
}

/**
 * Returns the distinct content words of a text as stems, with accents folded. Links, stop words and single letters are
 * left out. Scripts without spaces yield bigrams. Hashtags and names in camel case also yield their parts. A text of
 * stop words only yields its stop words.
 */
export const contentWords = (text: string): string[] => {
  const grams = new Set<string>()
  const words: string[] = []
  for (const piece of piecesOf(text)) {
    if (LINK.test(piece)) continue
    const parts = [...piece.matchAll(NAMED)].flatMap(([, name = '']) => name.match(NAME_PARTS) ?? [])
    for (const word of [...(piece.match(CONTRACTION) ?? []), ...(parts.length > 1 ? parts : [])]) {
      for (const { units, isGram } of unitsOf(foldText(word).replaceAll('’', "'"))) {
        if (isGram) for (const gram of units) grams.add(gram)
        else words.push(...units)
      }
    }
  }
  const languageOf = languagesIn(words)
  const stemsOf = (some: readonly string[]) =>
    some.map(word => {
      const stem = languageOf(word).stem(word)
      return WITH_ACCENTS.test(stem) ? stem.normalize('NFD').replace(MARKS, '') : stem
    })
  const isContent = (word: string) => !languageOf(word).isStopWord(word)
  const content = words
    .flatMap(word => (isContent(word) ? word.split(APOSTROPHE) : []))
    .filter(word => isContent(word) && !isLetter(word))
  const found = new Set([...grams, ...stemsOf(content)])
  return [...(found.size > 0 ? found : new Set(stemsOf(words)))]
}
