import type { Constraints } from '@iodine/canon'
import { compareText } from '@iodine/contracts'

/**
 * Returns the clusters closest to the groups that the rules allow: joins groups that a `must` rule links, and splits
 * groups that a `cannot` rule separates. They are in use until the next clustering.
 *
 * @param groups keys, each in one group
 */
export const arrange = (groups: readonly (readonly string[])[], constraints: Constraints): string[][] => {
  const joined: { units: Map<string, string[]> }[] = []
  const groupByUnit = new Map<string, { units: Map<string, string[]> }>()
  for (const keys of groups) {
    let group: { units: Map<string, string[]> } = { units: new Map() }
    joined.push(group)
    for (const key of keys) {
      const unit = constraints.groupOf(key)
      const other = groupByUnit.get(unit)
      if (other && other !== group) {
        for (const [name, members] of group.units) {
          other.units.set(name, [...(other.units.get(name) ?? []), ...members])
          groupByUnit.set(name, other)
        }
        group.units.clear()
        group = other
      }
      group.units.set(unit, [...(group.units.get(unit) ?? []), key])
      groupByUnit.set(unit, group)
    }
  }
  return joined.flatMap(({ units }) => {
    const parts: { names: Set<string>; keys: string[] }[] = []
    for (const [name, keys] of [...units].sort(([a], [b]) => compareText(a, b))) {
      const apart = constraints.apartFrom(name)
      const fit = parts.find(({ names }) => ![...names].some(other => apart.has(other)))
      if (fit) {
        fit.names.add(name)
        fit.keys.push(...keys)
      } else parts.push({ names: new Set([name]), keys: [...keys] })
    }
    return parts.map(({ keys }) => keys.sort(compareText))
  })
}
