import { foldText } from '@iodine/contracts/fold'
import { KIND, kindOf } from '@iodine/known-iods/characters'
import { mainScript, type Script, withoutHomoglyphs } from './homoglyphs.js'
import { languagesIn } from './languages.js'

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const WHITE_SPACE = /\s+/u
/** An address, with or without its scheme. */
const LINK = /^[\p{P}\p{S}]*(?:https?:\/\/|www\.)|^[^/]+\.\p{L}{2,}\//iu
/** Letters, numbers and marks. */
const WORD = /[\p{L}\p{N}\p{M}_]+/gu
/** Words with the apostrophes between them: some contractions are stop words. */
const CONTRACTION = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}\p{N}\p{M}_]+)*/gu
const APOSTROPHE = "'"
const NAMED = /[#@](\p{Ll}*\p{Lu}[\p{L}\p{N}_]*)/gu
const NAME_PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu
const WITH_ACCENTS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u
const MARKS = /\p{M}/gu
const GRAM = 2

/** What a reader sees of a text, in one form: compatibility forms and invisible characters folded. */
const visible = (text: string): string => text.normalize('NFKC').replace(INVISIBLE, '')

/** A text's pieces between white space, each with its words in the letters that they stand for. */
const piecesOf = (text: string, script?: Script): string[] => {
  const seen = visible(text)
  script ??= mainScript(seen)
  return seen
    .split(WHITE_SPACE)
    .filter(piece => piece !== '')
    .map(piece => (LINK.test(piece) ? piece : piece.replace(WORD, word => withoutHomoglyphs(word, script))))
}

/** A text for exact comparison: two that a reader cannot tell apart but for case and white space are equal. */
export const exactForm = (text: string): string => foldText(piecesOf(text).join(' '))

/** A text's words in their order, folded, without punctuation; characters of scripts without spaces one by one. */
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
 * Returns a test of texts against some words: `whole` where a text contains all of the words, `part` where the words
 * contain all of the text, null where neither does. Words count by their order; case, punctuation, white space, invisible
 * and look-alike characters don't. Words without a letter or number, such as emoji, are compared as they are.
 */
export const quotesOf = (words: string): ((text: string) => 'whole' | 'part' | null) => {
  const script = mainScript(visible(words))
  const wanted = wordsInOrder(words, script)
  if (wanted.trim() === '') {
    const signs = exactForm(words)
    return text => (signs !== '' && exactForm(text).includes(signs) ? 'whole' : null)
  }
  return text => {
    const said = wordsInOrder(text, script)
    if (said.includes(wanted)) return 'whole'
    return said.trim() !== '' && wanted.includes(said) ? 'part' : null
  }
}

const isLetter = (word: string): boolean => word.length === 1 && word.toLowerCase() !== word.toUpperCase()

/** Runs of letters of scripts without spaces as pairs of neighbours, all else as words. */
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
 * The distinct content words of a text, as stems: without links, stop words and single letters, accents folded; of
 * scripts without spaces the pairs of neighbouring characters. A hashtag or name in camel case counts by its parts, too.
 * A text of stop words alone has these.
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
