import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RECORD_SCHEMAS } from '@iodine/contracts'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JSON_FORMATS } from '../src/formats/json-formats.js'
import { TABLE_FORMATS } from '../src/formats/tables.js'
import { EncodingError, type Item, RefusedError, read } from '../src/index.js'
import { parseExact } from '../src/json/parse.js'
import type { JsonFormat } from '../src/json/read.js'

const samples = join(import.meta.dirname, 'samples')
const files = readdirSync(samples)
  .filter(name => name.endsWith('.expected.json'))
  .map(name => JSON.parse(readFileSync(join(samples, name), 'utf8')))
  .map(expected => ({ ...expected, bytes: new Uint8Array(readFileSync(join(samples, expected.file))) }))
/** JSON files: cut anywhere they remain readable, unlike archives, feeds and HTML. */
const json = files.filter(({ file }) => /\.(?:json|jsonl|ndjson|js)$/.test(file) && file !== 'jsonfeed.json')
const tables = files.filter(({ format }) => Object.hasOwn(TABLE_FORMATS, format))

interface Sample {
  file: string
  format: string
  options: { file_time: string }
  bytes: Uint8Array
}

const streamOf = (bytes: Uint8Array, size: number) => {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
}

/** Reads a file. A refusal for users ends the items. */
const itemsOf = async ({ format, options }: Sample, bytes: Uint8Array, size = Math.max(1, bytes.length)) => {
  const items: (Item | string)[] = []
  // A property awaits no timer by itself, and would block the event loop for minutes.
  await setImmediate()
  try {
    for await (const item of read(streamOf(bytes, size), { format }, options)) items.push(item)
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof EncodingError)) throw error
    items.push(error.message)
  }
  return items
}

const keyOf = ({ source, record }: Extract<Item, { record: unknown }>): string => {
  const id =
    'main' in record
      ? record.main.video_id
      : 'telegram' in record
        ? record.telegram.post.id
        : 'post' in record
          ? record.post.id
          : ''
  return `${source} ${id}`
}
const keysOf = (items: readonly (Item | string)[]): string[] =>
  items.flatMap(item => (typeof item === 'object' && 'record' in item ? [keyOf(item)] : []))

const expectValid = (items: readonly (Item | string)[]): void => {
  for (const item of items)
    if (typeof item === 'object' && 'record' in item)
      expect(RECORD_SCHEMAS[item.source].safeParse(item.record).error).toBeUndefined()
}

const hostile = fc.constantFrom<unknown>(
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e300, 1_763_000_000, '', ' ', 'x', '\0\ud800', '__proto__', {}, []],
  ...['7572027344082567891', 7572027344082567891n, '1.9E+18', '2025-11-13T02:13:20Z', 'https://x.example/a'],
  ...['x'.repeat(70_000), ['a', { b: 1 }], { toString: 1, constructor: 2 }],
)
const seed = fc.nat()

/** Returns a copy of a value in which a part is replaced, removed or repeated, chosen by a number. */
const changed = (value: unknown, chosen: number, by: unknown): unknown => {
  const isGroup = typeof value === 'object' && value !== null
  const keys = isGroup ? Object.keys(value) : []
  if (!isGroup || keys.length === 0 || chosen % 7 === 0) return by
  const key = keys[chosen % keys.length] ?? ''
  const rest = Math.floor(chosen / keys.length)
  if (Array.isArray(value)) {
    if (rest % 11 === 1) return [...value, value[Number(key)]]
    return value.map((each, at) => (at === Number(key) ? changed(each, rest, by) : each))
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name !== key ? [[name, each]] : rest % 11 === 1 ? [] : [[name, changed(each, rest, by)]],
    ),
  )
}

/** Writes JSON with integers of any length. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `\u{f8ff}${each}\u{f8ff}` : each)).replace(
    /"\u{f8ff}(-?\d+)\u{f8ff}"/gu,
    '$1',
  )

const ASSIGNMENT = /^\s*window\.[\w.]+\s*=\s*/
/** Returns the values of a JSON sample, one of each line if it has lines, and what precedes them. */
const partsOf = ({ file, bytes }: Sample) => {
  const text = new TextDecoder().decode(bytes)
  const lines = /\.(?:jsonl|ndjson)$/.test(file)
    ? text.split('\n').filter(line => line.trim().startsWith('{'))
    : []
  const [prefix = ''] = ASSIGNMENT.exec(text) ?? []
  const isLines = lines.length > 0
  return { prefix, isLines, values: (isLines ? lines : [text.slice(prefix.length)]).map(parseExact) }
}

/** Files with items of a sample in any order and number, of which parts are changed; and the number of their lines. */
const generatedFrom = (sample: Sample) => {
  const { prefix, isLines, values } = partsOf(sample)
  const value = fc
    .tuple(fc.constantFrom(...values), fc.array(fc.tuple(seed, hostile), { maxLength: 4 }))
    .map(([each, changes]) => changes.reduce((made, [at, by]) => changed(made, at, by), each))
    // A list on a line may have no items.
    .map(each => (isLines && Array.isArray(each) ? null : each))
  if (!isLines) return value.map(each => ({ text: prefix + written(each), lines: 0 }))
  return fc.array(value, { minLength: 2, maxLength: 4 }).map(made => ({
    text: made.map(each => `${written(each)}\n`).join(''),
    lines: made.length,
  }))
}

/** Values that neither `JSON.stringify` nor a template converts to text. */
const UNCONVERTIBLE = [7572027344082567891n, { toString: 1, constructor: 2 }]

/** Yields copies of a value, in each of which another part is replaced. */
function* replaced(value: unknown, by: unknown): Generator<unknown> {
  yield by
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value))
    for (const inner of replaced(part, by))
      yield Array.isArray(value)
        ? value.map((each, at) => (at === Number(key) ? inner : each))
        : { ...value, [key]: inner }
}

/** Reads a sample with such a value in each place of it, one at a time. */
const checkTypes = async (sample: Sample) => {
  const { prefix, isLines, values } = partsOf(sample)
  for (const by of UNCONVERTIBLE)
    for (const [at, value] of values.entries())
      for (const made of replaced(value, by)) {
        const texts = values.map((each, n) => written(n === at ? made : each))
        const text = isLines ? texts.map(each => `${each}\n`).join('') : prefix + texts.join('')
        expectValid(await itemsOf(sample, new TextEncoder().encode(text)))
      }
}

/** Positions of items: lines, if the file has one item a line. */
const positionsOf = (items: readonly (Item | string)[]): Set<number> =>
  new Set(items.flatMap(item => (typeof item === 'string' ? [] : 'record' in item ? [item.at] : [item.line])))
/** Formats of which a line may hold several items or none. */
const hasPages = (format: string): boolean => {
  if (!Object.hasOwn(JSON_FORMATS, format)) return false
  const { lists, pageItems } = JSON_FORMATS[format as keyof typeof JSON_FORMATS] as JsonFormat
  return lists.length > 0 || pageItems !== undefined
}

/** Reads generated files: all of their lines are accounted for, twice the same, and any cut gives a prefix. */
const checkJson = (sample: Sample, params: ReturnType<typeof propertyRuns>) => {
  const property = fc.asyncProperty(generatedFrom(sample), seed, seed, async ({ text, lines }, cut, size) => {
    const bytes = new TextEncoder().encode(text)
    const items = await itemsOf(sample, bytes)
    expectValid(items)
    expect(await itemsOf(sample, bytes, 1 + (size % 5_000))).toEqual(items)
    const joined = items.some(item => typeof item === 'object' && 'joined' in item)
    if (lines > 0 && !joined && !hasPages(sample.format))
      expect(positionsOf(items)).toEqual(new Set(Array.from({ length: lines }, (_, at) => at + 1)))
    const found = keysOf(await itemsOf(sample, bytes.subarray(0, cut % (bytes.length + 1))))
    // Lists of own data come in the order of the choice.
    if (sample.format === 'tiktok-user-data') expect(keysOf(items)).toEqual(expect.arrayContaining(found))
    else {
      const last = items.filter(item => typeof item === 'object' && 'record' in item)[found.length - 1]
      // An album that is cut may have the address of another of its messages.
      const whole = found.length - (last && 'joined' in last ? 1 : 0)
      expect(keysOf(items).slice(0, whole)).toEqual(found.slice(0, whole))
    }
  })
  return fc.assert(property, params)
}

/** Reads samples of which bytes are replaced by others of them: never another error than for users, twice the same. */
const checkBytes = (sample: Sample, params: ReturnType<typeof propertyRuns>) => {
  const { bytes } = sample
  const piece = fc.tuple(seed, seed, fc.nat({ max: 40 }))
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 4 }), seed, async (pieces, size) => {
    const made = bytes.slice()
    for (const [to, from, length] of pieces)
      made.set(
        bytes
          .subarray(from % bytes.length)
          .subarray(0, length)
          .subarray(0, bytes.length - (to % bytes.length)),
        to % bytes.length,
      )
    const items = await itemsOf(sample, made)
    expectValid(items)
    expect(await itemsOf(sample, made, 1 + (size % 5_000))).toEqual(items)
  })
  return fc.assert(property, params)
}

/** Reads tables that are cut: all records but the last, whose row may be cut, are a prefix. */
const checkCut = async (sample: Sample, params: ReturnType<typeof propertyRuns>) => {
  const whole = keysOf(await itemsOf(sample, sample.bytes))
  const property = fc.asyncProperty(seed, async cut => {
    const found = keysOf(await itemsOf(sample, sample.bytes.subarray(0, cut % (sample.bytes.length + 1))))
    expect(whole.slice(0, Math.max(0, found.length - 1))).toEqual(found.slice(0, -1))
  })
  await fc.assert(property, params)
}

/**
 * Returns the parameters for files like a sample: all of a format's samples together have `all` files under
 * `npm run test:all`, each of them `some` else.
 */
const generated = ({ format }: Sample, all: number, some: number) => {
  const samples = files.filter(each => each.format === format).length
  return propertyRuns(isLongTier ? Math.ceil(all / samples) : 8 * some)
}
const options = isLongTier ? { timeout: 3_600_000 } : {}

test.for(json)('files like $file lose nothing, and are a prefix if cut', options, sample =>
  checkJson(sample, generated(sample, 1_000, 6)),
)
test.for(json)('files like $file with other types of values give items or a refusal', options, checkTypes)
test.for(files)('files like $file with changed bytes give items or a refusal', options, sample =>
  checkBytes(sample, generated(sample, 200, 2)),
)
test.for(tables)('files like $file are a prefix if cut', options, sample =>
  checkCut(sample, generated(sample, 200, 2)),
)
