import { foldText, foldValue, type GraphLink, type GraphNode } from '@iodine/contracts'
import { GRAPH } from './constants'

/** A node to draw: an entity or verb of triplets, or an account. */
export interface DrawnNode {
  id: string
  label: string
  type: string
  count: number
  /** Determines the area, if the count does not. */
  size?: number
  sources: readonly string[]
}
export interface DrawnLink {
  source: string
  target: string
  type: string
  count: number
}
export interface Drawn<N extends DrawnNode = DrawnNode, L extends DrawnLink = DrawnLink> {
  nodes: readonly N[]
  links: readonly L[]
}
/** Types of nodes and links, in the order of their colours, and whether links are directed. */
export interface Kinds {
  nodes: readonly string[]
  links: readonly string[]
  directed: boolean
}
/** The kinds of triplets. */
export const TRIPLETS: Kinds = {
  nodes: ['entity', 'verb'],
  links: ['subject_to_verb', 'verb_to_object'],
  directed: true,
}

/** A graph's numbers in typed arrays, which are cheap to post to workers. Nodes and links are indices. */
export interface Shape {
  nodeCount: number
  linkCount: number
  /** Indices of the nodes' and links' types among the kinds. */
  nodeKinds: Uint8Array
  linkKinds: Uint8Array
  directed: boolean
  radii: Float32Array
  sources: Uint32Array
  targets: Uint32Array
  widths: Uint8Array
  /** Offset of a link to the left of its direction, which separates two opposite links of a pair. */
  offsets: Int8Array
}

export interface Neighbour {
  node: number
  /** Sum of the counts of all links between the two nodes. */
  count: number
}

/** A graph, indexed for layout, drawing and search. */
export interface Network<N extends DrawnNode = DrawnNode, L extends DrawnLink = DrawnLink> {
  nodes: readonly N[]
  links: readonly L[]
  indexOf: ReadonlyMap<string, number>
  labels: readonly string[]
  /** Nodes in descending order of count. */
  ranking: Uint32Array
  shape: Shape
}

export type TripletNetwork = Network<GraphNode, GraphLink>

const SIDE_BY_SIDE = 4

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** Returns the radius of a node: its area is proportional to its count. */
export const radiusOf = (count: number): number => Math.sqrt(Math.max(1, count)) * GRAPH.nodeRelativeSize
/** Returns the width of a link: twice its count, clamped. */
export const widthOf = (count: number): number =>
  clamp(count * GRAPH.linkWidthPerCount, GRAPH.linkWidthMin, GRAPH.linkWidthMax)

/**
 * Indexes a graph. Sorts nodes and links, so that the drawing does not depend on their order in the data. Omits links
 * with a missing node.
 */
export function createNetwork<N extends DrawnNode, L extends DrawnLink>(
  graph: Drawn<N, L>,
  kinds: Kinds = TRIPLETS,
): Network<N, L> {
  const nodes = [...graph.nodes].sort((a, b) => (a.id < b.id ? -1 : 1))
  const indexOf = new Map(nodes.map((node, index) => [node.id, index]))
  // A link's key encodes both ends in one number, because numbers sort faster than strings.
  const places = new Map<number, L>()
  for (const link of graph.links) {
    const source = indexOf.get(link.source)
    const target = indexOf.get(link.target)
    if (source !== undefined && target !== undefined) places.set(source * nodes.length + target, link)
  }
  const order = Float64Array.from(places.keys()).sort()
  const sources = Uint32Array.from(order, place => Math.floor(place / nodes.length))
  const targets = Uint32Array.from(order, place => place % nodes.length)
  const links = Array.from(order, place => places.get(place)!)

  const ranking = Uint32Array.from(nodes.keys()).sort(
    (a, b) => countOf(nodes[b]) - countOf(nodes[a]) || a - b,
  )
  return {
    nodes,
    links,
    indexOf,
    labels: nodes.map(node => node.label),
    ranking,
    shape: {
      nodeCount: nodes.length,
      linkCount: links.length,
      nodeKinds: Uint8Array.from(nodes, ({ type }) => Math.max(0, kinds.nodes.indexOf(type))),
      linkKinds: Uint8Array.from(links, ({ type }) => Math.max(0, kinds.links.indexOf(type))),
      directed: kinds.directed,
      radii: Float32Array.from(nodes, node => radiusOf(node.size ?? countOf(node))),
      sources,
      targets,
      widths: Uint8Array.from(links, link => widthOf(link.count ?? 1)),
      offsets: Int8Array.from(links, (_, link) =>
        places.has(targets[link]! * nodes.length + sources[link]!) ? SIDE_BY_SIDE : 0,
      ),
    },
  }
}

const countOf = (node: DrawnNode | undefined): number => node?.count ?? 1

/** Returns a node's neighbours, in descending order of their links' counts. */
export function neighboursOf({ shape, links }: Network, node: number): Neighbour[] {
  const counts = new Map<number, number>()
  for (let link = 0; link < shape.linkCount; link++) {
    const source = shape.sources[link]!
    const target = shape.targets[link]!
    if (source !== node && target !== node) continue
    const other = source === node ? target : source
    counts.set(other, (counts.get(other) ?? 0) + (links[link]?.count ?? 1))
  }
  return [...counts]
    .map(([other, count]) => ({ node: other, count }))
    .sort((a, b) => b.count - a.count || a.node - b.node)
}

/** Marks (1) the nodes at most `depth` links away from `node`, in either direction. */
export function neighbourhood({ shape }: Pick<Network, 'shape'>, node: number, depth: number): Uint8Array {
  const reached = new Uint8Array(shape.nodeCount)
  reached[node] = 1
  for (let step = 0; step < depth; step++) {
    const before = reached.slice()
    for (let link = 0; link < shape.linkCount; link++) {
      const source = shape.sources[link]!
      const target = shape.targets[link]!
      if (before[source] || before[target]) {
        reached[source] = 1
        reached[target] = 1
      }
    }
  }
  return reached
}

/** Returns nodes whose label contains `term`, ignoring case: prefix matches first, then by count. */
export function findNodes({ labels, ranking }: Network, term: string, limit: number): number[] {
  const sought = foldValue(term)
  if (!sought) return []
  const begins: number[] = []
  const holds: number[] = []
  for (const node of ranking) {
    const place = foldText(labels[node]!).indexOf(sought)
    if (place === 0) begins.push(node)
    else if (place > 0) holds.push(node)
    if (begins.length === limit) break
  }
  return [...begins, ...holds].slice(0, limit)
}
