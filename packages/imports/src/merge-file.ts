import { naturalKey, type RecordOf, type Source } from '@iodine/contracts'
import { charsOf } from './chars-of.js'
import { read } from './read.js'
import { SeenKeys } from './seen-keys.js'
import type { Answers, Format, Item, RecordItem, Report } from './types.js'

/** Characters of the records that wait for a duplicate. */
const HELD_MAX = 4 * 2 ** 20
const LISTED_MAX = 100_000

const keyOf = ({ source, record }: RecordItem): string => {
  const key = naturalKey[source] as (record: RecordOf[Source]) => string
  return `${source} ${key(record)}`
}

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value with the fields that it lacks from another. Lists are taken as a whole. */
const filledFrom = (value: Tree, other: Tree): Tree => {
  const filled = new Map(Object.entries(value))
  for (const [key, theirs] of Object.entries(other)) {
    const own = filled.get(key)
    if (own === undefined) filled.set(key, theirs)
    else if (isTree(own) && isTree(theirs)) filled.set(key, filledFrom(own, theirs))
  }
  return Object.fromEntries(filled)
}

const fetchedAt = ({ record }: RecordItem) => Date.parse(record.collector_metadata.fetch_timestamp)

/**
 * Merges two items with one key: a whole one precedes a partial one, then the newer one, then the first; fields that it
 * lacks come from the other. Its position is that of the first.
 */
export const mergeItems = (first: RecordItem, second: RecordItem): RecordItem => {
  const isSecond =
    Boolean(first.partial) === Boolean(second.partial)
      ? fetchedAt(second) > fetchedAt(first)
      : Boolean(first.partial)
  const [winner, other] = isSecond ? [second, first] : [first, second]
  const record = filledFrom(winner.record as unknown as Tree, other.record as unknown as Tree)
  const also = { ...other.also, ...winner.also }
  const warnings = [...new Set([...(first.warnings ?? []), ...(second.warnings ?? [])])]
  return {
    ...winner,
    record: record as unknown as RecordItem['record'],
    at: first.at,
    ...(Object.keys(also).length > 0 && { also }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Records in the order of their first occurrence, merged by key, of bounded size. */
class Held {
  readonly #items = new Map<string, { item: RecordItem; size: number }>()
  /** Keys of records that have left. Of the oldest ones a later occurrence counts as a new record. */
  readonly #passed = new SeenKeys()
  #size = 0

  /** Adds an item. Returns whether its key occurred before. */
  add(item: RecordItem): boolean {
    const key = keyOf(item)
    const known = this.#items.get(key)
    const merged = known ? mergeItems(known.item, item) : item
    const size = charsOf(merged.record)
    this.#size += size - (known?.size ?? 0)
    this.#items.set(key, { item: merged, size })
    return known !== undefined || this.#passed.has(key)
  }

  /** Removes the oldest items until the others fit into a size. */
  *take(max: number): Generator<RecordItem> {
    for (const [key, { item, size }] of this.#items) {
      if (this.#size <= max) return
      this.#items.delete(key)
      this.#size -= size
      this.#passed.add(key)
      yield item
    }
  }
}

/** Counts the items of a file. */
class Counts {
  readonly report: Report = { records: 0, merged: 0, joined: 0, skipped: [], reasons: {}, warnings: [] }

  /** Counts an item. Returns it if it has a record. */
  add(item: Item): RecordItem | undefined {
    const { skipped, reasons, warnings } = this.report
    if ('skipped' in item) {
      reasons[item.skipped] = (reasons[item.skipped] ?? 0) + 1
      const { line, skipped: reason, detail } = item
      if (skipped.length < LISTED_MAX) skipped.push({ at: line, reason, ...(detail && { detail }) })
      return undefined
    }
    const found = 'warning' in item ? [item.warning] : (item.warnings ?? [])
    const at = 'warning' in item ? item.line : item.at
    for (const reason of found) if (warnings.length < LISTED_MAX) warnings.push({ at, reason })
    if ('warning' in item) return undefined
    this.report.joined += item.joined ?? 0
    return item
  }
}

/**
 * Reads a file and merges the items of one record: `yield`s the records in the order of their first occurrence and
 * returns the report.
 *
 * Memory is bounded for files of any size: at most 4,194,304 characters of records wait for a duplicate, and the keys
 * of the last 1,048,576 records before them are remembered. A record that occurs again after it has left is yielded again
 * with what the later item contains, and counts as merged: the server merges it by the same key.
 * @throws as `read`
 */
export async function* readMerged(
  stream: ReadableStream<Uint8Array>,
  format: Pick<Format, 'format'>,
  answers: Answers,
): AsyncGenerator<RecordItem, Report, undefined> {
  const counts = new Counts()
  const held = new Held()
  for await (const item of read(stream, format, answers)) {
    const found = counts.add(item)
    if (!found) continue
    if (held.add(found)) counts.report.merged += 1
    else counts.report.records += 1
    yield* held.take(HELD_MAX)
  }
  yield* held.take(-1)
  return counts.report
}
