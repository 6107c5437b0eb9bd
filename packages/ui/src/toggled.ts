/** Returns `values` with `value` added, or removed if it was present. */
export const toggled = <T>(values: readonly T[], value: T): T[] =>
  values.includes(value) ? values.filter(other => other !== value) : [...values, value]
