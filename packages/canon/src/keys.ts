import { createHash } from 'node:crypto'
import { foldLabel } from '@iodine/contracts/fold'

/** Kind of a label: `entity` for subjects and objects. Each kind is clustered separately. */
export type RuleKind = 'entity' | 'verb'

/** Returns the key by which clusters and rules compare a label: the label part of the graph node's id. */
export const keyOf = (label: string): string => foldLabel(label)

/** Returns a cluster's id: 24 hexadecimal digits of SHA-256 over its kind and its smallest key. */
export const clusterIdOf = (kind: RuleKind, smallestKey: string): string =>
  createHash('sha256').update(`${kind}:${smallestKey}`).digest('hex').slice(0, 24)
