import { canonicalLinkOf, refang, type SightingRecord } from '@iodine/contracts'
import { createScanner, valueKey } from '@iodine/known-iods'
import { likeness, rankingScores, type Signature } from '@iodine/likeness'
import type { WatchDoc } from '../models/watch.js'
import { linksOf, type SearchedIod, searchedText, termsOf } from './watch-keys.js'

/** Minimum likeness of near-identical texts, and minimum score of reworded ones: as in Origins. */
const NEAR = 0.5
const REWORDED = 0.3

/** Returns whether an IOD matches the search of a watch, as the list of IODs would show it. */
const matchesSearch = (iod: SearchedIod, text: string, { search, creators }: WatchDoc): boolean => {
  if (!search) return false
  const { category, source_type, source, created_by } = search
  const terms = termsOf(search)
  return (
    (terms.length === 0 || terms.some(term => text.includes(term))) &&
    (!category || category.some(each => each === iod.category)) &&
    (!source_type || source_type.some(each => each === iod.source_type)) &&
    (!source || source === iod.source) &&
    (!created_by || (creators ?? []).some(id => id.toHexString() === iod.user_id))
  )
}

/** Returns the candidates that a new IOD matches. */
export const matchingIod = (iod: SearchedIod, candidates: readonly WatchDoc[]): WatchDoc[] => {
  const text = searchedText(iod)
  return candidates.filter(watch => watch.kind !== 'search' || matchesSearch(iod, text, watch))
}

const isReworded = (watched: Signature, found: Signature): boolean =>
  likeness(watched, found) >= NEAR || (rankingScores(watched, [found])[0] ?? 0) >= REWORDED

/** Returns the candidates that a record matches: terms and texts word for word, URLs, and texts in other words. */
export const matchingRecord = (
  record: SightingRecord,
  signature: Signature | undefined,
  candidates: readonly WatchDoc[],
): WatchDoc[] => {
  const scanner = createScanner(candidates.length, n => {
    const { kind, text } = candidates[n] as WatchDoc
    return kind === 'term' || kind === 'text'
      ? valueKey({ value: text ?? '', category: 'KEYWORDS' })
      : undefined
  })
  const contained = new Set(scanner.scan(record.text).map(({ key }) => key))
  const links = linksOf(record)
  return candidates.filter((watch, n) => {
    if (contained.has(n)) return true
    if (watch.kind === 'url') return links.has(canonicalLinkOf(refang(watch.text?.trim() ?? '')) ?? '')
    return watch.signature !== undefined && signature !== undefined && isReworded(watch.signature, signature)
  })
}
