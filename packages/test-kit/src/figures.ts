/** Returns a quantile of the values (`share` from 0 to 1); throws without values. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('no values were measured')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the lines of a Markdown table for `docs/`; the first column is left-aligned, the others right-aligned. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] => {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? '---' : '---:')).join('|')}|`,
    ...rows.map(line),
  ]
}
