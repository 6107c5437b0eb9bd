import type { DraftRecord, Origin } from '../records/of-draft.js'
import { linesOf } from '../text/lines.js'
import type { Answers, Item, Reason, Warning } from '../types.js'
import { parseExact } from './parse.js'
import { hasLines, ITEM_MAX, type JsonValue, lineValues, pathValues } from './values.js'

/** Context of an item of a JSON file. */
export interface ItemContext {
  answers: Answers
  origin: Origin
  warnings: Set<Warning>
}
export interface Skip {
  skipped: Reason
  detail?: string
}
export type ItemResult = (DraftRecord & { timed?: boolean; partial?: boolean; album?: string }) | Skip

/** A format whose items are JSON values: one a line, or in a list of a document. */
export interface JsonFormat {
  /** Name in `collector_metadata.source`, without `import:`. */
  by: string
  /** Paths of the lists of items in a document or page whose root is an object. */
  lists: readonly string[]
  /** Items of a page that need its other parts. Undefined if the value is no page. */
  pageItems?: (value: unknown) => readonly unknown[] | undefined
  read: (item: unknown, context: ItemContext) => ItemResult
}

/** Returns the values at a path such as `$.data.videos.*`; undefined if there is no list. */
const valuesAt = (root: unknown, path: string): readonly unknown[] | undefined => {
  let value: unknown = root
  for (const key of path.split('.').slice(1, -1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return Array.isArray(value) ? value : undefined
}

const itemsOf = (value: unknown, format: JsonFormat): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap(each => itemsOf(each, format))
  const own = format.pageItems?.(value)
  if (own) return own
  const lists = format.lists.map(path => valuesAt(value, path)).filter(list => list !== undefined)
  return lists.length > 0 ? lists.flat() : [value]
}

export async function* joined(first: readonly string[], rest: AsyncIterator<string>) {
  yield* first
  for (;;) {
    const { done, value } = await rest.next()
    if (done) return
    yield value
  }
}

/** Reads the beginning of a text: at most 16,777,216 characters, less if it has lines. */
const headOf = async (texts: AsyncIterator<string>): Promise<{ head: string; isWhole: boolean }> => {
  let head = ''
  let checked = 0
  for (;;) {
    const { done, value } = await texts.next()
    if (done) return { head, isWhole: true }
    head += value
    // The check parses a line, so it must not run for each chunk.
    if (head.length > ITEM_MAX || (head.length > 2 * checked && /\n[^\n]*\n/.test(head.trimStart()))) {
      if (head.length > ITEM_MAX || hasLines(head)) return { head, isWhole: false }
      checked = head.length
    }
  }
}

/**
 * Parses the items of a JSON text: of a document those of its lists, else the values of its lines. Positions are lines,
 * or numbers of items.
 */
async function* jsonValues(
  texts: AsyncIterable<string>,
  format: JsonFormat,
): AsyncGenerator<JsonValue, void, undefined> {
  const source = texts[Symbol.asyncIterator]()
  const { head, isWhole } = await headOf(source)
  if (hasLines(head)) {
    for await (const { at, ...line } of lineValues(linesOf(joined([head], source))))
      if ('value' in line) for (const value of itemsOf(line.value, format)) yield { at, value }
      else yield { at, ...line }
    return
  }
  let at = 0
  if (isWhole) {
    let root: unknown
    try {
      root = parseExact(head)
    } catch {
      // The items before the fault are read below.
    }
    if (root !== undefined) {
      for (const value of itemsOf(root, format)) yield { at: ++at, value }
      return
    }
  }
  const paths = head.trimStart().startsWith('[') ? ['$.*'] : [...format.lists]
  const values = pathValues(joined([head], source), paths)
  for (;;) {
    const { done, value: found } = await values.next()
    if (done) {
      if (found === 'cut') yield { at: at + 1, fault: 'cut-file' }
      else if (found === 'broken') yield { at: at + 1, fault: 'broken-line' }
      return
    }
    for (const value of itemsOf(found.value, format)) yield { at: ++at, value }
  }
}

/** Returns the item of a result. Its values are not limited yet. */
export const itemOf = (result: ItemResult, at: number, warnings: ReadonlySet<Warning>): Item => {
  if ('skipped' in result)
    return { skipped: result.skipped, line: at, ...(result.detail && { detail: result.detail }) }
  const { timed, partial, ...record } = result
  return {
    ...record,
    at,
    ...(timed && { timed }),
    ...(partial && { partial }),
    ...(warnings.size > 0 && { warnings: [...warnings] }),
  } as Item
}

/**
 * Reads a JSON file as it arrives.
 * @param texts with line ends `\n`
 * @throws RefusedError for a line or an item above 16,777,216 characters
 */
export async function* readJson(
  texts: AsyncIterable<string>,
  format: JsonFormat,
  answers: Answers,
): AsyncGenerator<Item, void, undefined> {
  for await (const found of jsonValues(texts, format)) {
    const { at } = found
    if ('fault' in found) {
      yield found.fault === 'cut-file'
        ? { warning: 'cut-file', line: at }
        : { skipped: 'broken-line', line: at }
      continue
    }
    const warnings = new Set<Warning>()
    const origin = { fetched: answers.file_time, by: format.by }
    const { value } = found
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const result: ItemResult = isObject
      ? format.read(value, { answers, origin, warnings })
      : { skipped: 'not-an-item' }
    yield itemOf(result, at, warnings)
  }
}
