import { type FeedKind, LIMITS, readRetryAfter } from '@iodine/contracts'
import type { Skipped } from '@iodine/exchange'
import { FeedError, type FetchedAnswer, type PublicFetch } from './public-fetch.js'

/** Limits of one run; the rest is left to the next one. */
export interface PullLimits {
  bytes: number
  objects: number
  /** Requests. */
  pages: number
  ms: number
  /** Longest pause requested by the remote server that a run waits for. */
  pauseMs: number
}

export interface PullRequest {
  fetch: PublicFetch
  url: string
  /** The Authorization header; undefined without a secret. */
  authorization: string | undefined
  publicKey: string | null
  /** Cursor of the previous run's result; null for the first run. */
  cursor: string | null
  bounds: PullLimits
  signal: AbortSignal
}

/** Result of a run. */
export interface PullResult {
  /** A file in the import format of the feed's kind; empty if there are no objects. */
  file: Uint8Array<ArrayBuffer>
  cursor: string
  /** True if a limit was reached, or the remote server failed after some responses. */
  more: boolean
  /** UUIDs of pulled events that the feed does not list any more. */
  withdrawn?: string[]
  /** Unreadable entries of the feed: their number, and the first ones. */
  skipped?: { count: number; listed: Skipped[] }
}

/** Returns a run's report of unreadable entries. */
export const skippedOf = (all: readonly Skipped[]): Pick<PullResult, 'skipped'> =>
  all.length === 0 ? {} : { skipped: { count: all.length, listed: all.slice(0, LIMITS.invalidListed) } }

/** Returns a file of an import format: pieces of JSON between the format's beginning and end; empty without pieces. */
export const fileOf = (
  [before, after]: readonly [string, string],
  pieces: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> => {
  if (pieces.length === 0) return new Uint8Array()
  const comma = Buffer.from(',')
  const listed = pieces.flatMap((piece, n) => (n === 0 ? [piece] : [comma, piece]))
  return new Uint8Array(Buffer.concat([Buffer.from(before), ...listed, Buffer.from(after)]))
}

/** Returns the Authorization header of a feed: HTTP Basic with a user, else a bearer token. */
export const authorizationOf = ({ user, key }: { user: string; key: string }): string =>
  user ? `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}` : `Bearer ${key}`

/** Throws a FeedError that describes a status other than 200 and 304. */
export const refuseStatus = ({ status, header }: FetchedAnswer, what: string): void => {
  if (status === 200 || status === 304) return
  const message =
    status === 401 || status === 403
      ? 'The feed refuses the user or the key'
      : status === 404
        ? `The feed has no such ${what}`
        : status === 429
          ? 'The feed limits requests (status 429)'
          : `The feed answered with status ${status}`
  const seconds = status === 429 || status === 503 ? readRetryAfter(header) : undefined
  throw new FeedError(message, { status, ...(seconds !== undefined && { retryMs: seconds * 1_000 }) })
}
/** A puller of one kind of feed. */
export type Puller = (request: PullRequest) => Promise<PullResult>
export type Pullers = Readonly<Record<FeedKind, Puller>>
