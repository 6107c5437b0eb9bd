import { type FoldedText, foldWithOffsets } from '@iodine/contracts'
import { KIND, type Kind, kindOf, ZERO_WIDTH_JOINER } from './characters.js'
import { grown, PrefixHashes } from './prefix-hash.js'

const SPACE = 0x20
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** Adds a number to a 32-bit FNV-1a hash. */
export const mix = (hash: number, value: number): number => Math.imul(hash ^ value, FNV_PRIME) >>> 0
/** Initial hash for `mix`. */
export const EMPTY_HASH = FNV_OFFSET

/**
 * The form of a text in which values are searched: folded, white space collapsed, without invisible characters. The
 * object is reused: it describes the text of the last call of `read`.
 */
export class ComparedText {
  /** Hashes of all ranges, in UTF-16 units. */
  readonly hashes = new PrefixHashes()
  /** Number of words; for each word the first unit, the length, the hash, and 1 if it has letters or numbers. */
  words = 0
  wordStart = new Uint32Array(256)
  wordLength = new Uint32Array(256)
  wordHash = new Uint32Array(256)
  isStrong = new Uint8Array(256)
  /** For each unit and the end: the offset in the folded text, and 1 if a value may begin or end before it. */
  #at = new Uint32Array(1_024)
  #isEdge = new Uint8Array(1_024)
  #offsets: FoldedText['offsets']

  get length(): number {
    return this.hashes.length
  }

  read(text: string): void {
    const { folded, offsets } = foldWithOffsets(text)
    this.hashes.clear()
    this.words = 0
    this.#offsets = offsets
    /** Kind of the last character, including its marks. */
    let last: Kind = KIND.space
    let isJoined = false
    /** Current word; -1 outside of words. */
    let word = -1
    for (let n = 0; n < folded.length; n++) {
      const unit = folded.charCodeAt(n)
      const isPair = (unit & 0xfc00) === 0xd800 && (folded.charCodeAt(n + 1) & 0xfc00) === 0xdc00
      const kind = kindOf(isPair ? (folded.codePointAt(n) as number) : unit)
      if (kind === KIND.space) {
        if (last !== KIND.space || this.length === 0) this.#add(SPACE, n, true)
        last = kind
        isJoined = false
        word = -1
        continue
      }
      // A zero width joiner combines two emoji.
      const isPart = kind === KIND.mark || (isJoined && kind === KIND.other && last === KIND.other)
      const continuesWord = isPart || (kind === KIND.word && last === KIND.word)
      const isWhole = offsets === undefined || n === 0 || offsets[n] !== offsets[n - 1]
      if (!isPart) last = kind
      // A mark without a base character.
      else if (word < 0) last = KIND.other
      if (!continuesWord || word < 0) word = this.#addWord(last)
      this.#add(unit, n, !continuesWord && isWhole)
      this.#extend(word, unit)
      if (isPair) {
        n++
        const low = folded.charCodeAt(n)
        this.#add(low, n, false)
        this.#extend(word, low)
      }
      isJoined = unit === ZERO_WIDTH_JOINER
    }
    this.#mark(folded.length, true)
  }

  #add(unit: number, offset: number, isEdge: boolean): void {
    this.#mark(offset, isEdge)
    this.hashes.add(unit)
  }

  #mark(offset: number, isEdge: boolean): void {
    const n = this.length
    if (n + 1 >= this.#at.length) {
      this.#at = grown(this.#at)
      this.#isEdge = grown(this.#isEdge)
    }
    this.#at[n] = offset
    this.#isEdge[n] = isEdge ? 1 : 0
  }

  #addWord(kind: Kind): number {
    const n = this.words++
    if (n === this.wordStart.length) {
      this.wordStart = grown(this.wordStart)
      this.wordLength = grown(this.wordLength)
      this.wordHash = grown(this.wordHash)
      this.isStrong = grown(this.isStrong)
    }
    this.wordStart[n] = this.length
    this.wordLength[n] = 0
    this.wordHash[n] = EMPTY_HASH
    this.isStrong[n] = kind === KIND.other ? 0 : 1
    return n
  }

  #extend(word: number, unit: number): void {
    this.wordLength[word] = (this.wordLength[word] as number) + 1
    this.wordHash[word] = mix(this.wordHash[word] as number, unit)
  }

  /** Returns whether a value may occur at [start, end): not inside a word, and without splitting a character. */
  isApart(start: number, end: number): boolean {
    return this.#isEdge[start] === 1 && this.#isEdge[end] === 1
  }

  /** Converts a range to offsets in the original text. */
  rangeOf(start: number, end: number): [start: number, end: number] {
    const offsetOf = (folded: number) => this.#offsets?.[folded] ?? folded
    return [offsetOf(this.#at[start] as number), offsetOf((this.#at[end - 1] as number) + 1)]
  }
}
