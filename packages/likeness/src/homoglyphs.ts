import unhomoglyph from 'unhomoglyph'

const LATIN = /\p{Script=Latin}/u
const CYRILLIC = /\p{Script=Cyrillic}/u
/** Letters, whatever their script. */
const LETTER = /\p{L}/u
const LATIN_LETTER = /^[A-Za-z]$/

/** Latin letters that letters of other scripts look like; undefined where there is none. Filled as they are asked for. */
const latinOf = new Map<string, string | undefined>()

/** The Latin letter that a character of another script looks like, by Unicode's table of confusables (UTS #39). */
const asLatin = (character: string): string | undefined => {
  if (latinOf.has(character)) return latinOf.get(character)
  const looks = unhomoglyph(character)
  // The table takes a capital I for a small L; the small letter tells them apart.
  const letter = looks === 'l' ? unhomoglyph(character.toLowerCase()) : looks
  const found = LATIN_LETTER.test(letter) ? letter : undefined
  latinOf.set(character, found)
  return found
}

/** Cyrillic letters by the Latin ones that they look like: those of Russian and Ukrainian. */
const cyrillicOf = /* @__PURE__ */ (() => {
  const found = new Map<string, string>()
  for (const letter of 'абвгдежзийклмнопрстуфхцчшщъыьэюяії') {
    for (const cased of [letter, letter.toUpperCase()]) {
      const latin = asLatin(cased)
      if (latin && !found.has(latin)) found.set(latin, cased)
    }
  }
  return found
})()

const mapped = (word: string, isKept: RegExp, map: (letter: string) => string | undefined) => {
  let whole = ''
  for (const character of word) {
    const isSame = !LETTER.test(character) || isKept.test(character)
    const found = isSame ? character : map(character)
    if (found === undefined) return undefined
    whole += found
  }
  return whole
}

const toLatin = (word: string) => mapped(word, LATIN, asLatin)
const toCyrillic = (word: string) => mapped(word, CYRILLIC, letter => cyrillicOf.get(letter))

export type Script = 'latin' | 'cyrillic'

/** The script that most letters of a text have, of Latin and Cyrillic. */
export const mainScript = (text: string): Script => {
  let balance = 0
  for (const character of text) {
    if (LATIN.test(character)) balance++
    else if (CYRILLIC.test(character)) balance--
  }
  return balance < 0 ? 'cyrillic' : 'latin'
}

/**
 * A word of a text in `script` whose letters are borrowed from another one to look alike, in the letters that it stands
 * for: 'vаccine' with a Cyrillic а is 'vaccine'. A word that is no word of the script in disguise stays.
 */
export const withoutHomoglyphs = (word: string, script: Script): string =>
  (script === 'latin' ? toLatin(word) : toCyrillic(word)) ??
  (isMixed(word) ? (toLatin(word) ?? toCyrillic(word) ?? word) : word)

const isMixed = (word: string) => LATIN.test(word) && CYRILLIC.test(word)
