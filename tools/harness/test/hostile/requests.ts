import { gzipSync } from 'node:zlib'
import {
  blogArticle,
  hostileTexts,
  iodInput,
  platformPost,
  recordFullOf,
  seededRandom,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import fc from 'fast-check'
import type { RawRequest } from './wire.js'

/** The subset of JSON Schema that the product's OpenAPI document uses. */
interface Schema {
  type?: string
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  nullable?: boolean
}

export interface Operation {
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query'; schema: Schema }[]
  body: Schema | undefined
}

/** Returns the operations of an OpenAPI document. */
export const operationsOf = (document: {
  paths: Record<string, Record<string, { parameters?: unknown; requestBody?: unknown }>>
}): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters as Operation['parameters'],
      body: (requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content[
        'application/json'
      ]?.schema,
    })),
  )

/** Ids of existing entities, so that requests pass the lookup. */
export interface KnownIds {
  /** By path: `/iods/{id}/vote` → ids of IODs. */
  ids: Record<string, string[]>
  iods: string[]
  users: string[]
}

export interface GeneratedRequest extends RawRequest {
  operation: Operation
  /** Mutations applied to the request, for debugging. */
  mutations: string[]
}

const TEXTS = hostileTexts(1_092)
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  '$where',
  '$ne',
  '$gt',
  'a.b',
  '$set',
  '',
  '\0',
  'toString',
]
/** As JSON, so that each use has a separate copy: a mutation must not affect the next request. */
const OBJECTS = [
  '{"__proto__": {"polluted": true}}',
  '{"constructor": {"prototype": {"polluted": true}}}',
  '{"prototype": {"polluted": true}}',
  '{"$ne": null}',
  '{"$gt": ""}',
  '{"$where": "sleep(5000) || true"}',
  '{"$regex": "(a+)+$"}',
  '{"$expr": {"$function": {"body": "function(){}", "args": [], "lang": "js"}}}',
  '{"$in": []}',
  '{"$set": {"is_admin": true}}',
  '{"votes.0": 1, "a.$[].b": 2}',
]
/** Placeholder in the serialized body for numbers that JSON.stringify can't write. */
const MARK = '"@number@"'
const NUMBERS = [
  '1e400',
  '-1e400',
  '-0',
  '9007199254740993',
  '1e-400',
  '0.1',
  '-1',
  '1E5',
  '123456789012345678901234567890',
]
const NO_JSON = ['NaN', 'Infinity', '01', '+1', '.5', '0x10', 'undefined', "'a'", '1n']
const QUERY_TRICKS = [
  '__proto__[x]=1',
  'constructor[prototype][x]=1',
  'a[]=1',
  'q[$ne]=1',
  'limit[$gt]=',
  '%',
  '%ff=%fe',
  '=',
  '&&&',
  'q=%00',
  'q=%ud800',
  'q=%ed%a0%80',
]
const PATH_TRICKS = [
  '..',
  '%2e%2e',
  '.%2e',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%c0%ae%c0%ae',
  '..%2f..%2finternal%2fjwks',
  '..%5c..%5cinternal',
  '%2F',
  '/',
  '//',
  ';x=1',
  '%0d%0aX-Injected:%201',
  '__proto__',
  'constructor',
  '$where',
  'my',
  'data',
  `${'a'.repeat(24)}%00`,
  'A'.repeat(24),
  'a'.repeat(600),
  'a'.repeat(13_000),
  '-1',
  '[object Object]'.replace(' ', '%20'),
  '%F0%9F%94%A5',
  '\u00e9',
]
const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json;;;',
  'application/json, text/plain',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'json',
  '',
  '\u00ff',
]
const HEADERS: [string, string][] = [
  ['Expect', 'the impossible'],
  ['Expect', '100-continue'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Transfer-Encoding', 'gzip'],
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade, Authorization, Content-Type'],
  ['Host', 'evil.example'],
  ['X-Forwarded-For', '6.6.6.6, '.repeat(50)],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Service-Key', 'guess'],
  ['X-Request-Id', '"><script>'],
  ['Cookie', 'access_token=x; __proto__=1'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'br;q=nonsense'],
  ['Range', 'bytes=0-1,5-'],
  ['If-None-Match', '*'],
  ['__proto__', 'polluted'],
  ['constructor', 'polluted'],
  ['X-Big', 'x'.repeat(8_000)],
  ['X-Huge', 'x'.repeat(40_000)],
  ['X-Latin', '\u00e9\u00ff'],
  ['Bad Name', 'x'],
  ['X-Control', 'a\u0001b'],
  ['Content-Length', '5'],
  ['Content-Length', '-1'],
  ['Content-Length', '99999999999999999999'],
  ['Authorization', 'Bearer x'],
  ['Authorization', 'Basic YTpi'],
]
const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'FROB',
  'get',
]

type Random = ReturnType<typeof seededRandom>

/** Converts a value to text without `String`, which calls a hostile object's `toString`. */
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')

/** Draws one request of a run from its seed alone, so that any request can be reproduced. */
export const generateRequest = (
  operations: Operation[],
  known: KnownIds,
  seed: number,
  index: number,
): GeneratedRequest => {
  const random: Random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const chance = (share: number) => random() < share
  const upTo = (count: number) => Math.floor(random() * count)
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T
  const drawn = <T>(arbitrary: fc.Arbitrary<T>): T =>
    fc.sample(arbitrary, { seed: upTo(2 ** 31), numRuns: 1 })[0] as T
  const mutations: string[] = []

  const hostileValue = (): unknown => {
    const kinds: (() => unknown)[] = [
      () => pick(TEXTS),
      () => JSON.parse(pick(['null', 'true', '0', '-1', '1.5', '9007199254740992', '[]', '{}', '""', '" "'])),
      () => drawn(fc.jsonValue({ maxDepth: 4 })),
      () => drawn(fc.string({ unit: 'binary', maxLength: 60 })),
      () => JSON.parse(pick(OBJECTS)),
      () => MARK.slice(1, -1),
      () => 'x'.repeat(pick([101, 501, 10_000, 10_001, 50_001, 200_000])),
      () => Array.from({ length: pick([1, 501, 1_001, 20_000]) }, () => pick(['x', 1, null])),
      () => JSON.parse(`${'['.repeat(63)}1${']'.repeat(63)}`),
      () => Object.fromEntries(Array.from({ length: pick([10, 6_000]) }, (_, key) => [`k${key}`, key])),
    ]
    return pick(kinds)()
  }

  const iso = () => new Date(1_700_000_000_000 + upTo(10 ** 11)).toISOString()
  /** Returns a plausible value for a field name if its schema is too general. */
  const plausibleValue = (name: string): unknown => {
    if (name === 'email') return `hostile${upTo(10 ** 6)}@example.org`
    if (name === 'iod_id') return pick(known.iods)
    if (name === 'campaign_id') return pick(known.ids['/campaigns/{id}'] ?? [''])
    if (name === 'user_id') return pick(known.users)
    if (name.endsWith('_date')) return pick([iso(), '2026-01-01', '2026-13-45', '-271821-04-20'])
    if (name === 'from' || name === 'to') return pick(['entity:they', 'verb:told', 'entity:everybody'])
    if (name === 'source' || name === 'src') return pick(['https://example.org/a', 'forum/thread'])
    if (name === 'records')
      return Array.from({ length: 1 + upTo(4) }, () => {
        const valid: () => unknown = pick([tiktokPost, telegramPost, blogArticle, platformPost])
        return chance(0.7) ? valid() : pick(Object.values(recordFullOf(pick(TEXTS).slice(0, 2_000))))
      })
    if (name === 'value') return iodInput().value
    return undefined
  }
  const fitting = (schema: Schema, name = ''): unknown => {
    const special = plausibleValue(name)
    if (special !== undefined) return special
    if (schema.enum) return pick(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return fitting(pick(choices), name)
    if (schema.allOf) return fitting(schema.allOf[0] as Schema, name)
    if (schema.nullable && chance(0.1)) return null
    switch (schema.type) {
      case 'string': {
        if (schema.pattern?.includes('{24}')) return pick([...known.iods, ...known.users])
        if (schema.pattern?.includes('\\d'))
          return String(pick([0, 1, 2, 20, 100, 101, 500, 501, 999_999_999]))
        if (schema.pattern && !schema.pattern.includes('\\p'))
          return drawn(fc.stringMatching(new RegExp(schema.pattern)))
        return drawn(
          fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 30, 30) }),
        )
      }
      case 'integer':
      case 'number':
        return pick([0, 1, 7, 1_000, schema.maximum ?? 2 ** 31])
      case 'boolean':
        return chance(0.5)
      case 'array': {
        const count = Math.max(schema.minItems ?? 0, upTo(4))
        return Array.from({ length: count }, () => fitting(schema.items ?? {}, ''))
      }
      case 'object': {
        const { properties = {}, required = [] } = schema
        return Object.fromEntries(
          Object.entries(properties)
            .filter(([key]) => required.includes(key) || chance(0.6))
            .map(([key, property]) => [key, fitting(property, key)]),
        )
      }
      default:
        return drawn(fc.jsonValue({ maxDepth: 2 }))
    }
  }

  /** Returns a copy of the value with a random mutation. */
  const mutated = (root: unknown): unknown => {
    const holders: [Record<string, unknown>, string][] = []
    const walk = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return
      for (const key of Object.keys(value).slice(0, 200)) {
        holders.push([value as Record<string, unknown>, key])
        walk((value as Record<string, unknown>)[key])
      }
    }
    walk(root)
    if (holders.length === 0 || chance(0.05)) {
      mutations.push('another root')
      return hostileValue()
    }
    const [holder, key] = pick(holders)
    const kind = pick(['replace', 'replace', 'replace', 'delete', 'add', 'wrap', 'own-proto'])
    mutations.push(`${kind} ${key}`)
    if (kind === 'replace') holder[key] = hostileValue()
    else if (kind === 'delete') delete holder[key]
    else if (kind === 'wrap') holder[key] = pick([[holder[key]], { value: holder[key] }, asText(holder[key])])
    else
      Object.defineProperty(holder, kind === 'add' ? pick(KEYS) : '__proto__', {
        value: hostileValue(),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return root
  }

  const bodyOf = (schema: Schema): Buffer => {
    let value: unknown = JSON.parse(JSON.stringify(fitting(schema)) ?? 'null')
    for (let left = pick([0, 1, 1, 1, 2, 3]); left > 0; left--) value = mutated(value)
    let text = JSON.stringify(value) ?? 'null'
    text = text.replaceAll(MARK, () => pick(NUMBERS))
    if (chance(0.75)) return Buffer.from(text)
    const trick = pick([
      'cut',
      'tail',
      'no json',
      'doubled keys',
      'utf-16',
      'bom',
      'bad utf-8',
      'nul',
      'lone surrogate',
      'deep',
      'gzip',
      'empty',
      'large',
      'escapes',
    ])
    mutations.push(`body: ${trick}`)
    const at = upTo(text.length)
    switch (trick) {
      case 'cut':
        return Buffer.from(text.slice(0, at))
      case 'tail':
        return Buffer.from(text + pick([',', '}', '\0', text, '//', '\u2028']))
      case 'no json':
        return Buffer.from(pick(NO_JSON))
      case 'doubled keys':
        return Buffer.from(text.replace(/^\{/, match => `${match}"email":1,"value":2,"name":3,"text":4,`))
      case 'utf-16':
        return Buffer.from(text, 'utf16le')
      case 'bom':
        return Buffer.from(`\uFEFF${text}`)
      case 'bad utf-8':
        return Buffer.concat([
          Buffer.from(text.slice(0, at)),
          Buffer.from(pick(['c0af', 'ff', 'eda080', 'f8888080', 'e2']), 'hex'),
          Buffer.from(text.slice(at)),
        ])
      case 'nul':
        return Buffer.from(text.replace(/:"/, ':"\\u0000'))
      case 'lone surrogate':
        return Buffer.from(text.replace(/:"/, `:"${pick(['\\ud800', '\\udc00'])}`))
      case 'deep': {
        const [open, close] = pick([
          ['[', ']'],
          ['{"a":', '}'],
        ])
        const depth = pick([64, 65, 1_000, 100_000])
        return Buffer.from(`${open.repeat(depth)}1${close.repeat(depth)}`)
      }
      case 'gzip':
        return gzipSync(text)
      case 'empty':
        return Buffer.alloc(0)
      case 'large':
        // Rarely above the limit for collected records: each such body has 16 MiB.
        return Buffer.from(
          `{"text":"${'x'.repeat(pick([1_048_500, 1_048_600, 1_048_600, 3_000_000, chance(0.1) ? 16_777_300 : 70_000]))}"}`,
        )
      default:
        return Buffer.from(text.replace(/[a-z]/g, letter => `\\u00${letter.charCodeAt(0).toString(16)}`))
    }
  }

  const operation = pick(operations)
  let method = operation.method
  let path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { schema } = operation.parameters.find(each => each.in === 'path' && each.name === name) ?? {}
    if (chance(0.12)) {
      const trick = pick(PATH_TRICKS)
      mutations.push(`${name} ${trick.slice(0, 40)}`)
      return trick
    }
    const own = known.ids[operation.path]
    return name === 'id' && own && chance(0.85)
      ? pick(own)
      : encodeURIComponent(asText(fitting(schema ?? {})))
  })
  if (chance(0.03)) {
    const trick = pick(PATH_TRICKS)
    mutations.push(`path + ${trick.slice(0, 40)}`)
    path += `/${trick}`
  }
  if (chance(0.05)) path += '/'
  const query: string[] = []
  for (const { name, schema, in: place } of operation.parameters) {
    if (place !== 'query' || chance(0.4)) continue
    const isHostile = chance(0.3)
    if (isHostile) mutations.push(`?${name}`)
    const value = isHostile ? hostileValue() : fitting(schema, name)
    for (const each of [value].flat().slice(0, 60))
      query.push(`${name}=${encodeURIComponent(asText(each).toWellFormed().slice(0, 4_000))}`)
  }
  if (chance(0.05)) {
    query.push(pick(QUERY_TRICKS))
    mutations.push(`? ${query.at(-1)}`)
  }
  if (chance(0.03)) {
    method = pick(METHODS)
    mutations.push(method)
  }
  const headers: GeneratedRequest['headers'] = []
  let body: Buffer | undefined
  if (operation.body || chance(0.05)) {
    body = bodyOf(operation.body ?? {})
    const type = chance(0.05) ? pick(CONTENT_TYPES) : 'application/json'
    if (type !== 'application/json') mutations.push(`content-type ${type}`)
    headers.push(['Content-Type', type])
  }
  const isChunked = body !== undefined && chance(0.1)
  if (chance(0.1)) {
    // A Content-Length without a body would only cause a timeout.
    const header = pick(
      body ? HEADERS : HEADERS.filter(([name, value]) => name !== 'Content-Length' || value !== '5'),
    )
    mutations.push(`${header[0]}: ${header[1].slice(0, 40)}`)
    headers.push(header)
  }
  if (!chance(0.01)) headers.push(['Host', '127.0.0.1'])
  else mutations.push('no host')
  return {
    operation,
    mutations,
    method,
    target: Buffer.from(`/api/v1${path}${query.length ? `?${query.join('&')}` : ''}`),
    headers,
    body,
    // At most a few thousand chunks: more would test nothing new.
    ...(isChunked && { chunked: Math.max(pick([1, 7, 1_000, 65_536]), (body?.length ?? 0) / 2_000) | 0 }),
  }
}
