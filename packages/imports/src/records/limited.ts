import { cutText, isHttpUrl, LIMITS, RECORD_SCHEMAS } from '@iodine/contracts'
import type { Item, RecordItem, Warning } from '../types.js'

/** Limits of fields, by the path without indexes; the first match holds. Other texts have at most `fieldMax`. */
const TEXT_LIMITS: readonly (readonly [fields: RegExp, limit: number])[] = [
  [/^post\.text$/, LIMITS.postTextMax],
  [/^context\.(?:text|transcript)$/, LIMITS.contextTextMax],
  [
    /^(?:author\.(?:handle|name)|within\.name|hashtags|mentions|location\.\w+|relations\.\w+\.author)$/,
    LIMITS.postNameMax,
  ],
]
/** Identifiers: longer ones are left out, as a part of one identifies nothing. */
const IDS = /^(?:post|author|within|relations\.\w+)\.id$|^relations\.thread_id$/
const URLS = /^(?:(?:post|author|within|relations\.\w+|media)\.url|links|context\.in_reply_to)$/
const LISTS = /^(?:links|media|context\.(?:links|media))$/
const OTHER_LISTS_MAX = 1_000

type Values = Record<string, unknown>

interface TextRule {
  /** URL: left out unless it is valid and short enough. `id`: left out if it is too long. Others are cut. */
  kind: 'url' | 'id' | 'text'
  max: number
}

const findRule = (isPost: boolean, path: string): TextRule => {
  if (isPost && URLS.test(path)) return { kind: 'url', max: LIMITS.addressMax }
  if (isPost && IDS.test(path)) return { kind: 'id', max: LIMITS.postNameMax }
  const limited = isPost ? TEXT_LIMITS : TEXT_LIMITS.slice(1, 2)
  return { kind: 'text', max: limited.find(([fields]) => fields.test(path))?.[1] ?? LIMITS.fieldMax }
}

/** A field of records with its limits, and the fields in it. The formats name all fields, so that their number is bounded. */
class Field {
  readonly text: TextRule
  readonly listMax: number
  readonly #isPost: boolean
  readonly #path: string
  readonly #inner = new Map<string, Field>()

  constructor(isPost: boolean, path = '') {
    this.text = findRule(isPost, path)
    this.listMax = LISTS.test(path) ? LIMITS.contextLinksMax : OTHER_LISTS_MAX
    this.#isPost = isPost
    this.#path = path
  }

  at(name: string): Field {
    const known = this.#inner.get(name)
    if (known) return known
    const field = new Field(this.#isPost, this.#path ? `${this.#path}.${name}` : name)
    this.#inner.set(name, field)
    return field
  }
}
const POST = new Field(true)
const OTHER = new Field(false)

const wholeText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed()

/** Limits the values of a record. Groups and lists without a change remain the same objects. */
class Limiter {
  readonly warnings = new Set<Warning>()

  value(value: unknown, field: Field): unknown {
    if (typeof value === 'string') return this.#text(value, field.text)
    if (Array.isArray(value)) return this.#list(value, field)
    return typeof value === 'object' && value !== null ? this.#group(value as Values, field) : value
  }

  #group(values: Values, field: Field): Values | undefined {
    let kept = values
    for (const name of Object.keys(values)) {
      const limited = this.value(values[name], field.at(name))
      if (limited !== undefined && limited === values[name]) continue
      if (kept === values) kept = { ...values }
      if (limited === undefined) delete kept[name]
      else kept[name] = limited
    }
    return Object.keys(kept).length > 0 ? kept : undefined
  }

  #list(values: readonly unknown[], field: Field): readonly unknown[] | undefined {
    const kept = values.map(value => this.value(value, field)).filter(value => value !== undefined)
    if (kept.length > field.listMax) this.warnings.add('list-cut')
    if (kept.length === 0) return undefined
    const isSame = kept.length === values.length && kept.every((value, n) => value === values[n])
    return isSame && kept.length <= field.listMax ? values : kept.slice(0, field.listMax)
  }

  #text(written: string, { kind, max }: TextRule): string | undefined {
    const text = wholeText(written)
    if (text === '' || (kind === 'url' && !isHttpUrl(text))) return undefined
    if (text.length <= max) return text
    this.warnings.add('text-cut')
    return kind === 'text' ? cutText(text, max) : undefined
  }
}

/**
 * Returns an item whose record the API accepts: texts without NUL and half surrogates, cut between characters; lists
 * cut; URLs and ids above their limit left out, with warnings. A record that is still invalid is skipped: `no-id`
 * without its key, else `not-an-item`.
 */
export const limited = (item: Item): Item => {
  if (!('record' in item)) return item
  const limiter = new Limiter()
  const record = limiter.value(item.record, item.source === 'post' ? POST : OTHER) as RecordItem['record']
  const { error } = RECORD_SCHEMAS[item.source].safeParse(record)
  if (error) {
    const isKey = error.issues.some(({ path }) => /^(?:post\.id|main\.video_id)$/.test(path.join('.')))
    return { skipped: isKey ? 'no-id' : 'not-an-item', line: item.at }
  }
  const warnings = new Set([...(item.warnings ?? []), ...limiter.warnings])
  return { ...item, record, ...(warnings.size > 0 && { warnings: [...warnings] }) }
}
