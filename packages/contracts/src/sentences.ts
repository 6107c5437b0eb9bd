/**
 * Segments a text into sentences by the rules of Unicode (UAX #29) alone, which English has. Without a language, or with
 * 'und', they would be those of the machine's own.
 */
export const sentenceSegmenter = /* @__PURE__ */ new Intl.Segmenter('en', { granularity: 'sentence' })
