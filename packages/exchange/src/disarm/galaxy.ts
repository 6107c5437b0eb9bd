import { v5 } from 'uuid'
import list from '../../data/disarm.json' with { type: 'json' }
import type { Cluster, Technique } from './technique.js'
import { findTechnique, RELEASES } from './techniques.js'

/** UUID namespace of the clusters in MISP's galaxy, over DISARM's ids. */
const CLUSTERS = '9d6bd9d2-2cd3-4900-b61a-06cd64df3996'

/** Returns the UUID of the technique's cluster in MISP's galaxy: the present one, or the one of a later version. */
export const clusterOf = (id: string): string => v5(id, CLUSTERS)

/** Release that the galaxy is generated from. */
const BASE = RELEASES.indexOf(list.galaxy.release)
/** Its techniques whose cluster the galaxy lacks, because it keeps only the first of two equal names. */
const LACKED = new Set(list.galaxy.lacks)
/** Values that are not the name in the latest release. */
const VALUES = new Map(list.galaxy.values.map(([id, value]) => [id, value]))

/** Returns the value of the technique's cluster in the galaxy; undefined if the galaxy lacks it. */
export const galaxyValueOf = ({ id, name, since, until }: Technique): string | undefined => {
  const isInBase = RELEASES.indexOf(since) <= BASE && (until === null || RELEASES.indexOf(until) >= BASE)
  return isInBase && !LACKED.has(id) ? (VALUES.get(id) ?? name) : undefined
}

/**
 * Returns the clusters that represent a technique in MISP. For a current one that the galaxy lacks, these are the
 * cluster that a later version will have, and the parent's if the galaxy contains it; only the parent's if the name
 * means another technique there. An obsolete technique that the galaxy lacks has none.
 */
export const clustersOf = (technique: Technique): Cluster[] => {
  const { id, name, until } = technique
  const value = galaxyValueOf(technique)
  if (value !== undefined) return [{ id, value }]
  if (until !== null) return []
  const parent = findTechnique(id.split('.')[0] as string)
  const ofParent = parent && parent.id !== id && galaxyValueOf(parent)
  return [
    ...(LACKED.has(id) ? [] : [{ id, value: name }]),
    ...(ofParent ? [{ id: parent.id, value: ofParent }] : []),
  ]
}
