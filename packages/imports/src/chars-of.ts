/** Returns the characters of a value as JSON, without escapes. */
export const charsOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 6
  let chars = 2
  if (Array.isArray(value)) for (const each of value) chars += charsOf(each)
  else
    for (const key of Object.keys(value))
      chars += key.length + 4 + charsOf((value as Record<string, unknown>)[key])
  return chars
}
