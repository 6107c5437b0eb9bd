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

/** Rules by field, of posts and of other records. The formats name the fields of texts, so that their number is bounded. */
const RULES = { post: new Map<string, TextRule>(), other: new Map<string, TextRule>() }
const ruleOf = (isPost: boolean, path: string): TextRule => {
  const rules = isPost ? RULES.post : RULES.other
  const known = rules.get(path)
  if (known) return known
  const rule = findRule(isPost, path)
  rules.set(path, rule)
  return rule
}

const wholeText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** Limits the values of a record. */
class Limiter {
  readonly warnings = new Set<Warning>()
  readonly #isPost: boolean

  constructor(source: string) {
    this.#isPost = source === 'post'
  }

  value(value: unknown, path: string): unknown {
    if (typeof value === 'string') return this.#text(value, path)
    if (Array.isArray(value)) return this.#list(value, path)
    return typeof value === 'object' && value !== null ? this.#group(value as Values, path) : value
  }

  #group(values: Values, path: string): Values | undefined {
    const kept: [string, unknown][] = []
    for (const [key, value] of Object.entries(values)) {
      const limited = this.value(value, path ? `${path}.${key}` : key)
      if (limited !== undefined) kept.push([key, limited])
    }
    return kept.length > 0 ? Object.fromEntries(kept) : undefined
  }

  #list(values: readonly unknown[], path: string): unknown[] | undefined {
    const max = LISTS.test(path) ? LIMITS.contextLinksMax : OTHER_LISTS_MAX
    const kept = values.map(value => this.value(value, path)).filter(value => value !== undefined)
    if (kept.length > max) this.warnings.add('list-cut')
    return kept.length > 0 ? kept.slice(0, max) : undefined
  }

  #text(written: string, path: string): string | undefined {
    const text = wholeText(written)
    const { kind, max } = ruleOf(this.#isPost, path)
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
  const limiter = new Limiter(item.source)
  const record = limiter.value(item.record, '') as RecordItem['record']
  const { error } = RECORD_SCHEMAS[item.source].safeParse(record)
  if (error) {
    const isKey = error.issues.some(({ path }) => /^(?:post\.id|main\.video_id)$/.test(path.join('.')))
    return { skipped: isKey ? 'no-id' : 'not-an-item', line: item.at }
  }
  const warnings = [...new Set([...(item.warnings ?? []), ...limiter.warnings])]
  const { warnings: _, ...rest } = item
  return { ...rest, record, ...(warnings.length > 0 && { warnings }) }
}
