import { setImmediate as breath } from 'node:timers/promises'
import { type Graph, type GraphLink, type GraphNode, LIMITS } from '@iodine/contracts'
import type { EdgeDoc } from '../models/edge.js'

/** What an edge adds to the graph. */
export type Said = Pick<
  EdgeDoc,
  'src' | 'subject' | 'verb' | 'object' | 'subject_key' | 'verb_key' | 'object_key' | 'count'
>

/** Most things are said in one source and spelling: sets and maps are made for the second alone. */
interface Counted {
  count: number
  source: string | null
  sources: Set<string> | null
}
interface CountedNode extends Counted {
  index: number
  type: GraphNode['type']
  key: string
  spelling: string
  spellings: Map<string, number> | null
}
interface CountedLink extends Counted {
  from: CountedNode
  to: CountedNode
}

const count = (item: Counted, { count, src }: Said): void => {
  item.count += count
  if (src === null || src === item.source) return
  if (item.source === null) item.source = src
  else {
    item.sources ??= new Set([item.source])
    item.sources.add(src)
  }
}

/** The most frequent spelling; among equals the first in code-unit order, so that the answer never depends on order. */
const labelOf = ({ spelling, spellings }: CountedNode): string => {
  let best = spelling
  let most = 0
  for (const [each, count] of spellings ?? [])
    if (count > most || (count === most && each < best)) [best, most] = [each, count]
  return best
}

const sourcesOf = ({ source, sources }: Counted): string[] =>
  sources ? [...sources].sort() : source === null ? [] : [source]

const idOf = ({ type, key }: CountedNode): string => `${type}:${key}`

const presentNode = (node: CountedNode): GraphNode => ({
  id: idOf(node),
  label: labelOf(node),
  type: node.type,
  count: node.count,
  sources: sourcesOf(node),
})
const presentLink = (link: CountedLink): GraphLink => ({
  source: idOf(link.from),
  target: idOf(link.to),
  type: link.from.type === 'entity' ? 'subject_to_verb' : 'verb_to_object',
  count: link.count,
  sources: sourcesOf(link),
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const strongerNode = (a: CountedNode, b: CountedNode) =>
  b.count - a.count || compare(a.type, b.type) || compare(a.key, b.key)
const strongerLink = (a: CountedLink, b: CountedLink) =>
  b.count - a.count ||
  compare(a.from.type, b.from.type) ||
  compare(a.from.key, b.from.key) ||
  compare(a.to.key, b.to.key)

/** Items looked at, or written, before others get a turn. */
const SLICE = 10_000
const CHUNK = 1_000

/** The first `limit` items in an order, without sorting all of them. */
const first = async <T>(
  items: Iterable<T>,
  limit: number,
  order: (a: T, b: T) => number,
  wanted: (item: T) => boolean = () => true,
): Promise<T[]> => {
  let kept: T[] = []
  let last: T | undefined
  let seen = 0
  const cut = () => {
    kept = kept.sort(order).slice(0, limit)
    if (kept.length === limit) last = kept.at(-1)
  }
  for (const item of items) {
    if (++seen % SLICE === 0) await breath()
    if (!wanted(item) || (last !== undefined && order(item, last) > 0)) continue
    if (kept.push(item) >= 2 * limit) cut()
  }
  cut()
  return kept
}

/** A link's place in the map: both indices in one whole number, exact up to 2^26 nodes. */
const INDEX_RANGE = 2 ** 26

/** What edges are summed up in: each is added as it is read, so that only the graph itself is held. */
export const createGraphSum = () => {
  const nodes: CountedNode[] = []
  const byKey = { entity: new Map<string, CountedNode>(), verb: new Map<string, CountedNode>() }
  const links = new Map<number, CountedLink>()

  const countNode = (type: GraphNode['type'], key: string, spelling: string, edge: Said): CountedNode => {
    let node = byKey[type].get(key)
    if (!node) {
      node = {
        count: 0,
        source: null,
        sources: null,
        index: nodes.length,
        type,
        key,
        spelling,
        spellings: null,
      }
      byKey[type].set(key, node)
      nodes.push(node)
    }
    if (node.spellings || spelling !== node.spelling) {
      node.spellings ??= new Map([[node.spelling, node.count]])
      node.spellings.set(spelling, (node.spellings.get(spelling) ?? 0) + edge.count)
    }
    count(node, edge)
    return node
  }
  const countLink = (from: CountedNode, to: CountedNode, edge: Said): void => {
    const place = from.index * INDEX_RANGE + to.index
    let link = links.get(place)
    if (!link) {
      link = { count: 0, source: null, sources: null, from, to }
      links.set(place, link)
    }
    count(link, edge)
  }

  return {
    add(edge: Said): void {
      const subject = countNode('entity', edge.subject_key, edge.subject, edge)
      const verb = countNode('verb', edge.verb_key, edge.verb, edge)
      const object = countNode('entity', edge.object_key, edge.object, edge)
      countLink(subject, verb, edge)
      countLink(verb, object, edge)
    },
    /**
     * The graph as pieces of JSON, so that no graph is too large. Without a limit everything, the strongest first; with
     * one the strongest nodes (ids breaking ties), the strongest links among them, and totals.
     */
    async *json(sources: readonly string[], limit?: number): AsyncGenerator<string> {
      let shownNodes: Iterable<CountedNode>
      let shownLinks: Iterable<CountedLink>
      let totals: Graph['totals']
      if (limit === undefined) {
        shownNodes = nodes.sort((a, b) => b.count - a.count)
        shownLinks = [...links.values()].sort((a, b) => b.count - a.count)
      } else {
        shownNodes = await first(nodes, limit, strongerNode)
        const shown = new Set(shownNodes)
        const ends = ({ from, to }: CountedLink) => shown.has(from) && shown.has(to)
        shownLinks = await first(links.values(), limit * LIMITS.graphLinksPerNode, strongerLink, ends)
        const [entities, verbs] = [byKey.entity.size, byKey.verb.size]
        totals = { entities, verbs, nodes: entities + verbs, links: links.size }
      }
      yield '{"nodes":['
      yield* jsonList(shownNodes, presentNode)
      yield '],"links":['
      yield* jsonList(shownLinks, presentLink)
      yield `],"sources":${JSON.stringify(sources)}${totals ? `,"totals":${JSON.stringify(totals)}` : ''}}`
    },
  }
}

function* jsonList<T>(items: Iterable<T>, present: (item: T) => unknown): Generator<string> {
  let texts: string[] = []
  let separator = ''
  for (const item of items) {
    if (texts.push(JSON.stringify(present(item))) < CHUNK) continue
    yield separator + texts.join(',')
    texts = []
    separator = ','
  }
  if (texts.length > 0) yield separator + texts.join(',')
}
