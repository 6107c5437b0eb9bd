/**
 * Types of an object's fields, all of which are required; a list has the type of its elements. A number permits only
 * itself, `sha256` lower-case hex digits.
 */
export type Shape =
  | number
  | 'sha256'
  | 'string'
  | 'number'
  | readonly [Shape]
  | { readonly [field: string]: Shape }

const SHA256 = /^[0-9a-f]{64}$/

/** Returns whether a value of JSON has exactly this shape. Browsers use it, for which schemas are too large. */
export const fits = (value: unknown, shape: Shape): boolean => {
  if (shape === 'sha256') return typeof value === 'string' && SHA256.test(value)
  if (typeof shape === 'string') return typeof value === shape
  if (typeof shape === 'number') return value === shape
  if (Array.isArray(shape)) return Array.isArray(value) && value.every(each => fits(each, shape[0]))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const fields = Object.entries(shape)
  return (
    Object.keys(value).length === fields.length &&
    fields.every(([name, type]) => Object.hasOwn(value, name) && fits(Reflect.get(value, name), type))
  )
}
