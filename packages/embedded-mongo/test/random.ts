/** Creates a source of seeded random numbers (mulberry32) and choices. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
    many: <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make),
  }
}

export type Random = ReturnType<typeof randomOf>
