import { boundsOf } from './camera'
import { GRAPH } from './constants'
import type { Network } from './network'
import type { Palette } from './scene'

const PADDING = 40
const FONT_SIZE = 12

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
/** Escapes text for XML, and removes characters that XML 1.0 forbids. */
const xml = (text: string) =>
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, character => ENTITIES[character] as string)
/** Converts a colour such as '#2d72d2' to GEXF attributes. */
const rgb = (hex: string) => {
  const [r, g, b] = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16))
  return `r="${r}" g="${g}" b="${b}"`
}
const round = (value: number) => Math.round(value * 100) / 100

/** Returns the graph as GEXF 1.3, which Gephi opens with positions, sizes and colours. GEXF's y axis points up. */
export function toGexf({ nodes, links, shape }: Network, positions: Float32Array, palette: Palette): string {
  const rows = nodes.map(
    (node, index) =>
      `<node id="${xml(node.id)}" label="${xml(node.label)}"><attvalues><attvalue for="type" value="${xml(node.type)}"/>` +
      `<attvalue for="count" value="${node.count}"/><attvalue for="sources" value="${xml(node.sources.join('|'))}"/></attvalues>` +
      `<viz:position x="${round(positions[index * 2]!)}" y="${round(-positions[index * 2 + 1]!)}" z="0"/>` +
      `<viz:size value="${round(shape.radii[index]! * 2)}"/><viz:color ${rgb(palette.nodes[shape.nodeKinds[index]!]!)}/></node>`,
  )
  const edges = links.map(
    (link, index) =>
      `<edge id="${index}" source="${xml(link.source)}" target="${xml(link.target)}" weight="${link.count}">` +
      `<attvalues><attvalue for="type" value="${xml(link.type)}"/></attvalues></edge>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
<graph defaultedgetype="${shape.directed ? 'directed' : 'undirected'}" mode="static">
<attributes class="node"><attribute id="type" title="type" type="string"/><attribute id="count" title="count" type="integer"/><attribute id="sources" title="sources" type="string"/></attributes>
<attributes class="edge"><attribute id="type" title="type" type="string"/></attributes>
<nodes>
${rows.join('\n')}
</nodes>
<edges>
${edges.join('\n')}
</edges>
</graph>
</gexf>
`
}

/** Returns the graph as an SVG image at zoom 1, with a label under each node. */
export function toSvg({ nodes, links, shape }: Network, positions: Float32Array, palette: Palette): string {
  const box = boundsOf(positions, shape.radii) ?? { left: 0, top: 0, right: 0, bottom: 0 }
  const left = round(box.left - PADDING)
  const top = round(box.top - PADDING)
  const width = round(box.right - box.left + 2 * PADDING)
  const height = round(box.bottom - box.top + 2 * PADDING)
  const at = (node: number) => [positions[node * 2]!, positions[node * 2 + 1]!] as const
  const lines = links.map((_, link) => {
    const source = shape.sources[link]!
    const target = shape.targets[link]!
    const [x1, y1] = at(source)
    const [toX, toY] = at(target)
    const length = Math.hypot(toX - x1, toY - y1) || 1
    const tip = shape.directed ? shape.radii[target]! + GRAPH.arrowLength : 0
    const share = Math.max(0, 1 - tip / length)
    const kind = shape.linkKinds[link]!
    const end = shape.directed ? ` marker-end="url(#arrow${kind})"` : ''
    return (
      `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x1 + (toX - x1) * share)}" y2="${round(y1 + (toY - y1) * share)}" ` +
      `stroke="${palette.links[kind]}" stroke-width="${shape.widths[link]}"${end}/>`
    )
  })
  const circles = nodes.map((node, index) => {
    const [x, y] = at(index)
    const radius = shape.radii[index]!
    return (
      `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${palette.nodes[shape.nodeKinds[index]!]}"/>` +
      `<text x="${round(x)}" y="${round(y + radius + FONT_SIZE)}">${xml(node.label)}</text>`
    )
  })
  const marker = (id: string, color: string) =>
    `<marker id="${id}" viewBox="0 0 6 8" refX="0" refY="4" markerUnits="userSpaceOnUse" markerWidth="${GRAPH.arrowLength}" markerHeight="8" orient="auto"><path d="M0 0 6 4 0 8z" fill="${color}"/></marker>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">
<defs>${palette.links.map((color, kind) => marker(`arrow${kind}`, color)).join('')}</defs>
<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${palette.ground}"/>
<g>${lines.join('')}</g>
<g font-family="${xml(palette.font)}" font-size="${FONT_SIZE}" text-anchor="middle" fill="${palette.text}">${circles.join('')}</g>
</svg>
`
}
