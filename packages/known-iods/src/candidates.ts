import { foldValue, LIMITS, sentenceSegmenter } from '@iodine/contracts'

const words = new Intl.Segmenter('und', { granularity: 'word' })

const RUNS_MAX = 1_200
const RUN_WORDS_MIN = 3
const RUN_WORDS_MAX = 8
const EDGE_PUNCTUATION = /^[^\p{L}\p{N}#﹟＃@]+|[^\p{L}\p{N}\p{M}]+$/gu

/**
 * Returns the folded parts of a text that may be IODs, for `POST /iods/lookup`, which compares whole values: the text,
 * its lines and sentences, its words between white space (hashtags, mentions, URLs; with and without surrounding
 * punctuation), and runs of up to 8 words; in long texts the maximum falls to 3 words. A longer phrase within a
 * sentence is found only if the signed-in user created the IOD: see `useKnownIods`.
 */
export function lookupCandidates(value: string): string[] {
  const text = foldValue(value)
  const candidates = new Set<string>()
  const add = (part: string) => {
    const folded = foldValue(part)
    if (folded !== '' && folded.length <= LIMITS.fieldMax) candidates.add(folded)
  }
  const addWithoutPunctuation = (part: string) => {
    add(part)
    add(part.replace(EDGE_PUNCTUATION, ''))
  }
  add(text)
  for (const line of text.split(/[\r\n]+/)) addWithoutPunctuation(line)
  for (const { segment } of sentenceSegmenter.segment(text)) addWithoutPunctuation(segment)
  for (const chunk of text.split(/\s+/)) addWithoutPunctuation(chunk)

  const spans = [...words.segment(text)].filter(({ isWordLike }) => isWordLike)
  const runWords = Math.min(
    RUN_WORDS_MAX,
    Math.max(RUN_WORDS_MIN, Math.floor(RUNS_MAX / Math.max(1, spans.length))),
  )
  for (const [first, { index: start }] of spans.entries()) {
    for (const { index, segment } of spans.slice(first, first + runWords)) {
      add(text.slice(start, index + segment.length))
    }
  }
  return [...candidates]
}
