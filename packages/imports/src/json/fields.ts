import { countOf } from '../text/counts.js'
import { exactId } from '../text/ids.js'
import { type TimeRules, timeOf } from '../text/times.js'
import type { ItemContext } from './read.js'

type Key = string | number

/** Returns the value at a path of own keys; undefined if there is none. `null` counts as none. */
export const at = (value: unknown, ...path: readonly Key[]): unknown => {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<Key, unknown>)[key]
  }
  return found ?? undefined
}

/** Returns the list at a path; an empty one if there is none. */
export const listAt = (value: unknown, ...path: readonly Key[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Returns a text that is not blank. `undefined` and `$undefined` are texts that platforms write for no value. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value !== 'undefined' && value !== '$undefined'
    ? value
    : undefined
export const textAt = (value: unknown, ...path: readonly Key[]) => textOf(at(value, ...path))
/** Returns the first text at one of some keys. */
export const firstText = (value: unknown, ...keys: readonly Key[]): string | undefined => {
  for (const key of keys) {
    const text = textAt(value, key)
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * Returns an id: a text, or an exact integer. A number that the tool rounded is none.
 * @param warnings receives `rounded-id`
 */
export const idOf = (value: unknown, warnings?: ItemContext['warnings']): string | undefined => {
  if (typeof value === 'string') return textOf(value.trim())
  if (typeof value === 'number' && Number.isSafeInteger(value)) return `${value}`
  const id = typeof value === 'bigint' ? exactId(`${value}`) : undefined
  if (id === undefined && (typeof value === 'number' || typeof value === 'bigint'))
    warnings?.add('rounded-id')
  return id
}
export const idAt = (value: unknown, ...path: readonly Key[]) => idOf(at(value, ...path))

/** Returns the first exact count at one of some keys. */
export const countAt = (value: unknown, ...keys: readonly Key[]): number | undefined => {
  for (const key of keys) {
    const count = countOf(at(value, key))
    if (count !== undefined) return count
  }
  return undefined
}

export const flagAt = (value: unknown, ...path: readonly Key[]): boolean | undefined => {
  const found = at(value, ...path)
  return typeof found === 'boolean' ? found : undefined
}

export const numberAt = (value: unknown, ...path: readonly Key[]): number | undefined => {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

/** Returns a time as ISO 8601 in UTC. An unreadable one is left out, with a warning. */
export const timeFrom = (
  value: unknown,
  { warnings }: Pick<ItemContext, 'warnings'>,
  rules?: TimeRules,
): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const time = timeOf(value, rules)
  if (time === undefined) warnings.add('unreadable-time')
  return time
}

/** Returns the URL of a picture or video in a list of variants: the MP4 with the highest bit rate. */
export const bestVariant = (variants: readonly unknown[], rate: string, type: string): string | undefined => {
  const isMp4 = (variant: unknown) => (textAt(variant, type) ?? 'video/mp4') === 'video/mp4'
  const best = variants
    .filter(isMp4)
    .reduce<unknown>((a, b) => (a && (numberAt(a, rate) ?? 0) >= (numberAt(b, rate) ?? 0) ? a : b), undefined)
  return textAt(best, 'url')
}
