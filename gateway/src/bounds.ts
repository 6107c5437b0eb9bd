import type { SharesOf } from './shares.js'

const MIB = 1_048_576

/** Why something was refused or cut: `GET /metrics` counts by these. */
export const REFUSALS = [
  /** Too many requests under way. */
  'in_flight',
  'slow_body',
  /** No room for a body. */
  'body_room',
  /** No connection to the service came free in time. */
  'no_connection',
  /** An answer was not read. */
  'stalled_answer',
  /** Too many connections. */
  'sockets',
] as const
export type Refusal = (typeof REFUSALS)[number]

export interface Bounds {
  /** Requests to the API from their head to the end of their answer; past it they are refused at once. */
  inFlight: SharesOf
  /** Requests at a service at a time, each on a connection of its own. */
  pool: SharesOf
  /** Likewise for operations that wait for other work, which have connections of their own. */
  waitPool: SharesOf
  /** After so many milliseconds without a free connection a request is refused. */
  poolWaitMs: number
  /** Bytes of bodies in memory. */
  memory: SharesOf
  /** A longer body is kept in a file. */
  inMemoryBytes: number
  /** Bytes of bodies in files; each file holds more than `inMemoryBytes`, which bounds their number, too. */
  spool: SharesOf
  /** How long a body may take in all, … */
  bodyMs: number
  /** … and after which time it must have come at a rate, … */
  bodyGraceMs: number
  /** … in bytes a second, on average since. */
  bodyRate: number
  /** A connection that takes nothing of an answer for so long is cut. */
  stallMs: number
  /** How often bodies and answers are looked at. */
  lookMs: number
  /** Connections at a time, and those of an address where no proxy is trusted. */
  sockets: { all: number; address: number }
}

/**
 * What everybody shares in one process of the gateway, and how much of it one user, one address without a session, and one
 * address with all its users may hold. Behind one address a whole organisation may sit.
 */
export const BOUNDS: Bounds = {
  inFlight: { all: 8_192, address: 1_024, stranger: 512, user: 128 },
  pool: { all: 128, address: 96, stranger: 16, user: 8 },
  waitPool: { all: 256, address: 128, stranger: 16, user: 16 },
  poolWaitMs: 5_000,
  memory: { all: 64 * MIB, address: 32 * MIB, stranger: 8 * MIB, user: 16 * MIB },
  inMemoryBytes: MIB,
  spool: { all: 128 * MIB, address: 96 * MIB, stranger: 0, user: 48 * MIB },
  bodyMs: 110_000,
  bodyGraceMs: 10_000,
  bodyRate: 4_096,
  stallMs: 30_000,
  lookMs: 1_000,
  sockets: { all: 16_384, address: 2_048 },
}
