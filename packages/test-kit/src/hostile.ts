import { RECORD_SCHEMAS, type RecordOf, type Source } from '@iodine/contracts'
import hostile from '../data/hostile.json' with { type: 'json' }

/** Payload of the hostile texts; it counts its executions. */
const CODE = 'window.hostileRan=(window.hostileRan||0)+1,alert(1)'
const THREATS = [
  ...hostile.threats.map(threat => threat.replaceAll('CODE', CODE)),
  // Not every JSON parser reads lone surrogates.
  'high \uD800 alone',
  'low \uDC00 alone',
  '\uDC00\uD800 swapped',
  'x'.repeat(9_000),
  'word '.repeat(1_500),
]
const FIELD_MAX = 10_000

/**
 * Returns up to 1,092 different texts that exploit, reorder or break a consumer that does not treat them as plain text.
 */
export const hostileTexts = (count: number): string[] => {
  const all = hostile.disguises
    .flatMap(disguise => THREATS.map(threat => disguise.replaceAll('THREAT', () => threat)))
    .map(text => text.slice(0, FIELD_MAX))
  if (count > all.length) throw new Error(`there are only ${all.length} hostile texts`)
  // Evenly spaced, so that a few cover every kind.
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] ?? '')
}

type JsonSchema = ReturnType<(typeof RECORD_SCHEMAS)[Source]['toJSONSchema']>

/** Characters of the text in a JSON string, which escapes lengthen. */
const JSON_MAX = 2_000

/**
 * Returns a value of the schema with the text in every string and key that allows any text, cut to its limit; lists have
 * two items, of different union members if any.
 */
const filled = (schema: unknown, text: string, index = 0): unknown => {
  const {
    type: types,
    format,
    pattern,
    maxLength = FIELD_MAX,
    contentMediaType,
    propertyNames,
    enum: kinds,
    anyOf,
    items,
    properties,
    additionalProperties,
  } = schema as JsonSchema
  if (anyOf) return filled(anyOf[0], text)
  // A nullable schema lists both types.
  const [type] = [types].flat()
  if (kinds) return kinds[index]
  if (format === 'date-time') return '2026-11-20T10:00:00.000Z'
  if (type === 'array') return [filled(items, text, 0), filled(items, text, 1)]
  if (type === 'integer' || type === 'number') return 0
  if (type === 'boolean') return true
  if (format === 'uri') return 'https://a.example/'
  if (contentMediaType) return JSON.stringify(text.slice(0, JSON_MAX))
  // Hashes, platforms, languages and names of counts have a pattern.
  if (pattern && !new RegExp(pattern).test(text))
    return ['ab'.repeat(32), 'ab'].find(each => new RegExp(pattern).test(each))
  if (type !== 'object') return text.length > maxLength ? [...text].slice(0, maxLength).join('') : text
  const key = String(filled(propertyNames ?? {}, text))
  const fields = Object.entries(properties ?? { [key]: additionalProperties })
  return Object.fromEntries(fields.map(([name, field]) => [name, filled(field, text, index)]))
}

const SCHEMAS = Object.entries(RECORD_SCHEMAS).map(
  ([source, schema]) => [source, schema.toJSONSchema()] as const,
)

/** Returns a record of each source with the text in every text field, including its natural key and map keys. */
export const recordFullOf = (text: string): RecordOf =>
  Object.fromEntries(SCHEMAS.map(([source, schema]) => [source, filled(schema, text)])) as unknown as RecordOf
