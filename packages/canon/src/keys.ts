import { createHash } from 'node:crypto'
import { foldLabel } from '@iodine/contracts/fold'

/** What is clustered apart: subjects and objects, and verbs. */
export type RuleKind = 'entity' | 'verb'

/** A label as clusters and rules compare it: the label part of the id of the graph's node. */
export const keyOf = (label: string): string => foldLabel(label)

/** The id of a cluster: 24 hexadecimal digits of SHA-256 over its kind and its smallest key. */
export const clusterIdOf = (kind: RuleKind, smallestKey: string): string =>
  createHash('sha256').update(`${kind}:${smallestKey}`).digest('hex').slice(0, 24)
