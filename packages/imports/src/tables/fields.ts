import type { Draft } from '../records/draft.js'
import { countOf } from '../text/counts.js'
import { type TimeRules, timeOf } from '../text/times.js'
import type { Warning } from '../types.js'
import type { Cells } from './cells.js'

/** Columns by field of a draft, such as `author.handle`. Of several columns, the first with a value. */
export type FieldTable = Readonly<Record<string, string | readonly string[]>>

const LISTS = new Set(['hashtags', 'mentions', 'links', 'keywords'])
const MEDIA: Record<string, string> = { images: 'image', videos: 'video', audios: 'audio' }
const TIMES = new Set(['published_at', 'edited_at'])
const COUNTS = /^(?:metrics\.|author\.(?:followers|following|posts)$)/
const YES = /^(?:true|yes|1|t|y)$/i
const NO = /^(?:false|no|0|f|n)$/i

const flagOf = (cell: string | undefined): boolean | undefined =>
  cell === undefined ? undefined : YES.test(cell) ? true : NO.test(cell) ? false : undefined

const degreesOf = (cell: string | undefined): number | undefined =>
  cell !== undefined && /^-?\d{1,3}(?:\.\d+)?$/.test(cell) ? Number(cell) : undefined

/** Fields that tools write as text of people, in which `Unknown` is a word. */
const TEXTS = new Set(['title', 'text', 'author.name', 'author.description', 'summary', 'within.name'])

const fieldValue = (
  field: string,
  cells: Cells,
  columns: readonly string[],
  rules: TimeRules,
  warnings: Set<Warning>,
) => {
  if (LISTS.has(field)) return columns.flatMap(column => cells.list(column))
  if (TIMES.has(field)) {
    const written = cells.get(...columns)
    const time = written === undefined ? undefined : timeOf(written, rules)
    if (written !== undefined && time === undefined) warnings.add('unreadable-time')
    return time
  }
  if (TEXTS.has(field)) return cells.text(...columns)
  const cell = cells.get(...columns)
  if (COUNTS.test(field)) return countOf(cell)
  if (field === 'author.verified') return flagOf(cell)
  if (field === 'location.latitude' || field === 'location.longitude') return degreesOf(cell)
  return cell
}

/**
 * Reads the fields of a row.
 * @param rules how times without a zone are read
 * @param warnings receives `unreadable-time`
 */
export const draftOf = (cells: Cells, table: FieldTable, rules: TimeRules, warnings: Set<Warning>): Draft => {
  const draft = new Map<string, unknown>()
  for (const [field, named] of Object.entries(table)) {
    const columns = typeof named === 'string' ? [named] : named
    const medium = Object.hasOwn(MEDIA, field) ? MEDIA[field] : undefined
    if (medium) {
      const found = columns.flatMap(column => cells.list(column)).map(url => ({ type: medium, url }))
      draft.set('media', [...((draft.get('media') as object[] | undefined) ?? []), ...found])
      continue
    }
    const value = fieldValue(field, cells, columns, rules, warnings)
    if (value === undefined) continue
    const [group = '', name] = field.split('.', 2)
    if (name === undefined) draft.set(group, value)
    else {
      const values = (draft.get(group) as Map<string, unknown> | undefined) ?? new Map<string, unknown>()
      draft.set(group, values.set(name, value))
    }
  }
  const plain = [...draft].map(([field, value]) => [
    field,
    value instanceof Map ? Object.fromEntries(value) : value,
  ])
  return Object.fromEntries(plain) as Draft
}
