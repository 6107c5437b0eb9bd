/** A beginning of a match: the characters of its first word so far, and whether further ones may follow. */
interface Start {
  text: string
  isOpen: boolean
}

const EMPTY: readonly Start[] = [{ text: '', isOpen: true }]
const WORD_END: readonly Start[] = [{ text: ' ', isOpen: false }]
const ANY: readonly Start[] = [{ text: '', isOpen: false }]
/** Assertions: they have no characters. */
const ASSERTION = /\(\?<?[!=]/y
const GROUP = /\((?:\?:|\?<\w+>)?/y
const QUANTIFIER = /(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/y
const LETTER = /\w/y
/** A class, an escape or any other character. */
const OTHER = /\[(?:\\.|[^\]])*\]|\\.|./sy

/** Reads a regular expression from left to right. */
class Reader {
  #at = 0
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    this.#at += found?.[0].length ?? 0
    return found
  }

  isAt(...chars: readonly (string | undefined)[]): boolean {
    return chars.includes(this.#source[this.#at])
  }
}

const joined = (starts: readonly Start[], next: readonly Start[]): Start[] =>
  starts.flatMap(start =>
    start.isOpen ? next.map(({ text, isOpen }) => ({ text: start.text + text, isOpen })) : [start],
  )

const atomOf = (reader: Reader): readonly Start[] => {
  if (reader.take(ASSERTION)) {
    choiceOf(reader)
    return EMPTY
  }
  if (reader.take(GROUP)) return choiceOf(reader)
  const letter = reader.take(LETTER)
  if (letter) return [{ text: letter[0], isOpen: true }]
  const other = reader.take(OTHER)?.[0] ?? ''
  if (other === '\\b') return EMPTY
  // A class, `.` or `\w` may be a letter; the word ends before any other character.
  return /^(?:\[|\.|\\[wdDS])/.test(other) ? ANY : WORD_END
}

const sequenceOf = (reader: Reader): readonly Start[] => {
  let starts = EMPTY
  while (!reader.isAt('|', ')', undefined)) {
    const atom = atomOf(reader)
    const quantifier = reader.take(QUANTIFIER)
    const isRepeated = quantifier !== null && !quantifier[0].startsWith('?')
    const once = isRepeated ? atom.map(({ text }) => ({ text, isOpen: false })) : atom
    const isOptional = quantifier !== null && /^[?*]|^\{0/.test(quantifier[0])
    starts = joined(starts, isOptional ? [...EMPTY, ...once] : once)
  }
  return starts
}

/** Reads alternatives, and the bracket behind them. */
const choiceOf = (reader: Reader): readonly Start[] => {
  const starts = [...sequenceOf(reader)]
  while (reader.take(/\|/y)) starts.push(...sequenceOf(reader))
  reader.take(/\)/y)
  return starts
}

/**
 * Returns how the first word of each match of a regular expression starts, if matches stand between characters that are
 * no letters, digits or `_`. A space stands for the word's end, so that `the ` is that word alone. An empty text stands
 * for any word.
 */
export const wordStarts = (source: string): Set<string> =>
  new Set(
    joined(choiceOf(new Reader(source)), WORD_END).map(({ text }) => (text.startsWith(' ') ? '' : text)),
  )
