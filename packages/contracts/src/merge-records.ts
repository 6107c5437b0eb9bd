import { LIMITS } from './limits.js'
import type { RecordOf } from './record-schemas.js'
import type { Source } from './vocabulary.js'

/**
 * Origin of an observation of a post: the collector, an import with collection times, an import without them, or a
 * notice of removal.
 */
export type Origin = 'collector' | 'import' | 'untimed' | 'notice'
const TRUST: Record<Origin, number> = { collector: 3, import: 2, untimed: 1, notice: 0 }

/** Time (milliseconds since 1970) and origin of an observation. */
export interface SeenAt {
  at: number
  by: Origin
}

/** Observations of the values of a record: `base`, except for the paths of `others`. */
export interface SeenValues {
  base: SeenAt
  others: (SeenAt & { path: string[] })[]
}

/** A record with the observations of its values. Without `seen`, all values have the observation of the record. */
export interface SeenRecord<R = RecordOf[Source]> {
  record: R
  seen?: SeenValues | undefined
}

/** Rank of a value of a field: the greater list of numbers wins, compared number by number. */
type Order = (value: unknown, seen: SeenAt) => number[]

const hasValue = (value: unknown): boolean =>
  value !== null && value !== undefined && (Array.isArray(value) ? value.length > 0 : value !== '')
const filled = (value: unknown): number => Number(hasValue(value))
const isTimed = ({ by }: SeenAt): number => Number(TRUST[by] >= TRUST.import)
const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : 0)
const hashedIn = (value: unknown): number =>
  Array.isArray(value) ? value.filter(each => each?.sha256 || each?.phash).length : 0

/**
 * Rules by which two observations of one post merge: the first rule that matches a field ranks its two values, and the
 * greater one wins. A rank depends only on the value and its observation, so that the order of merges does not change
 * the result. Of values with equal rank the stored one remains. A filled value precedes an empty one in all rules.
 */
export const MERGE_RULES: readonly { fields: RegExp; wins: string; why: string; order: Order }[] = [
  {
    fields: /^collector_metadata\.fetch_timestamp$/,
    wins: 'the latest, if its origin states it',
    why: 'a record has the age of the last observation of its post; a removal notice is not an observation',
    order: (_, seen) => [TRUST[seen.by] === TRUST.notice ? 0 : 1, isTimed(seen), seen.at],
  },
  {
    fields: /^context\.removed\.first_seen$/,
    wins: 'the earliest',
    why: 'the post was removed before that',
    order: value => [filled(value), -timeIn(value)],
  },
  {
    fields: /^context\.removed\.last_seen$/,
    wins: 'the latest',
    why: 'a post that was collected after it is back',
    order: value => [filled(value), timeIn(value)],
  },
  {
    fields: /^context\.edited$/,
    wins: 'true',
    why: 'an edit is never undone',
    order: (value, seen) => [Number(value === true), filled(value), TRUST[seen.by], seen.at],
  },
  {
    fields: /(_count|^author\.(followers|following|posts)|^(context\.)?metrics)$/,
    wins: 'the latest, from any origin that states its time',
    why: 'counts change over time, and have no meaning without one',
    order: (value, seen) => [filled(value), isTimed(seen), seen.at, TRUST[seen.by]],
  },
  {
    fields: /^(telegram\.attachments|(context\.)?media)$/,
    wins: 'the collector before imports, then the list with more hashes, then the latest',
    why: 'hashes are evidence, and a page whose pictures could not be read has none',
    order: (value, seen) => [filled(value), TRUST[seen.by], hashedIn(value), seen.at],
  },
  {
    fields: /^/,
    wins: 'the collector before imports, then the latest',
    why: 'the collector saw the page; a page that leaves a field out does not deny it. Lists are kept as a whole, image hashes by URL',
    order: (value, seen) => [filled(value), TRUST[seen.by], seen.at],
  },
]

/** Objects with any keys, and their maximum numbers of entries. */
const OPEN: Readonly<Record<string, number>> = {
  imageHashes: LIMITS.imageHashesMax,
  metrics: LIMITS.metricsMax,
  'context.metrics': LIMITS.metricsMax,
}
/** Returns the field of a value, which the rules name: of an object with any keys the object itself. */
const fieldOf = (path: readonly string[]): string => {
  const group = path.slice(0, -1).join('.')
  return Object.hasOwn(OPEN, group) ? group : path.join('.')
}

const orders = new Map<string, Order>()
const orderOf = (path: readonly string[]): Order => {
  const field = fieldOf(path)
  const known = orders.get(field)
  if (known) return known
  const { order } = MERGE_RULES.find(({ fields }) => fields.test(field)) as (typeof MERGE_RULES)[number]
  orders.set(field, order)
  return order
}

/** Compares two lists of numbers of one length. */
const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const [n, value] of a.entries()) if (value !== b[n]) return value - (b[n] ?? 0)
  return 0
}

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Returns an object with any keys: unlike an assignment, also `__proto__`. */
const treeOf = (entries: Iterable<readonly [string, unknown]>): Tree => Object.fromEntries(entries)

const keyOf = (path: readonly string[]): string => JSON.stringify(path)
const isEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** Returns whether a record comes from a file, as its source states. */
export const isImported = ({ collector_metadata: { source } }: RecordOf[Source]): boolean =>
  source.startsWith('import:')

/** Fields of a notice of removal: identity of the post, and times of the removal. */
const OF_NOTICES =
  /^(collector_metadata\..*|main\.video_id|author\.author_unique_id|telegram\.post\.(url|id)|telegram\.channel\.(username|platform)|metadata\.(canonical|og_url)|post\.(platform|id|type|url)|context\.removed\..*)$/

function* leavesOf(tree: Tree, path: string[] = []): Generator<[path: string[], value: unknown]> {
  for (const [key, value] of Object.entries(tree)) {
    const inner = [...path, key]
    if (isTree(value)) yield* leavesOf(value, inner)
    else yield [inner, value]
  }
}

/** Returns whether a record states only that its post was removed. */
export const isRemovalNotice = (record: RecordOf[Source]): boolean =>
  Boolean(record.context?.removed) &&
  [...leavesOf(record as unknown as Tree)].every(
    ([path, value]) => !hasValue(value) || OF_NOTICES.test(path.join('.')),
  )

/**
 * Returns a record as one observation.
 * @param timed whether its origin states when it was collected; otherwise it only fills empty fields of other
 *   observations
 */
export const observed = <R extends RecordOf[Source]>(record: R, timed = true): SeenRecord<R> => {
  const by = isRemovalNotice(record)
    ? 'notice'
    : !timed
      ? 'untimed'
      : isImported(record)
        ? 'import'
        : 'collector'
  const at = Date.parse(record.collector_metadata.fetch_timestamp)
  return { record, seen: { base: { at, by }, others: [] } }
}

const seenIn = (held: SeenRecord): ((path: readonly string[]) => SeenAt) => {
  const { base, others } = held.seen ?? (observed(held.record).seen as SeenValues)
  if (others.length === 0) return () => base
  const byPath = new Map(others.map(({ path, at, by }) => [keyOf(path), { at, by }]))
  return path => byPath.get(keyOf(path)) ?? base
}

const isSame = (a: SeenAt, b: SeenAt): boolean => a.at === b.at && a.by === b.by

/** Returns the observations in compact form: the most frequent one is the base. */
const packed = (leaves: readonly (readonly [path: string[], seen: SeenAt])[]): SeenValues => {
  const counts: { seen: SeenAt; count: number }[] = []
  for (const [, seen] of leaves) {
    const known = counts.find(each => isSame(each.seen, seen))
    if (known) known.count++
    else counts.push({ seen, count: 1 })
  }
  const [most] = counts.sort((a, b) => b.count - a.count)
  const base: SeenAt = most?.seen ?? { at: 0, by: 'untimed' }
  return {
    base,
    others: leaves.flatMap(([path, seen]) => (isSame(seen, base) ? [] : [{ path, ...seen }])),
  }
}

/**
 * Returns when the collector last saw a record's post, in milliseconds since 1970; null if it is known from imports
 * only. The times that an import states are claims.
 */
export const witnessedAt = (held: SeenRecord): number | null => {
  const { base, others } = held.seen ?? (observed(held.record).seen as SeenValues)
  const times = [base, ...others].flatMap(({ at, by }) => (by === 'collector' ? [at] : []))
  return times.length > 0 ? Math.max(...times) : null
}

/**
 * Merges another observation of the same post into a stored record, by `MERGE_RULES`. Both have the same natural key.
 * Pure: order and number of merges do not change the result, and no filled field becomes empty. Of two observations by
 * one origin at one time the first remains. Of image hashes and of counts the highest ranks remain, up to their limits.
 * @returns the merged record; `changed`: whether one of its values differs from the stored one
 */
export const mergeRecords = <R extends RecordOf[Source]>(
  stored: SeenRecord<R>,
  incoming: SeenRecord<R>,
): SeenRecord<R> & { changed: boolean } => {
  const [seenStored, seenIncoming] = [seenIn(stored), seenIn(incoming)]
  let leaves: [path: string[], seen: SeenAt][] = []
  let changed = false

  const merge = (a: Tree, b: Tree, path: string[]): Tree => {
    const group = path.join('.')
    const max = Object.hasOwn(OPEN, group) ? OPEN[group] : undefined
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    const entries = keys.flatMap((key): [string, unknown][] => {
      const inner = [...path, key]
      const [left, right] = [
        Object.hasOwn(a, key) ? a[key] : undefined,
        Object.hasOwn(b, key) ? b[key] : undefined,
      ]
      if (isTree(left) || isTree(right)) {
        // A null group equals a group without values.
        if (!isTree(left)) changed = true
        return [[key, merge(isTree(left) ? left : {}, isTree(right) ? right : {}, inner)]]
      }
      const order = orderOf(inner)
      const wins =
        left === undefined ||
        (right !== undefined &&
          compare(order(right, seenIncoming(inner)), order(left, seenStored(inner))) > 0)
      const value = wins ? right : left
      if (value === undefined) return []
      if (wins && max === undefined && !isEqual(left, right)) changed = true
      leaves.push([inner, wins ? seenIncoming(inner) : seenStored(inner)])
      return [[key, value]]
    })
    const tree = max === undefined ? treeOf(entries) : inLimit(entries, path, max)
    // Entries beyond the limit are no change.
    if (max !== undefined && !isEqual(tree, a)) changed = true
    return tree
  }

  /** Limits the entries of an object: many versions of a page have more than a record may contain. */
  const inLimit = (entries: [string, unknown][], path: string[], max: number): Tree => {
    if (entries.length <= max) return treeOf(entries)
    const order = orderOf(path)
    const seen = new Map(leaves.map(([leaf, at]) => [keyOf(leaf), at]))
    const rank = ([key, value]: [string, unknown]) => order(value, seen.get(keyOf([...path, key])) as SeenAt)
    const ranked = [...entries].sort((a, b) => compare(rank(b), rank(a)) || (a[0] < b[0] ? -1 : 1))
    const dropped = new Set(ranked.slice(max).map(([key]) => keyOf([...path, key])))
    leaves = leaves.filter(([leaf]) => !dropped.has(keyOf(leaf)))
    return treeOf(entries.filter(([key]) => !dropped.has(keyOf([...path, key]))))
  }

  const merged = merge(
    stored.record as unknown as Tree,
    incoming.record as unknown as Tree,
    [],
  ) as unknown as R
  const seen = packed(leaves)
  return { record: merged, changed, ...(!isEqual(seen, observed(merged).seen) && { seen }) }
}
