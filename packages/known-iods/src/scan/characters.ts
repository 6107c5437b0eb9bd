/** Kinds of characters for the matching of values. */
export const KIND = {
  /** A letter, number or underscore of a script with spaces between words. */
  word: 1,
  /** A character of a script without spaces: it may begin and end a value. */
  lone: 2,
  /** Punctuation, symbols, emoji. */
  other: 3,
  /** White space; a run is compared as one space. */
  space: 4,
  /** A combining mark, variation selector or zero width joiner: a part of the character before it. */
  mark: 5,
} as const
export type Kind = (typeof KIND)[keyof typeof KIND]

export const ZERO_WIDTH_JOINER = 0x200d

const MARK = /^[\p{M}\u200d]$/u
const WORD = /^[\p{L}\p{N}_]$/u
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

const classify = (character: string): Kind => {
  if (/^\s$/.test(character)) return KIND.space
  if (MARK.test(character)) return KIND.mark
  if (!WORD.test(character)) return KIND.other
  return WITHOUT_SPACES.test(character) ? KIND.lone : KIND.word
}

/** Cache of the kinds of code points below U+10000: the regular expressions are slow. */
const cache = new Uint8Array(0x10000)

/** Returns the kind of a code point. A lone surrogate is `other`. */
export const kindOf = (codePoint: number): Kind => {
  if (codePoint > 0xffff) return classify(String.fromCodePoint(codePoint))
  const kind = cache[codePoint] as Kind | 0
  if (kind) return kind
  const found = classify(String.fromCharCode(codePoint))
  cache[codePoint] = found
  return found
}
