import type { Types } from 'mongoose'
import { nodeIdsOf } from '../../narratives/models/narrative.js'
import type { EdgeDoc } from '../models/edge.js'
import { eachCount, orderOf, packCounts, type SumDoc, type SummedDoc, sumId } from '../models/sum.js'
import { isEntity } from '../presenters/graph-json.js'

/** Number of triplets to add for an edge. */
type EdgeDelta = Pick<EdgeDoc, 'src' | 'subject' | 'verb' | 'object'> & { times: number }

interface Item extends Pick<SumDoc, 'kind' | 'name' | 'to'> {
  count: number
  texts: Map<string, number>
  sources: Map<string, number>
}

/** Maximum bytes of an item's spellings and sources. With a larger item, the user has no sums. */
const ITEM_BYTES = 1_000_000

/** Thrown for an item that exceeds the size limit. */
export class TooLarge extends Error {}

const plus = <K>(counts: Map<K, number>, key: K, times: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + times)
}

const keyOf = ({ kind, name, to }: Pick<SumDoc, 'kind' | 'name' | 'to'>): string =>
  kind === 'link' ? `${name}\n${to}` : kind === 'source' ? `source:${name}` : name

/** Assigns an item to a pass by a cheap hash. */
const partOf = (key: string, parts: number): number => {
  let mixed = 0
  for (let at = 0; at < key.length; at++) mixed = (Math.imul(mixed, 31) + key.charCodeAt(at)) | 0
  return (mixed >>> 0) % parts
}

/** Creates a tally of edges by node, link and source. It contains only the items of one of `parts` parts. */
export const createTally = (part = 0, parts = 1) => {
  const items = new Map<string, Item>()
  const add = (
    kind: Item['kind'],
    name: string,
    to: string | undefined,
    src: string | null,
    times: number,
    text?: string,
  ) => {
    const key = keyOf({ kind, name, to })
    if (parts > 1 && partOf(key, parts) !== part) return
    let item = items.get(key)
    if (!item) {
      item = { kind, name, to, count: 0, texts: new Map(), sources: new Map() }
      items.set(key, item)
    }
    item.count += times
    if (text !== undefined) plus(item.texts, text, times)
    if (src !== null) plus(item.sources, src, times)
  }
  return {
    items,
    add({ src, subject, verb, object, times }: EdgeDelta): void {
      const { subject: from, verb: verbId, object: to } = nodeIdsOf({ subject, verb, object })
      add('node', from, undefined, src, times, subject)
      add('node', verbId, undefined, src, times, verb)
      add('node', to, undefined, src, times, object)
      add('link', from, verbId, src, times)
      add('link', verbId, to, src, times)
      if (src !== null) add('source', src, undefined, null, times)
    },
  }
}

/** Returns the total in `SummedDoc` that counts the items of this kind, if any. */
export const totalOf = ({ kind, name }: Pick<SumDoc, 'kind' | 'name'>) =>
  kind === 'link' ? 'links' : kind === 'source' ? null : isEntity(name) ? 'entities' : 'verbs'

/**
 * Returns the updated document of an item, or null if its count is zero.
 * @throws TooLarge
 */
export const changed = (
  before: SumDoc | undefined,
  item: Item,
  state: Pick<SummedDoc, '_id'> & { graph: Types.ObjectId },
  numberOf: (src: string) => number,
): SumDoc | null => {
  const count = (before?.count ?? 0) + item.count
  if (count === 0) return null
  const { kind, name, to } = item
  const doc: SumDoc = {
    _id: sumId(state.graph, keyOf(item)),
    user_id: state._id,
    graph: state.graph,
    kind,
    count,
    order: orderOf(name, to),
    name,
    ...(to !== undefined && { to }),
  }
  if (kind === 'source') return { ...doc, number: numberOf(name) }
  const sources = new Map<number, number>()
  eachCount(before?.sources, (number, times) => sources.set(number, times))
  for (const [src, times] of item.sources) plus(sources, numberOf(src), times)
  for (const [number, times] of sources) if (times === 0) sources.delete(number)
  if (sources.size > 0) doc.sources = packCounts(sources)
  if (kind === 'node') {
    const texts = new Map(before?.texts?.map((text, n) => [text, before.times?.[n] ?? 0]))
    for (const [text, times] of item.texts) plus(texts, text, times)
    for (const [text, times] of texts) if (times === 0) texts.delete(text)
    doc.texts = [...texts.keys()]
    doc.times = [...texts.values()]
  }
  const bytes = (doc.sources?.length ?? 0) + (doc.texts?.reduce((sum, text) => sum + text.length, 0) ?? 0)
  if (bytes > ITEM_BYTES) throw new TooLarge()
  return doc
}
