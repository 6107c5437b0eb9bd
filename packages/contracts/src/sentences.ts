/**
 * Segments a text into sentences by the rules of Unicode (UAX #29), which apply to English. Without a language, or with
 * 'und', the rules of the machine's language would apply.
 */
export const sentenceSegmenter = /* @__PURE__ */ new Intl.Segmenter('en', { granularity: 'sentence' })
