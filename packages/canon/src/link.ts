import { compareText } from '@iodine/contracts'
import type { Constraints } from './rules.js'

/** Reason for a label's membership in its cluster. */
export type Why = 'leader' | 'words' | 'acronym' | 'spelling' | 'lemma' | 'meaning' | 'rule'

/** Labels that users' `must` rules join, or one label. */
export interface Unit {
  /** The smallest key of the rules' group, even if it occurs in no triplet. */
  group: string
  keys: string[]
  /** Number of occurrences of its labels. */
  count: number
}

export interface Linked {
  /** The first unit is the leader. */
  units: { unit: Unit; why: Why }[]
}

export interface Match {
  cluster: number
  similarity: number
  why: Why
}

/** Similarity search for one kind of label. */
export interface Matcher {
  /** Returns clusters above the minimum similarity, best first. */
  matchesOf(unit: Unit): Match[]
  /** Registers a unit as the leader of a new cluster, or as a member. Clusters are numbered. */
  add(unit: Unit, cluster: number, isLeader: boolean): void
}

/** Maximum labels that linking puts into one cluster; rules may exceed it. */
const LABELS_MAX = 64

/** Groups keys into units by `must` rules, most frequent first. */
export const unitsOf = (counts: ReadonlyMap<string, number>, constraints: Constraints): Unit[] => {
  const units = new Map<string, Unit>()
  for (const [key, count] of counts) {
    const group = constraints.groupOf(key)
    const unit = units.get(group)
    if (!unit) units.set(group, { group, keys: [key], count })
    else {
      unit.keys.push(key)
      unit.count += count
    }
  }
  for (const unit of units.values()) unit.keys.sort(compareText)
  return [...units.values()].sort(
    (a, b) => b.count - a.count || compareText(a.keys[0] ?? '', b.keys[0] ?? ''),
  )
}

/**
 * Links units by leaders: each unit, most frequent first, joins the most similar cluster that no rule forbids, or
 * becomes a leader. Overlap and vectors are compared with leaders only: chains must not join dissimilar labels.
 */
export const link = (units: readonly Unit[], constraints: Constraints, matcher: Matcher): Linked[] => {
  const clusters: (Linked & { groups: Set<string>; labels: number })[] = []
  const mayJoin = (cluster: (typeof clusters)[number], { group, keys }: Unit): boolean => {
    if (cluster.labels + keys.length > LABELS_MAX) return false
    for (const other of constraints.apartFrom(group)) if (cluster.groups.has(other)) return false
    return true
  }
  const join = (at: number, unit: Unit, why: Why) => {
    const cluster = clusters[at] as (typeof clusters)[number]
    cluster.units.push({ unit, why })
    cluster.groups.add(unit.group)
    cluster.labels += unit.keys.length
  }
  for (const unit of units) {
    const match = matcher.matchesOf(unit).find(({ cluster: at }) => {
      const cluster = clusters[at]
      return cluster && mayJoin(cluster, unit)
    })
    const at = match?.cluster ?? clusters.length
    matcher.add(unit, at, !match)
    if (!match) clusters.push({ units: [], groups: new Set(), labels: 0 })
    join(at, unit, match?.why ?? 'leader')
  }
  return clusters
}
