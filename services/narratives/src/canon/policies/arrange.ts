import type { Constraints } from '@iodine/canon'

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The next clusters to what is wanted that the rules allow: groups that a `must` rule links are one, and a group
 * with labels that a `cannot` rule keeps apart is several. Used until labels are compared anew.
 *
 * @param groups keys, each in one group
 */
export const arrange = (groups: readonly (readonly string[])[], constraints: Constraints): string[][] => {
  const joined: { units: Map<string, string[]> }[] = []
  const placeOf = new Map<string, { units: Map<string, string[]> }>()
  for (const keys of groups) {
    let place: { units: Map<string, string[]> } = { units: new Map() }
    joined.push(place)
    for (const key of keys) {
      const unit = constraints.groupOf(key)
      const other = placeOf.get(unit)
      if (other && other !== place) {
        for (const [name, members] of place.units) {
          other.units.set(name, [...(other.units.get(name) ?? []), ...members])
          placeOf.set(name, other)
        }
        place.units.clear()
        place = other
      }
      place.units.set(unit, [...(place.units.get(unit) ?? []), key])
      placeOf.set(unit, place)
    }
  }
  return joined.flatMap(({ units }) => {
    const parts: { names: Set<string>; keys: string[] }[] = []
    for (const [name, keys] of [...units].sort(([a], [b]) => compare(a, b))) {
      const apart = constraints.apartFrom(name)
      const fit = parts.find(({ names }) => ![...names].some(other => apart.has(other)))
      if (fit) {
        fit.names.add(name)
        fit.keys.push(...keys)
      } else parts.push({ names: new Set([name]), keys: [...keys] })
    }
    return parts.map(({ keys }) => keys.sort(compare))
  })
}
