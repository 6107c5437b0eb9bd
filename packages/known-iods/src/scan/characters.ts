/** What a character is for the matching of values. */
export const KIND = {
  /** A letter, number or underscore of a script with spaces between words. */
  word: 1,
  /** One of a script without spaces: each character may begin and end a value. */
  lone: 2,
  /** Punctuation, symbols, emoji. */
  other: 3,
  /** White space, which is compared as one space. */
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

/** Kinds of the code points below U+10000 that were asked for: the expressions are slow. */
const known = new Uint8Array(0x10000)

/** The kind of a code point. A half of a surrogate pair alone is `other`. */
export const kindOf = (codePoint: number): Kind => {
  if (codePoint > 0xffff) return classify(String.fromCodePoint(codePoint))
  const kind = known[codePoint] as Kind | 0
  if (kind) return kind
  const found = classify(String.fromCharCode(codePoint))
  known[codePoint] = found
  return found
}
