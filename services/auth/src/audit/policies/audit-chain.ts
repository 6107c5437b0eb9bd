import { createHash } from 'node:crypto'
import type { AuditEntry } from '@iodine/contracts'
import canonicalize from 'canonicalize'

/** A place in the chain: the last entry before the next one. */
export interface ChainPlace {
  seq: number
  hash: string
}

/** What the first entry follows. */
export const GENESIS: ChainPlace = { seq: 0, hash: '0'.repeat(64) }

/** SHA-256 (FIPS 180-4) of the canonical JSON (RFC 8785) of an entry with its place and the hash before it, in hex. */
export const chainHash = (entry: AuditEntry, seq: number, prev: string): string =>
  createHash('sha256')
    .update(canonicalize({ ...entry, seq, prev }) as string)
    .digest('hex')
