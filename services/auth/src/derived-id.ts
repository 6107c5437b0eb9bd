import { createHash } from 'node:crypto'

/** The id of what replicas may make at once, and is to be there once: it depends on `parts` alone. */
export const derivedId = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
