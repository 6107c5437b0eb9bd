import unhomoglyph from 'unhomoglyph'

const LATIN = /\p{Script=Latin}/u
const CYRILLIC = /\p{Script=Cyrillic}/u
/** Letters of any script. */
const LETTER = /\p{L}/u
const LATIN_LETTER = /^[A-Za-z]$/

/** Cache of `asLatin`. */
const latinByCharacter = new Map<string, string | undefined>()

/** Returns the Latin letter that a character is confusable with (UTS #39); undefined if there is none. */
const asLatin = (character: string): string | undefined => {
  if (latinByCharacter.has(character)) return latinByCharacter.get(character)
  const looks = unhomoglyph(character)
  // The table maps a capital I to a small L; the lower-case form distinguishes them.
  const letter = looks === 'l' ? unhomoglyph(character.toLowerCase()) : looks
  const found = LATIN_LETTER.test(letter) ? letter : undefined
  latinByCharacter.set(character, found)
  return found
}

/** Russian and Ukrainian letters by the Latin letters that they are confusable with. */
const cyrillicByLatin = /* @__PURE__ */ (() => {
  const found = new Map<string, string>()
  for (const letter of 'абвгдежзийклмнопрстуфхцчшщъыьэюяії') {
    for (const cased of [letter, letter.toUpperCase()]) {
      const latin = asLatin(cased)
      if (latin && !found.has(latin)) found.set(latin, cased)
    }
  }
  return found
})()

/** Maps the letters of a word that `isKept` does not match; returns undefined if one has no counterpart. */
const mapLetters = (word: string, isKept: RegExp, map: (letter: string) => string | undefined) => {
  let mapped = ''
  for (const character of word) {
    const isSame = !LETTER.test(character) || isKept.test(character)
    const found = isSame ? character : map(character)
    if (found === undefined) return undefined
    mapped += found
  }
  return mapped
}

const toLatin = (word: string) => mapLetters(word, LATIN, asLatin)
const toCyrillic = (word: string) => mapLetters(word, CYRILLIC, letter => cyrillicByLatin.get(letter))

export type Script = 'latin' | 'cyrillic'

/** Returns the more frequent script of a text's letters; Latin if both are equal. */
export const mainScript = (text: string): Script => {
  let balance = 0
  for (const character of text) {
    if (LATIN.test(character)) balance++
    else if (CYRILLIC.test(character)) balance--
  }
  return balance < 0 ? 'cyrillic' : 'latin'
}

/**
 * Replaces homoglyphs in a word of a text in `script`: 'vаccine' with a Cyrillic а becomes 'vaccine'. If a letter has
 * no counterpart in the script, a word of mixed scripts is converted to the other script if possible; else it is
 * unchanged.
 */
export const withoutHomoglyphs = (word: string, script: Script): string =>
  (script === 'latin' ? toLatin(word) : toCyrillic(word)) ??
  (isMixed(word) ? (toLatin(word) ?? toCyrillic(word) ?? word) : word)

const isMixed = (word: string) => LATIN.test(word) && CYRILLIC.test(word)
