import { createHash } from 'node:crypto'
import type { AuditEntry } from '@iodine/contracts'
import canonicalize from 'canonicalize'

/** A position in the chain, by its last entry. */
export interface ChainPosition {
  seq: number
  hash: string
}

/** The position before the first entry. */
export const GENESIS: ChainPosition = { seq: 0, hash: '0'.repeat(64) }

/**
 * Returns the SHA-256 (FIPS 180-4), in hex, of the canonical JSON (RFC 8785) of an entry with its position and the
 * previous hash.
 */
export const chainHash = (entry: AuditEntry, seq: number, prev: string): string =>
  createHash('sha256')
    .update(canonicalize({ ...entry, seq, prev }) as string)
    .digest('hex')
