import { type FeedKind, LIMITS, readRetryAfter } from '@iodine/contracts'
import type { Skipped } from '@iodine/exchange'
import { FeedError, type FetchedAnswer, type PublicFetch } from './public-fetch.js'

/** What one run may bring; what is beyond is left to the next one. */
export interface PullBounds {
  bytes: number
  objects: number
  /** Requests. */
  pages: number
  ms: number
  /** The longest pause that the other side is granted in a run. */
  pauseMs: number
}

export interface PullRequest {
  fetch: PublicFetch
  url: string
  /** The header that signs in; absent without a secret. */
  authorization: string | undefined
  publicKey: string | null
  /** Where the last run ended: what the run before gave. */
  cursor: string | null
  bounds: PullBounds
  signal: AbortSignal
}

/** What a run has fetched. */
export interface Pulled {
  /** A file of the kind's import format; empty without anything. */
  file: Uint8Array<ArrayBuffer>
  cursor: string
  /** The bounds were met, or the other side broke off after some answers. */
  more: boolean
  /** UUIDs of events that were pulled before and are there no more. */
  withdrawn?: string[]
  /** What the feed has and can't be read: how much, and the first of it. */
  skipped?: { count: number; listed: Skipped[] }
}

/** What a run reports of pieces that can't be read. */
export const skippedOf = (all: readonly Skipped[]): Pick<Pulled, 'skipped'> =>
  all.length === 0 ? {} : { skipped: { count: all.length, listed: all.slice(0, LIMITS.invalidListed) } }

/** A file of an import format: pieces of JSON between what the format has around them; empty without any. */
export const fileOf = (
  [before, after]: readonly [string, string],
  pieces: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> => {
  if (pieces.length === 0) return new Uint8Array()
  const comma = Buffer.from(',')
  const listed = pieces.flatMap((piece, n) => (n === 0 ? [piece] : [comma, piece]))
  return new Uint8Array(Buffer.concat([Buffer.from(before), ...listed, Buffer.from(after)]))
}

/** What a feed signs in with: HTTP Basic with a user, else a bearer token. */
export const authorizationOf = ({ user, key }: { user: string; key: string }): string =>
  user ? `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}` : `Bearer ${key}`

/** Throws a FeedError that says what a status other than 200 and 304 means. */
export const refuseStatus = ({ status, header }: FetchedAnswer, what: string): void => {
  if (status === 200 || status === 304) return
  const said =
    status === 401 || status === 403
      ? 'The feed refuses the user or the key'
      : status === 404
        ? `The feed has no such ${what}`
        : status === 429
          ? 'The feed asks to be asked less often'
          : `The feed answered with status ${status}`
  const seconds = status === 429 || status === 503 ? readRetryAfter(header) : undefined
  throw new FeedError(said, { status, ...(seconds !== undefined && { retryMs: seconds * 1_000 }) })
}
/** A puller of one kind of feed. */
export type Puller = (request: PullRequest) => Promise<Pulled>
export type Pullers = Readonly<Record<FeedKind, Puller>>
