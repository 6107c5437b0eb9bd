import { keyOf, type RuleKind } from './keys.js'
import { listsOf } from './lists.js'

/** A user's decision about two labels of one kind. Labels are compared by their keys. */
export interface Rule {
  kind: RuleKind
  a: string
  b: string
  /** `must`: one cluster. `cannot`: two clusters. */
  relation: 'must' | 'cannot'
}

/** Error for rules that contradict each other, so that no clusters satisfy them. */
export class RulesConflict extends Error {
  override name = 'RulesConflict'
  /** The contradicting rules: one `cannot`, and the `must` rules that link its two labels. */
  readonly rules: Rule[]

  constructor(rules: Rule[]) {
    super('The rules contradict each other')
    this.rules = rules
  }
}

/** Returns the shortest chain of `must` rules between two keys: empty for equal keys, undefined for none. */
const chainOf = (musts: readonly Rule[], from: string, to: string): Rule[] | undefined => {
  if (from === to) return []
  const links = listsOf<string, Rule>()
  for (const rule of musts) for (const label of [rule.a, rule.b]) links.add(keyOf(label), rule)
  const cameBy = new Map<string, { rule: Rule; before: string } | undefined>([[from, undefined]])
  let edge = [from]
  while (edge.length > 0 && !cameBy.has(to)) {
    const next: string[] = []
    for (const key of edge) {
      for (const rule of links.get(key)) {
        const other = keyOf(rule.a) === key ? keyOf(rule.b) : keyOf(rule.a)
        if (cameBy.has(other)) continue
        cameBy.set(other, { rule, before: key })
        next.push(other)
      }
    }
    edge = next
  }
  if (!cameBy.has(to)) return undefined
  const chain: Rule[] = []
  for (let step = cameBy.get(to); step; step = cameBy.get(step.before)) chain.unshift(step.rule)
  return chain
}

/**
 * Returns the rules that contradict a new one; empty if it may be added. For `cannot`: the shortest chain of `must`
 * rules that links its labels. For `must`: a `cannot` rule and the chains to its labels. A `cannot` between two
 * variants of one label contradicts itself: the result is the new rule.
 *
 * @param rules consistent rules; those of the other kind are skipped
 */
export const conflictOf = (rules: readonly Rule[], added: Rule): Rule[] => {
  const [a, b] = [keyOf(added.a), keyOf(added.b)]
  const same = rules.filter(({ kind }) => kind === added.kind)
  const musts = same.filter(({ relation }) => relation === 'must')
  if (added.relation === 'cannot') return a === b ? [added] : (chainOf(musts, a, b) ?? [])
  if (a === b) return []
  const groups = groupsOf(musts)
  const groupOf = (label: string) => groups.get(label) ?? label
  const [ga, gb] = [groupOf(a), groupOf(b)]
  for (const rule of same) {
    if (rule.relation !== 'cannot') continue
    const ends = [keyOf(rule.a), keyOf(rule.b)] as const
    const [first, second] = ends.map(groupOf)
    const [x, y] =
      first === ga && second === gb ? ends : first === gb && second === ga ? [ends[1], ends[0]] : []
    if (x === undefined || y === undefined) continue
    return [rule, ...(chainOf(musts, a, x) ?? []), ...(chainOf(musts, b, y) ?? [])]
  }
  return []
}

/** Maps each key of the `must` rules to the smallest key that the rules link it to. */
const groupsOf = (musts: readonly Rule[]): Map<string, string> => {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) root = up
    for (let at = key; at !== root; ) {
      const up = parents.get(at) ?? root
      parents.set(at, root)
      at = up
    }
    return root
  }
  for (const rule of musts) {
    const [a, b] = [rootOf(keyOf(rule.a)), rootOf(keyOf(rule.b))]
    const [low, high] = a < b ? [a, b] : [b, a]
    parents.set(low, low)
    parents.set(high, low)
  }
  return new Map([...parents.keys()].map(key => [key, rootOf(key)]))
}

/** The closure of the rules of one kind. */
export interface Constraints {
  /** Returns the smallest key of a key's group of `must` rules; the key itself without such rules. */
  groupOf(key: string): string
  /** Returns the groups that must not share a cluster with a group. */
  apartFrom(group: string): ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Computes the closure of the rules of one kind.
 * @throws RulesConflict if they contradict each other
 */
export const constraintsOf = (rules: readonly Rule[], kind: RuleKind): Constraints => {
  const same = rules.filter(rule => rule.kind === kind)
  const musts = same.filter(({ relation }) => relation === 'must')
  const groups = groupsOf(musts)
  const groupOf = (key: string) => groups.get(key) ?? key
  const apart = new Map<string, Set<string>>()
  const keepApart = (a: string, b: string) => {
    const known = apart.get(a)
    if (known) known.add(b)
    else apart.set(a, new Set([b]))
  }
  for (const rule of same) {
    if (rule.relation !== 'cannot') continue
    const [a, b] = [groupOf(keyOf(rule.a)), groupOf(keyOf(rule.b))]
    if (a === b) throw new RulesConflict([rule, ...(chainOf(musts, keyOf(rule.a), keyOf(rule.b)) ?? [])])
    keepApart(a, b)
    keepApart(b, a)
  }
  return { groupOf, apartFrom: group => apart.get(group) ?? NONE }
}
