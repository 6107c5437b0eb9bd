/** Segments a text into the characters that a reader sees (UAX #29, grapheme clusters). */
export const graphemes = /* @__PURE__ */ new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Number of UTF-16 units around a cut in which its character is searched. */
const AROUND = 64

/** Returns the beginning of a text, at most `max` UTF-16 units, that ends with a whole character. */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text
  const from = Math.max(0, max - AROUND)
  const start = graphemes.segment(text.slice(from, max + AROUND)).containing(max - from)?.index ?? 0
  // A character may be longer than that, with any number of accents.
  if (start > 0) return text.slice(0, from + start)
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max)
}
