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

/** A piece of a text, and the IODs whose values cover it. */
export interface Piece<I extends Identified = Iod> {
  text: string
  /** The offset in the text. */
  start: number
  iods: readonly I[]
}

export interface KnownIods<I extends Identified = Iod> {
  /** The IODs with this value. */
  matching: (value: string) => readonly I[]
  /** Splits the text at the starts and ends of IOD values. The joined pieces equal the text. */
  split: (text: string) => Piece<I>[]
}

/** Shorter values are found in a text only as whole words. */
const INSIDE_WORDS_MIN = 4

/** Keys of IODs: each card of a list makes an index of the same ones. */
const keys = new WeakMap<Identified, ValueKey | undefined>()
const keyOf = (iod: Identified): ValueKey | undefined => {
  if (!keys.has(iod)) keys.set(iod, valueKey(iod))
  return keys.get(iod)
}

/**
 * An index of known IODs, for badges and highlights. Values are compared folded, as the server's look-up does; within
 * texts as `Scanner` does. A value that a text has only as a part of words is found as that: somebody selected it so.
 */
export function createKnownIods<I extends Identified = Iod>(iods: readonly I[]): KnownIods<I> {
  const distinct = [...new Map(iods.map(iod => [iod.id, iod])).values()]
  const byKey = new Map<string, I[]>()
  for (const iod of distinct) {
    const key = matchKey(iod)
    byKey.set(key, [...(byKey.get(key) ?? []), iod])
  }
  const scanner = createScanner(distinct.length, n => keyOf(distinct[n] as I))

  const placesIn = (text: string): [I, TextRange][] => {
    const hits = scanner.scan(text)
    const whole = new Set(hits.map(({ key }) => key))
    const folded = foldText(text)
    return [
      ...hits.map(({ start, end, key }): [I, TextRange] => [distinct[key] as I, [start, end]]),
      ...distinct.flatMap((iod, key) => {
        const value = foldIod(iod)
        const isPart = !whole.has(key) && value.length >= INSIDE_WORDS_MIN && folded.includes(value)
        return isPart ? findFolded(text, value).map((place): [I, TextRange] => [iod, place]) : []
      }),
    ]
  }

  return {
    matching: value => matchKeys(value).flatMap(key => byKey.get(key) ?? []),
    split: text => {
      const edges = placesIn(text).flatMap(([iod, [start, end]]) => [
        { at: iod.category === 'HASHTAGS' ? withSign(text, start) : start, change: 1, iod },
        { at: end, change: -1, iod },
      ])
      return cut(
        text,
        edges.sort((a, b) => a.at - b.at),
      )
    },
  }
}

function cut<I extends Identified>(
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
