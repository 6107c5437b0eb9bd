import { LIMITS } from '@iodine/contracts'
import { findTechnique } from '@iodine/exchange/disarm'

/** A sentence of one of the texts that proposals rest on. */
export interface ReadSentence {
  source_id: string
  start: number
  end: number
  exact: string
}

/** Technique that rules or a model name for a sentence. */
export interface NamedTechnique {
  tid: string
  /** Index of the sentence. */
  sentence: number
}

const MIN = 8
/** Sentences that one more proposal by rules needs. */
const SENTENCES_EACH = 3

/** Returns the maximum number of proposals by rules: in long texts, more techniques are described. */
export const limitOf = (sentences: number): number =>
  Math.min(LIMITS.proposalsMax, Math.max(MIN, Math.ceil(sentences / SENTENCES_EACH)))

/**
 * Returns the usable proposals, each technique once with its first sentence, without rejected ones, and the number of
 * unusable ones: with an unknown or obsolete id, or without such a sentence.
 */
export const selectProposed = <S>(
  named: readonly NamedTechnique[],
  sentences: readonly S[],
  rejected: ReadonlySet<string>,
  limit: number,
): { items: { tid: string; sentence: S }[]; dropped: number } => {
  const items = new Map<string, S>()
  let dropped = 0
  for (const { tid, sentence: n } of named) {
    const sentence = Number.isInteger(n) ? sentences[n] : undefined
    if (sentence === undefined || findTechnique(tid)?.until !== null) dropped += 1
    else if (!items.has(tid) && !rejected.has(tid) && items.size < limit) items.set(tid, sentence)
  }
  return { items: [...items].map(([tid, sentence]) => ({ tid, sentence })), dropped }
}
