import { foldLabel, LIMITS, sentenceSegmenter } from '@iodine/contracts'
import type { Triplet } from './provider.js'

/** A part of a text with its offset in UTF-16 code units. */
export interface TextPart {
  text: string
  start: number
}

/** Text length within which a model does not skip the middle, in UTF-16 code units. */
const PART_CHARS = 12_000
/** Overlap with the previous part, so that no triplet is lost at a boundary. */
const OVERLAP_CHARS = 400

/** Splits a sentence longer than `max` after white space, or within a word longer than `max`. */
const cutLong = (sentence: string, max: number): string[] => {
  const pieces: string[] = []
  let rest = sentence
  while (rest.length > max) {
    const space = rest.slice(0, max).search(/\s\S*$/)
    let end = space > 0 ? space + 1 : max
    if (/[\uD800-\uDBFF]/.test(rest[end - 1] ?? '') && end > 1) end--
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}

/**
 * Splits a text into parts of at most `size` code units, at sentence ends where possible. Each part begins
 * with the last sentences of the previous one, up to `overlap` code units.
 */
export const splitText = (text: string, size = PART_CHARS, overlap = OVERLAP_CHARS): TextPart[] => {
  if (text.length <= size) return [{ text, start: 0 }]
  const pieces = [...sentenceSegmenter.segment(text)].flatMap(({ segment }) => cutLong(segment, size))
  const lengths = pieces.map(piece => piece.length)
  const parts: TextPart[] = []
  // The first piece of the part, and its offset.
  for (let start = 0, offset = 0; ; ) {
    let end = start
    for (let length = 0; end < pieces.length && length + (lengths[end] ?? 0) <= size; end++)
      length += lengths[end] ?? 0
    parts.push({ text: pieces.slice(start, end).join(''), start: offset })
    if (end === pieces.length) return parts
    let next = end
    for (let repeated = 0; next - 1 > start; next--) {
      repeated += lengths[next - 1] ?? 0
      // The first new sentence has to fit as well.
      if (repeated > overlap || repeated + (lengths[end] ?? 0) > size) break
    }
    for (; start < next; start++) offset += lengths[start] ?? 0
  }
}

/** Merges the parts' triplets in order, without duplicates, which are compared without case and white space. */
export const mergeTriplets = <T extends Triplet>(parts: readonly T[][]): T[] => {
  const seen = new Set<string>()
  const merged: T[] = []
  for (const part of parts) {
    const keys = part.map(({ subject, verb, object }) =>
      JSON.stringify([subject, verb, object].map(foldLabel)),
    )
    merged.push(...part.filter((_, n) => !seen.has(keys[n] ?? '')))
    for (const key of keys) seen.add(key)
  }
  return merged.slice(0, LIMITS.tripletsMax)
}
