import { isHttpUrl } from '@iodine/contracts'
import { pointerToken } from '@iodine/evidence'
import { formatDateTime } from '@iodine/ui'

/** One value of a record: the displayed text, and the value of an IOD created from it. */
export interface FieldValue {
  text: string
  iodValue: string
  /**
   * JSON pointer (RFC 6901) of the value in the record. Null if the record's text differs from `iodValue`, or if the
   * pointer is too long for evidence.
   */
  pointer: string | null
}

export interface Field {
  /** Path of the value in the record. Its last key suggests the IOD's category. */
  path: string
  label: string
  kind: 'text' | 'url' | 'number' | 'list'
  /** Empty if the record has none; more than one only if `kind` is 'list'. */
  values: FieldValue[]
}

export interface FieldGroup {
  title: string
  fields: Field[]
}

export interface Attachment {
  type: string
  url: Field
  sha256: Field
}

export interface ImageHash {
  url: Field
  hash: Field
}

const isFilled = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')

/**
 * Display format: numbers with separators, times (Unix seconds or ISO 8601) as dates. IODs of times are in ISO 8601.
 */
export type Format = Field['kind'] | 'time'

const shown = (value: string | number, format: Format, pointer: string | null): FieldValue => {
  if (typeof value === 'string') {
    const isTime = format === 'time' && !Number.isNaN(Date.parse(value))
    return isTime
      ? { text: formatDateTime(value), iodValue: value, pointer: null }
      : { text: value, iodValue: value, pointer }
  }
  const date = new Date(format === 'time' ? value * 1000 : Number.NaN)
  const isDate = !Number.isNaN(date.getTime())
  const iodValue = isDate ? date.toISOString().replace('.000Z', 'Z') : String(value)
  const text = format === 'number' ? value.toLocaleString('en-US') : isDate ? formatDateTime(date) : iodValue
  return { text, iodValue, pointer: isDate ? null : pointer }
}

/** Maximum length of an evidence pointer, in characters. */
const POINTER_MAX = 500
/** Returns the JSON pointer of keys (RFC 6901, section 3); null if it is too long. */
const pointerOf = (...keys: (string | number)[]): string | null => {
  const pointer = keys.map(key => `/${pointerToken(key)}`).join('')
  return pointer.length > POINTER_MAX ? null : pointer
}

/** Creates a field. `keys` is the value's path in the record, without a list index; null if the value is a key. */
export const field = (
  path: string,
  label: string,
  value: unknown,
  format: Format = 'text',
  keys: readonly (string | number)[] | null = path.split('.'),
): Field => ({
  path,
  label,
  kind: format === 'time' ? 'text' : format,
  values: [value].flat().flatMap((each: unknown, index) => {
    if (!isFilled(each)) return []
    const pointer = keys && pointerOf(...keys, ...(Array.isArray(value) ? [index] : []))
    return [shown(each, format, pointer)]
  }),
})

export const firstFilled = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate?.trim())

export const firstHttpUrl = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate != null && isHttpUrl(candidate)) ?? null

/** Creates a field of one property of the items of a list. `keys` is the list's path in the record. */
export const fieldOfItems = <T extends object>(
  keys: readonly string[],
  items: readonly T[] | null | undefined,
  key: keyof T & string,
  label: string,
): Field => ({
  path: [...keys, key].join('.'),
  label,
  kind: 'list',
  values: (items ?? []).flatMap(
    (item, index) => field('', label, item[key], 'list', [...keys, index, key]).values,
  ),
})
