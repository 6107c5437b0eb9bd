import type { Category, Iod } from '@iodine/contracts'

export interface Statistics {
  iods: number
  votes: number
  comments: number
  /** Names with their counts, the most frequent first. */
  categories: [Category, number][]
  sources: [string, number][]
}

/** The figures of a campaign's summary. */
export function summarize(iods: Iod[]): Statistics {
  return {
    iods: iods.length,
    votes: iods.reduce((sum, { votes }) => sum + votes.length, 0),
    comments: iods.reduce((sum, { comments }) => sum + comments.length, 0),
    categories: countBy(iods, ({ category }) => category),
    sources: countBy(iods, ({ source_type }) => source_type),
  }
}

/** How often each key occurs, the most frequent first. */
export function countBy<T, K extends string>(items: T[], key: (item: T) => K): [K, number][] {
  const counts = new Map<K, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return [...counts].sort(([a, many], [b, more]) => more - many || a.localeCompare(b))
}

const holds = (text: string, wanted: string) => text.toLowerCase().includes(wanted)

/** A campaign's IODs whose value or category contains the text, in any case. */
export function searchMembers(iods: Iod[], text: string): Iod[] {
  const wanted = text.trim().toLowerCase()
  return wanted ? iods.filter(iod => holds(iod.value, wanted) || holds(iod.category, wanted)) : iods
}

/** The IODs of the categories (none means all) whose value or description contains the text, in any case. */
export function searchChoices(iods: Iod[], text: string, categories: readonly Category[]): Iod[] {
  const wanted = text.trim().toLowerCase()
  return iods.filter(
    iod =>
      (categories.length === 0 || categories.includes(iod.category)) &&
      (!wanted || holds(iod.value, wanted) || holds(iod.description, wanted)),
  )
}
