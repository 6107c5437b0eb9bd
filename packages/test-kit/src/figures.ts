/** The value below which a share (0–1) of the values lies; without values there is none to tell. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('no values were measured')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The lines of a Markdown table, ready for `docs/`; the first column reads from the left, the others from the right. */
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
