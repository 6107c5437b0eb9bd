import type { ClientLimits } from './client-limits.js'

const MIB = 1_048_576

/** Reasons for a refused or cut request: labels of a counter in `GET /metrics`. */
export const REFUSALS = [
  /** Too many concurrent requests. */
  'in_flight',
  'slow_body',
  /** No memory or disk space left for a body. */
  'body_room',
  /** No connection to the service became free in time. */
  'no_connection',
  /** The client did not read the response. */
  'stalled_answer',
  /** Too many connections. */
  'sockets',
  /** Too many bytes of heads that are not complete. */
  'heads',
] as const
export type Refusal = (typeof REFUSALS)[number]

export interface Bounds {
  /** Concurrent API requests, from their head to the end of their response; more are refused at once. */
  inFlight: ClientLimits
  /** Concurrent requests at a service, each on a separate connection. */
  pool: ClientLimits
  /** The same for operations that wait for other work: they use a separate pool. */
  waitPool: ClientLimits
  /** The same for public pages, whose readers take no connection from users. */
  pagePool: ClientLimits
  /** Concurrent requests of public pages, from their head to the end of their response. */
  pagesInFlight: ClientLimits
  /** Milliseconds that a request waits for a free connection before it is refused. */
  poolWaitMs: number
  /** Bytes of bodies in memory. */
  memory: ClientLimits
  /** Bytes above which a body is spooled to a file. */
  inMemoryBytes: number
  /** Bytes of bodies in files. Also bounds the number of files: each exceeds `inMemoryBytes`. */
  spool: ClientLimits
  /** Milliseconds that a body may take in total. */
  bodyMs: number
  /** Milliseconds after which `bodyRate` applies to a body. */
  bodyGraceMs: number
  /** Minimum rate of a body in bytes per second, on average since `bodyGraceMs`. */
  bodyRate: number
  /** Milliseconds without progress after which a client that does not read its response is cut. */
  stallMs: number
  /** Interval in milliseconds of the checks of bodies and responses. */
  checkMs: number
  /** Connections in total, and per address where no proxy is trusted. */
  sockets: { all: number; address: number }
  /** Bytes of long incomplete heads in total, and per address where no proxy is trusted. Past it they are cut. */
  heads: { all: number; address: number }
}

/**
 * Resources of one gateway process, and the limits per user, per address without a session, and per address with all
 * its users. A whole organisation may share one address.
 */
export const BOUNDS: Bounds = {
  inFlight: { all: 8_192, address: 1_024, stranger: 512, user: 128 },
  pool: { all: 128, address: 96, stranger: 16, user: 8 },
  waitPool: { all: 256, address: 128, stranger: 16, user: 16 },
  pagePool: { all: 50, address: 10, stranger: 10, user: 0 },
  pagesInFlight: { all: 1_024, address: 64, stranger: 64, user: 0 },
  poolWaitMs: 15_000,
  memory: { all: 64 * MIB, address: 32 * MIB, stranger: 8 * MIB, user: 16 * MIB },
  inMemoryBytes: MIB,
  spool: { all: 192 * MIB, address: 128 * MIB, stranger: 0, user: 64 * MIB },
  bodyMs: 110_000,
  bodyGraceMs: 10_000,
  bodyRate: 4_096,
  stallMs: 30_000,
  checkMs: 1_000,
  sockets: { all: 16_384, address: 2_048 },
  heads: { all: 64 * MIB, address: 16 * MIB },
}
