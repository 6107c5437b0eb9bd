import { type SeenVersion, type SightingDoc, VERSIONS_MAX } from '../models/sighting.js'

/** The times of one collected version of a record. */
export interface CollectedVersion {
  text_hash: string
  posted_at: Date | null
  /** Time since which the page claims its current text. */
  claimed_at: Date | null
  fetched_at: Date
  edited: boolean
}

export type Timing = Pick<
  SightingDoc,
  'posted_at' | 'posted_claimed' | 'at' | 'fetched_at' | 'latest_at' | 'edited' | 'versions'
>

const withVersion = (versions: SeenVersion[], seen: SeenVersion): SeenVersion[] => {
  const last = versions.at(-1)?.text_hash
  if (last === seen.text_hash) return versions
  // A page without text is no version of the text.
  if (seen.text_hash === '' && last !== undefined) return versions
  if (last === '') return [...versions.slice(0, -1), seen]
  const all = [...versions, seen]
  return all.length <= VERSIONS_MAX ? all : [...all.slice(0, 1), ...all.slice(1 - VERSIONS_MAX)]
}

/**
 * Returns the first known time of a post's text (`at`), with the fields that it is derived from.
 * - The page's first claim counts while the text is the first one that was collected. Later backdating has no effect.
 * - A changed text counts from its first fetch, and so does a claim in the future.
 */
export const timingOf = (now: CollectedVersion, before: Timing | undefined): Timing => {
  const known = before?.versions ?? []
  // One fetch has one text: a different hash for it comes from another version of the signatures.
  const isReindexed = before?.latest_at.getTime() === now.fetched_at.getTime()
  const last = isReindexed ? known.at(-1) : undefined
  const versions = last
    ? [...known.slice(0, -1), { ...last, text_hash: now.text_hash }]
    : withVersion(known, { text_hash: now.text_hash, seen_at: now.fetched_at })
  const fetched_at = before?.fetched_at ?? now.fetched_at
  const seen = versions.at(-1)?.seen_at ?? fetched_at
  const wasChanged = versions.length > 1
  const claim = before?.posted_claimed ? before.at : now.claimed_at
  const isClaimed = !wasChanged && claim !== null && claim <= seen
  return {
    posted_at: before?.posted_at ?? now.posted_at,
    posted_claimed: isClaimed,
    at: isClaimed ? claim : seen,
    fetched_at,
    latest_at: now.fetched_at,
    edited: now.edited || wasChanged,
    versions,
  }
}
