import type { ImportFormat } from '@iodine/contracts'
import { isObject } from '../json/is-object.js'

const isEvent = (file: unknown): boolean =>
  isObject(file) &&
  (isObject(file.Event) ||
    Array.isArray(file.response) ||
    (file.type === undefined && (Array.isArray(file.Attribute) || Array.isArray(file.Object))))

const isStix = (file: unknown): boolean => isObject(file) && typeof file.type === 'string'

/** Detects the import format of a file. */
export const formatOf = (text: string): ImportFormat => {
  if (!/^\s*\uFEFF?\s*[{[]/.test(text)) return 'csv'
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return 'json'
  }
  const some = Array.isArray(file) ? file : [file]
  if (some.some(isStix)) return 'stix'
  return some.some(isEvent) ? 'misp' : 'json'
}
