/**
 * Returns a count that a file states exactly: a whole number of 0 to 2^53−1, also as `"1,234"` or `"1234.0"`. Undefined
 * for rounded counts (`1.2K`, `10+`, `1.2万`) and for those that have two readings (`1.234`, `1 234`).
 */
export const countOf = (value: unknown): number | undefined => {
  // Not -0.
  if (Number.isSafeInteger(value) && (value as number) >= 0) return (value as number) + 0
  const text = typeof value === 'number' || typeof value === 'bigint' ? `${value}` : value
  if (typeof text !== 'string' || !/^\s*(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.0+)?\s*$/.test(text)) return undefined
  const count = Number(text.replaceAll(',', ''))
  return Number.isSafeInteger(count) ? count : undefined
}
