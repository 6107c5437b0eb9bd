import { type FoldedText, foldIod, foldWithOffsets, type Iod, matchKey, matchKeys } from '@iodine/contracts'

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
// Scripts without spaces between words are left out: they have no word boundaries to check.
const WORD_CHARACTER =
  /^(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar})[\p{L}\p{N}_]$/u

/**
 * An index of known IODs, for badges and highlights. Values are compared folded, as the server's look-up
 * does.
 */
export function createKnownIods<I extends Identified = Iod>(iods: readonly I[]): KnownIods<I> {
  const byKey = new Map<string, I[]>()
  const seen = new Set<string>()
  for (const iod of iods) {
    if (seen.has(iod.id)) continue
    seen.add(iod.id)
    const key = matchKey(iod)
    byKey.set(key, [...(byKey.get(key) ?? []), iod])
  }
  return {
    matching: value => matchKeys(value).flatMap(key => byKey.get(key) ?? []),
    split: text => {
      const folded = foldWithOffsets(text)
      const edges = [...byKey.values()].flatMap(found =>
        occurrences(text, folded, found[0] as I).flatMap(([start, end]) => [
          { at: start, change: 1, found },
          { at: end, change: -1, found },
        ]),
      )
      return cut(
        text,
        edges.sort((a, b) => a.at - b.at),
      )
    },
  }
}

function cut<I extends Identified>(
  text: string,
  edges: { at: number; change: number; found: I[] }[],
): Piece<I>[] {
  const pieces: Piece<I>[] = []
  const open = new Map<I[], number>()
  const close = (start: number, end: number) => {
    if (start === end) return
    const iods = [...open.keys()].flat()
    const last = pieces.at(-1)
    const isSame = last && last.iods.length === iods.length && iods.every(iod => last.iods.includes(iod))
    if (isSame) last.text += text.slice(start, end)
    else pieces.push({ text: text.slice(start, end), start, iods })
  }
  let from = 0
  for (const { at, change, found } of edges) {
    close(from, at)
    from = at
    const depth = (open.get(found) ?? 0) + change
    if (depth > 0) open.set(found, depth)
    else open.delete(found)
  }
  close(from, text.length)
  return pieces
}

/** The occurrences of an IOD in the text as [start, end), overlapping ones included; hashtags with their sign. */
function occurrences(
  text: string,
  { folded, offsets }: FoldedText,
  iod: Pick<Iod, 'value' | 'category'>,
): [number, number][] {
  const value = foldIod(iod)
  const found: [number, number][] = []
  for (let at = folded.indexOf(value); at !== -1 && value !== ''; at = folded.indexOf(value, at + 1)) {
    const end = at + value.length
    if (!isBoundary(offsets, at) || !isBoundary(offsets, end)) continue
    const place: [number, number] = [offsets?.[at] ?? at, offsets?.[end] ?? end]
    if (value.length < INSIDE_WORDS_MIN && !standsAlone(text, place)) continue
    while (iod.category === 'HASHTAGS' && text.charAt(place[0] - 1) === '#') place[0]--
    found.push(place)
  }
  return found
}

/** False inside a character that folds to several units. */
const isBoundary = (offsets: number[] | undefined, at: number) =>
  !offsets || at === 0 || offsets[at] !== offsets[at - 1]

const standsAlone = (text: string, [start, end]: [number, number]) =>
  !(isWordAt(text, start - 1) && isWordAt(text, start)) && !(isWordAt(text, end - 1) && isWordAt(text, end))

const isWordAt = (text: string, at: number) => WORD_CHARACTER.test(text.charAt(at))
