import { createHash } from 'node:crypto'

/** Returns an id that depends on `parts` alone, so that concurrent replicas create one document. */
export const derivedId = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
