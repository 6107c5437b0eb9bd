import type { Graph, GraphLink, GraphNode } from '@iodine/contracts'

/** An item whose `sources` is the JSON text of its list. */
type WithSources<T> = Omit<T, 'type' | 'sources'> & { sources: string }

const withSources = (item: object, sources: string): string =>
  `${JSON.stringify(item).slice(0, -1)},"sources":${sources}}`

export const isEntity = (id: string): boolean => id.startsWith('entity:')

const presentNode = ({ id, label, count, sources }: WithSources<GraphNode>): string =>
  withSources({ id, label, type: isEntity(id) ? 'entity' : 'verb', count }, sources)

const presentLink = ({ source, target, count, sources }: WithSources<GraphLink>): string => {
  const type = isEntity(source) ? 'subject_to_verb' : 'verb_to_object'
  return withSources({ source, target, type, count }, sources)
}

/** Items per chunk. */
const CHUNK = 1_000

/** Yields the items' JSON texts, separated by commas, in chunks. */
function* jsonList<T>(items: Iterable<T>, present: (item: T) => string): Generator<string> {
  let texts: string[] = []
  let separator = ''
  for (const item of items) {
    if (texts.push(present(item)) < CHUNK) continue
    yield separator + texts.join(',')
    texts = []
    separator = ','
  }
  if (texts.length > 0) yield separator + texts.join(',')
}

/**
 * Yields a graph as JSON chunks, because a large graph exceeds one string.
 * @param sources the JSON text of the list of all sources
 */
export async function* presentGraph<N, L>(
  nodes: Iterable<N>,
  nodeOf: (node: N) => WithSources<GraphNode>,
  links: Iterable<L>,
  linkOf: (link: L) => WithSources<GraphLink>,
  sources: string,
  totals?: Graph['totals'],
): AsyncGenerator<string> {
  yield '{"nodes":['
  yield* jsonList(nodes, node => presentNode(nodeOf(node)))
  yield '],"links":['
  yield* jsonList(links, link => presentLink(linkOf(link)))
  yield `],"sources":${sources}${totals ? `,"totals":${JSON.stringify(totals)}` : ''}}`
}
