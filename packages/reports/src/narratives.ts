import { foldLabel, type ReportContent } from '@iodine/contracts'

/** Triplets of a report with the same canonical label. */
export interface PublishedNarrative {
  /** The most frequent variant. */
  label: string
  /** Number of triplets. */
  count: number
  /** Numbers of exhibits that quote them, at most `QUOTES_MAX`. */
  exhibits: number[]
}

const QUOTES_MAX = 3

/** Returns the narratives of a report: its triplets, joined by their folded labels, the most frequent first. */
export const narrativesOf = ({ indicators }: Pick<ReportContent, 'indicators'>): PublishedNarrative[] => {
  const groups = new Map<string, { variants: Map<string, number>; exhibits: Set<number> }>()
  for (const { category, value, exhibits } of indicators) {
    if (category !== 'NARRATIVE_TRIPLET') continue
    const key = foldLabel(value)
    const group = groups.get(key) ?? { variants: new Map(), exhibits: new Set() }
    groups.set(key, group)
    group.variants.set(value, (group.variants.get(value) ?? 0) + 1)
    for (const n of exhibits) group.exhibits.add(n)
  }
  return [...groups.values()]
    .map(({ variants, exhibits }) => {
      const [[label = ''] = []] = [...variants].sort(([, a], [, b]) => b - a)
      const count = [...variants.values()].reduce((sum, n) => sum + n, 0)
      return { label, count, exhibits: [...exhibits].sort((a, b) => a - b).slice(0, QUOTES_MAX) }
    })
    .sort((a, b) => b.count - a.count)
}
