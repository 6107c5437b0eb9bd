import { type SeenVersion, type SightingDoc, VERSIONS_MAX } from '../models/sighting.js'

/** What a record says about time, each time that it is collected. */
export interface Collected {
  text_hash: string
  posted_at: Date | null
  /** Since when the page claims that its text is as it is. */
  claimed_at: Date | null
  fetched_at: Date
  edited: boolean
}

export type PlaceInTime = Pick<
  SightingDoc,
  'posted_at' | 'posted_claimed' | 'at' | 'fetched_at' | 'latest_at' | 'edited' | 'versions'
>

const withVersion = (versions: SeenVersion[], seen: SeenVersion): SeenVersion[] => {
  const last = versions.at(-1)?.text_hash
  if (last === seen.text_hash) return versions
  // A page that showed no text is no version of one.
  if (seen.text_hash === '' && last !== undefined) return versions
  if (last === '') return [...versions.slice(0, -1), seen]
  const all = [...versions, seen]
  return all.length <= VERSIONS_MAX ? all : [...all.slice(0, 1), ...all.slice(1 - VERSIONS_MAX)]
}

/**
 * Since when a post is known to say what it says. The page's claim counts as long as the text is the one that was seen
 * first, and as it was first made: a post that is dated back later stays where it was. A text that was seen changed counts
 * from when it was seen, as does a claim of the future.
 */
export const placeInTime = (now: Collected, before: PlaceInTime | undefined): PlaceInTime => {
  const known = before?.versions ?? []
  // What was collected once has one text: another hash of it is that of a later version of the signatures.
  const isIndexedAgain = before?.latest_at.getTime() === now.fetched_at.getTime()
  const last = isIndexedAgain ? known.at(-1) : undefined
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
