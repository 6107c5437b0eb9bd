import { GRAPH } from './constants'
import type { Frame } from './frame'

/** Nodes per filled path in a drawing with a margin. */
const PATH_NODES = 5_000
const FADED = 0.3
/** Radius on screen, in pixels, below which nodes are squares without an outline. */
const ROUND_FROM = 2.2
const OUTLINE_FROM = 4

/** Draws the nodes, and yields between parts that take a few milliseconds each. */
export function* paintNodes(frame: Frame) {
  const { ctx, shape, palette, positions, view, related } = frame
  if (related) {
    ctx.globalAlpha = FADED
    for (const [kind, color] of palette.nodes.entries())
      yield* fillNodes(frame, color, node => shape.nodeKinds[node] === kind && !related[node])
    ctx.globalAlpha = 1
  }
  for (const [kind, color] of palette.nodes.entries())
    yield* fillNodes(
      frame,
      color,
      node => shape.nodeKinds[node] === kind && (!related || related[node] === 1),
    )
  if (view.selected >= 0) yield* fillNodes(frame, palette.selected, node => node === view.selected)
  ctx.strokeStyle = palette.text
  ctx.lineWidth = 2 / view.camera.k
  for (const node of view.pinned) {
    if (view.visible && !view.visible[node]) continue
    ctx.beginPath()
    ctx.arc(positions[node * 2]!, positions[node * 2 + 1]!, shape.radii[node]!, 0, 2 * Math.PI)
    ctx.stroke()
  }
}

function* fillNodes(frame: Frame, color: string, wanted: (node: number) => boolean) {
  const { ctx, shape, palette, positions, view, margin, drawn, radiusMin } = frame
  const { left, top, right, bottom } = drawn
  const { camera, visible } = view
  const least = radiusMin / camera.k
  ctx.fillStyle = color
  ctx.strokeStyle = palette.ground
  ctx.lineWidth = 1.5 / camera.k
  const chosen: number[] = []
  for (let node = 0; node < shape.nodeCount; node++) {
    if (visible && !visible[node]) continue
    const x = positions[node * 2]!
    const y = positions[node * 2 + 1]!
    const radius = Math.max(shape.radii[node]!, least)
    if (x + radius < left || x - radius > right || y + radius < top || y - radius > bottom) continue
    if (wanted(node)) chosen.push(node)
  }
  // Strokes all outlines first, so that no outline covers a node.
  const outlined = camera.k * GRAPH.nodeRelativeSize > OUTLINE_FROM
  // Overlapping paths change the shade of translucent nodes, and the edges of opaque ones.
  const inPath = margin === 0 || ctx.globalAlpha < 1 ? chosen.length : PATH_NODES
  for (const use of outlined ? (['stroke', 'fill'] as const) : (['fill'] as const))
    for (let from = 0; from < chosen.length; from += inPath) {
      ctx.beginPath()
      for (const node of chosen.slice(from, from + inPath)) trace(frame, node, least)
      ctx[use]()
      yield
    }
}

function trace({ ctx, shape, positions, view }: Frame, node: number, least: number) {
  const x = positions[node * 2]!
  const y = positions[node * 2 + 1]!
  const radius = Math.max(shape.radii[node]!, least)
  if (radius * view.camera.k < ROUND_FROM) {
    ctx.rect(x - radius, y - radius, 2 * radius, 2 * radius)
  } else {
    ctx.moveTo(x + radius, y)
    ctx.arc(x, y, radius, 0, 2 * Math.PI)
  }
}
