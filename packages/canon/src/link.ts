import type { Constraints } from './rules.js'

/** Why a label is in its cluster. */
export type Why = 'leader' | 'words' | 'acronym' | 'spelling' | 'lemma' | 'meaning' | 'rule'

/** Labels that stay together by people's rules, or one label. */
export interface Unit {
  /** The smallest key of the group, also if no text has it. */
  group: string
  keys: string[]
  /** Times that texts say its labels. */
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

/** What a kind of label brings to the linking: which clusters a unit resembles. */
export interface Matcher {
  /** Clusters that are similar enough, best first. */
  matchesOf(unit: Unit): Match[]
  /** Makes a unit the leader of a new cluster, or a member of one; matches name clusters by their numbers. */
  add(unit: Unit, cluster: number, isLeader: boolean): void
}

/** Labels that the machine puts into one cluster; rules may put in more. */
const LABELS_MAX = 64

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Groups keys to units by `must` rules, most said first. */
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
  for (const unit of units.values()) unit.keys.sort(compare)
  return [...units.values()].sort((a, b) => b.count - a.count || compare(a.keys[0] ?? '', b.keys[0] ?? ''))
}

/**
 * Leader linking: each unit, most said first, joins the most similar leader that no rule forbids, or becomes a
 * leader. Mere likeness is to leaders alone, so that no chain of likenesses joins what is unlike.
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
