import {
  findFolded,
  foldIod,
  foldText,
  type Iod,
  matchKey,
  matchKeys,
  type TextRange,
} from '@iodine/contracts'
import { createScanner, type ValueKey, valueKey, withSign } from './scan/index.js'

type Identified = Pick<Iod, 'id' | 'value' | 'category'>

/** A segment of a text, with the IODs whose values cover it. */
export interface Piece<I extends Identified = Iod> {
  text: string
  /** Offset in the text. */
  start: number
  iods: readonly I[]
}

export interface KnownIods<I extends Identified = Iod> {
  /** Returns the IODs with this value. */
  matching: (value: string) => readonly I[]
  /** Splits the text at the starts and ends of IOD values. The concatenated pieces equal the text. */
  split: (text: string) => Piece<I>[]
}

/** Minimum length of a value that is also found as part of a word. */
const INSIDE_WORDS_MIN = 4

/** Cache of keys: each card of a list creates an index of the same IODs. */
const keys = new WeakMap<Identified, ValueKey | undefined>()
const keyOf = (iod: Identified): ValueKey | undefined => {
  if (!keys.has(iod)) keys.set(iod, valueKey(iod))
  return keys.get(iod)
}

/**
 * Creates an index of known IODs, for badges and highlights. Whole values are compared folded, as in the server's
 * look-up; in texts, `Scanner` finds them. A value that occurs only as a part of words is also found, because users may
 * select parts of words.
 */
export function createKnownIods<I extends Identified = Iod>(iods: readonly I[]): KnownIods<I> {
  const distinct = [...new Map(iods.map(iod => [iod.id, iod])).values()]
  const byKey = new Map<string, I[]>()
  for (const iod of distinct) {
    const key = matchKey(iod)
    byKey.set(key, [...(byKey.get(key) ?? []), iod])
  }
  const scanner = createScanner(distinct.length, n => keyOf(distinct[n] as I))

  const occurrencesIn = (text: string): [I, TextRange][] => {
    const hits = scanner.scan(text)
    const whole = new Set(hits.map(({ key }) => key))
    const folded = foldText(text)
    return [
      ...hits.map(({ start, end, key }): [I, TextRange] => [distinct[key] as I, [start, end]]),
      ...distinct.flatMap((iod, key) => {
        const value = foldIod(iod)
        const isPart = !whole.has(key) && value.length >= INSIDE_WORDS_MIN && folded.includes(value)
        return isPart ? findFolded(text, value).map((range): [I, TextRange] => [iod, range]) : []
      }),
    ]
  }

  return {
    matching: value => matchKeys(value).flatMap(key => byKey.get(key) ?? []),
    split: text => {
      const edges = occurrencesIn(text).flatMap(([iod, [start, end]]) => [
        { at: iod.category === 'HASHTAGS' ? withSign(text, start) : start, change: 1, iod },
        { at: end, change: -1, iod },
      ])
      return splitAt(
        text,
        edges.sort((a, b) => a.at - b.at),
      )
    },
  }
}

function splitAt<I extends Identified>(
  text: string,
  edges: { at: number; change: number; iod: I }[],
): Piece<I>[] {
  const pieces: Piece<I>[] = []
  const open = new Map<I, number>()
  const close = (start: number, end: number) => {
    if (start === end) return
    const iods = [...open.keys()]
    const last = pieces.at(-1)
    const isSame = last && last.iods.length === iods.length && iods.every(iod => last.iods.includes(iod))
    if (isSame) last.text += text.slice(start, end)
    else pieces.push({ text: text.slice(start, end), start, iods })
  }
  let from = 0
  for (const { at, change, iod } of edges) {
    close(from, at)
    from = at
    const depth = (open.get(iod) ?? 0) + change
    if (depth > 0) open.set(iod, depth)
    else open.delete(iod)
  }
  close(from, text.length)
  return pieces
}
