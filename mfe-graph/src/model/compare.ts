import type { Graph } from '@iodine/contracts'

const sameTexts = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index])

/** Returns whether two graphs are equal, order included. Faster than a comparison of their JSON. */
export const sameGraph = (a: Graph, b: Graph): boolean =>
  a.nodes.length === b.nodes.length &&
  a.links.length === b.links.length &&
  a.totals?.nodes === b.totals?.nodes &&
  a.totals?.links === b.totals?.links &&
  sameTexts(a.sources, b.sources) &&
  a.nodes.every((node, index) => {
    const other = b.nodes[index]!
    return (
      node.id === other.id &&
      node.label === other.label &&
      node.count === other.count &&
      sameTexts(node.sources, other.sources)
    )
  }) &&
  a.links.every((link, index) => {
    const other = b.links[index]!
    return (
      link.source === other.source &&
      link.target === other.target &&
      link.count === other.count &&
      sameTexts(link.sources, other.sources)
    )
  })
