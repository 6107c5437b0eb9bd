import type { Graph, GraphLink, GraphNode } from '@iodine/contracts'
import type { EdgeDoc } from '../models/edge.js'

interface Counted {
  count: number
  sources: Set<string>
}
type CountedNode = Counted & { type: GraphNode['type']; spellings: Map<string, number> }
type CountedLink = Counted & Pick<GraphLink, 'source' | 'target' | 'type'>

/** The most frequent spelling; among equals the first in code-unit order, so that the answer never depends on order. */
const label = (spellings: Map<string, number>): string => {
  let best = ''
  let most = 0
  for (const [spelling, count] of spellings)
    if (count > most || (count === most && spelling < best)) [best, most] = [spelling, count]
  return best
}

const sorted = (sources: Set<string>): string[] => [...sources].sort()

/** What edges are summed up in: each is added as it is read, so that only the graph itself is held. */
export const createGraphSum = () => {
  const nodes = new Map<string, CountedNode>()
  const links = new Map<string, CountedLink>()

  const countNode = (
    type: GraphNode['type'],
    key: string,
    spelling: string,
    { count, src }: EdgeDoc,
  ): string => {
    const id = `${type}:${key}`
    const node = nodes.get(id) ?? { type, count: 0, sources: new Set(), spellings: new Map() }
    nodes.set(id, node)
    node.count += count
    node.spellings.set(spelling, (node.spellings.get(spelling) ?? 0) + count)
    if (src !== null) node.sources.add(src)
    return id
  }
  const countLink = (
    type: GraphLink['type'],
    source: string,
    target: string,
    { count, src }: EdgeDoc,
  ): void => {
    // No label holds a line break: white space is folded.
    const id = `${source}\n${target}`
    const link = links.get(id) ?? { type, source, target, count: 0, sources: new Set() }
    links.set(id, link)
    link.count += count
    if (src !== null) link.sources.add(src)
  }

  return {
    add(edge: EdgeDoc): void {
      const subject = countNode('entity', edge.subject_key, edge.subject, edge)
      const verb = countNode('verb', edge.verb_key, edge.verb, edge)
      const object = countNode('entity', edge.object_key, edge.object, edge)
      countLink('subject_to_verb', subject, verb, edge)
      countLink('verb_to_object', verb, object, edge)
    },
    /** Strongest first, ids breaking ties. */
    present(sources: Set<string>): Graph {
      const byCount =
        <T extends { count: number }>(id: (item: T) => string) =>
        (a: T, b: T) =>
          b.count - a.count || (id(a) < id(b) ? -1 : 1)
      return {
        nodes: [...nodes]
          .map(([id, node]) => ({
            id,
            label: label(node.spellings),
            type: node.type,
            count: node.count,
            sources: sorted(node.sources),
          }))
          .sort(byCount(node => node.id)),
        links: [...links.values()]
          .map(link => ({ ...link, sources: sorted(link.sources) }))
          .sort(byCount(link => `${link.source}\n${link.target}`)),
        sources: sorted(sources),
      }
    },
  }
}
