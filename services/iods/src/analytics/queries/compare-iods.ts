import type { iodsInternal, ResponseOf } from '@iodine/contracts'
import type { IodColumns } from './iod-columns.js'

type Comparison = ResponseOf<typeof iodsInternal.compareIods>

interface Group {
  rows: Set<number>
  accounts: Set<number>
  domains: Set<number>
}

/** Returns the number of members of both sets. */
const common = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let n = 0
  for (const each of small) if (large.has(each)) n++
  return n
}

/** Compares groups of rows: those created from one time until before another. */
export const compareGroups = (
  columns: IodColumns,
  groups: readonly (readonly number[])[],
  [from, until]: [number, number],
): Comparison => {
  const [first, end] = [columns.rowOf(from), columns.rowOf(until)]
  const compared = groups.map((rows): Group => {
    const group: Group = { rows: new Set(), accounts: new Set(), domains: new Set() }
    for (const row of rows) {
      if (row < first || row >= end) continue
      group.rows.add(row)
      for (const term of columns.termsAt(row)) {
        const name = columns.names[term] as string
        if (name.startsWith('account ')) group.accounts.add(term)
        else if (name.startsWith('domain ')) group.domains.add(term)
      }
    }
    return group
  })
  const timeOf = (row: number | undefined) =>
    row === undefined ? null : new Date(columns.timeAt(row)).toISOString()
  return {
    groups: compared.map(({ rows }) => {
      const sorted = Uint32Array.from(rows).sort()
      return { iods: rows.size, first: timeOf(sorted[0]), last: timeOf(sorted.at(-1)) }
    }),
    pairs: compared.flatMap((one, a) =>
      compared.slice(a + 1).flatMap((other, n) => {
        const iods = common(one.rows, other.rows)
        const accounts = common(one.accounts, other.accounts)
        const domains = common(one.domains, other.domains)
        return iods + accounts + domains > 0 ? [{ a, b: a + 1 + n, iods, accounts, domains }] : []
      }),
    ),
  }
}
