import type { ImportFormat } from '@iodine/contracts'
import { isObject } from '../json/is-object.js'
import { fromCsv } from '../read.js'
import { isForeignStix } from '../stix/ours.js'

const isEvent = (file: unknown): boolean =>
  isObject(file) &&
  (isObject(file.Event) ||
    Array.isArray(file.response) ||
    (file.type === undefined && (Array.isArray(file.Attribute) || Array.isArray(file.Object))))

const isMarked = (given: unknown): boolean => isObject(given) && Boolean(given.tlp)

/**
 * The format of a file that the server imports: another tool's objects are kept as they are, and levels are kept. Null for all
 * other files: what they say are IODs without a level.
 */
export const serverFormat = (text: string): ImportFormat | null => {
  if (!/^\s*\uFEFF?\s*[{[]/.test(text)) {
    try {
      return fromCsv(text).some(isMarked) ? 'csv' : null
    } catch {
      return null
    }
  }
  if (isForeignStix(text)) return 'stix'
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return null
  }
  if (Array.isArray(file) ? file.some(isEvent) : isEvent(file)) return 'misp'
  if (!isObject(file) || !Array.isArray(file.iods)) return null
  return isMarked(file.campaign) || file.iods.some(isMarked) ? 'json' : null
}
