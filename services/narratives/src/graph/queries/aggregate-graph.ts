import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { compareText, foldLabel, type GraphNode, LIMITS } from '@iodine/contracts'
import type { CanonMap } from '../../canon/queries/canon-map.js'
import { labelOf } from '../../label-of.js'
import type { EdgeDoc } from '../models/edge.js'
import { presentGraph } from '../presenters/graph-json.js'

/** The fields of an edge that the graph is summed from. */
export type EdgeCount = Pick<EdgeDoc, 'src' | 'subject' | 'verb' | 'object' | 'count'>

/** One object per source: sets compare objects by identity, which is faster than hashing long texts. */
interface Source {
  name: string
}

/** Most items have one source and one spelling: sets are allocated for the second only. */
interface CountedItem {
  count: number
  source: Source | null
  sources: Set<Source> | null
}
interface Spelling {
  node: CountedNode
  text: string
  count: number
  /** Whether the verb exchanges subject and object, in a canonical graph. */
  turned: boolean
}
interface CountedNode extends CountedItem {
  index: number
  type: GraphNode['type']
  key: string
  spellings: Spelling[]
}
interface CountedLink extends CountedItem {
  from: CountedNode
  to: CountedNode
}

const count = (item: CountedItem, source: Source | null, times: number): void => {
  item.count += times
  if (source === null || source === item.source) return
  if (item.source === null) item.source = source
  else if (item.sources) item.sources.add(source)
  else item.sources = new Set([item.source, source])
}

/** Returns a node's label, preferably one that is not turned. */
const nodeLabel = ({ spellings }: CountedNode): string => {
  const straight = spellings.filter(({ turned }) => !turned)
  const named = straight.length > 0 ? straight : spellings
  return labelOf(named.map(({ text, count }) => [text, count]))
}

const sourcesOf = ({ source, sources }: CountedItem): string => {
  const names = sources ? [...sources].map(({ name }) => name).sort() : source === null ? [] : [source.name]
  return JSON.stringify(names)
}

const idOf = ({ type, key }: CountedNode): string => `${type}:${key}`

const nodeOf = (node: CountedNode) => ({
  id: idOf(node),
  label: nodeLabel(node),
  count: node.count,
  sources: sourcesOf(node),
})
const linkOf = (link: CountedLink) => ({
  source: idOf(link.from),
  target: idOf(link.to),
  count: link.count,
  sources: sourcesOf(link),
})

const strongerNode = (a: CountedNode, b: CountedNode) =>
  b.count - a.count || compareText(a.type, b.type) || compareText(a.key, b.key)
const strongerLink = (a: CountedLink, b: CountedLink) =>
  b.count - a.count ||
  compareText(a.from.type, b.from.type) ||
  compareText(a.from.key, b.from.key) ||
  compareText(a.to.key, b.to.key)

/** Items processed between two yields to the event loop. */
const SLICE = 10_000

/** Returns the first `limit` items in an order, without sorting all items. */
const first = async <T>(
  items: Iterable<T>,
  limit: number,
  order: (a: T, b: T) => number,
  isSelected: (item: T) => boolean = () => true,
): Promise<T[]> => {
  let kept: T[] = []
  let last: T | undefined
  let seen = 0
  const cut = () => {
    kept = kept.sort(order).slice(0, limit)
    if (kept.length === limit) last = kept.at(-1)
  }
  for (const item of items) {
    if (++seen % SLICE === 0) await yieldToEventLoop()
    if (!isSelected(item) || (last !== undefined && order(item, last) > 0)) continue
    if (kept.push(item) >= 2 * limit) cut()
  }
  cut()
  return kept
}

/**
 * Returns all items by descending count, ties in insertion order. Uses a bucket sort in steps: sorting a million items
 * at once blocks the event loop.
 */
const strongestFirst = async <T extends CountedItem>(items: Iterable<T>): Promise<Iterable<T>> => {
  const byCount = new Map<number, T[]>()
  let seen = 0
  for (const item of items) {
    if (++seen % SLICE === 0) await yieldToEventLoop()
    const equals = byCount.get(item.count)
    if (equals) equals.push(item)
    else byCount.set(item.count, [item])
  }
  const counts = [...byCount.keys()].sort((a, b) => b - a)
  return (function* () {
    for (const each of counts) yield* byCount.get(each) ?? []
  })()
}

/** Returns the `limit` nodes with the highest counts, and the top links among them. */
const strongest = async (all: CountedNode[], allLinks: Iterable<CountedLink>, limit: number) => {
  const nodes = await first(all, limit, strongerNode)
  const shown = new Set(nodes)
  const ends = ({ from, to }: CountedLink) => shown.has(from) && shown.has(to)
  return { nodes, links: await first(allLinks, limit * LIMITS.graphLinksPerNode, strongerLink, ends) }
}

/** Factor that combines both node indices of a link into one integer key, exact up to 2^26 nodes. */
const INDEX_RANGE = 2 ** 26

/**
 * Creates an accumulator of edges, which holds only the graph in memory.
 * @param map clusters of a canonical graph; a cluster's node is named by its smallest key
 */
export const createGraphSum = (map?: CanonMap) => {
  const nodes: CountedNode[] = []
  const byKey = { entity: new Map<string, CountedNode>(), verb: new Map<string, CountedNode>() }
  const bySpelling = { entity: new Map<string, Spelling>(), verb: new Map<string, Spelling>() }
  const sourcesByName = new Map<string, Source>()
  const links = new Map<number, CountedLink>()

  const sourceOf = (name: string | null): Source | null => {
    if (name === null) return null
    let source = sourcesByName.get(name)
    if (!source) {
      source = { name }
      sourcesByName.set(name, source)
    }
    return source
  }
  const spell = (type: GraphNode['type'], text: string): Spelling => {
    const folded = foldLabel(text)
    const entry = map?.[type].get(folded)
    const key = entry?.group.smallest ?? folded
    let node = byKey[type].get(key)
    if (!node) {
      node = { count: 0, source: null, sources: null, index: nodes.length, type, key, spellings: [] }
      byKey[type].set(key, node)
      nodes.push(node)
    }
    const spelling = { node, text, count: 0, turned: entry?.turned ?? false }
    node.spellings.push(spelling)
    bySpelling[type].set(text, spelling)
    return spelling
  }
  const countNode = (
    type: GraphNode['type'],
    text: string,
    source: Source | null,
    times: number,
  ): Spelling => {
    const spelling = bySpelling[type].get(text) ?? spell(type, text)
    spelling.count += times
    count(spelling.node, source, times)
    return spelling
  }
  const countLink = (from: CountedNode, to: CountedNode, source: Source | null, times: number): void => {
    const pair = from.index * INDEX_RANGE + to.index
    let link = links.get(pair)
    if (!link) {
      link = { count: 0, source: null, sources: null, from, to }
      links.set(pair, link)
    }
    count(link, source, times)
  }

  return {
    add({ src, subject, verb, object, count: times }: EdgeCount): void {
      const source = sourceOf(src)
      const { node: first } = countNode('entity', subject, source, times)
      const { node: verbNode, turned } = countNode('verb', verb, source, times)
      const { node: second } = countNode('entity', object, source, times)
      countLink(turned ? second : first, verbNode, source, times)
      countLink(verbNode, turned ? first : second, source, times)
    },
    /**
     * Yields the graph as JSON chunks. Without a limit: all nodes and links, highest counts first. With a limit: the top nodes (ties by id), the top links among them, and totals.
     */
    async *json(sources: readonly string[], limit?: number): AsyncGenerator<string> {
      const [entities, verbs] = [byKey.entity.size, byKey.verb.size]
      const isLimited = limit !== undefined
      const shown = isLimited
        ? await strongest(nodes, links.values(), limit)
        : { nodes: await strongestFirst(nodes), links: await strongestFirst(links.values()) }
      const totals = isLimited ? { entities, verbs, nodes: entities + verbs, links: links.size } : undefined
      yield* presentGraph(shown.nodes, nodeOf, shown.links, linkOf, JSON.stringify(sources), totals)
    },
  }
}
