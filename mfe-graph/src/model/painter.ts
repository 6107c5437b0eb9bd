import { GRAPH } from './constants'
import { createLabelPainter } from './labels'
import { neighbourhood, type Shape } from './network'
import type { Context, Palette, Scene, View } from './scene'

/** With more links than this, links are paler; zoomed out, they are also thin and without arrows. */
export const DENSE_LINKS = 2_500
const DENSE_ZOOM = 0.55
const THIN_WIDTH = 0.7
const DENSE_ALPHA = 0.4
/** Links per stroked path: longer paths cost more per link. */
const PATH_LINKS = 1_000
/** Nodes per filled path in a drawing with a margin. */
const PATH_NODES = 5_000
const ARROW_HALF_WIDTH = GRAPH.arrowLength / 1.6
const FADED = 0.18
const FADED_NODE = 0.3
/** Radius on screen, in pixels, below which nodes are squares without an outline. */
const ROUND_FROM = 2.2
const MANY_NODES = 1_000
const OUTLINE_FROM = 4

interface Batch {
  color: string
  width: number
  links: Uint32Array
}

/**
 * Draws a scene. `positions` contains interleaved x and y of the nodes. `margin` is the width of a drawn strip around
 * the view, in device pixels, for which the canvas must have room. A margin slightly changes the shades of edges.
 */
export interface Painter {
  /** Draws links and nodes, and yields between parts that take a few milliseconds each. */
  ground: (ctx: Context, positions: Float32Array, view: View, margin: number) => Generator<void, void>
  /** Draws the labels in view over links and nodes. */
  names: (ctx: Context, positions: Float32Array, view: View) => void
  /** Clears the canvas and draws links, nodes and labels. */
  whole: (ctx: Context, positions: Float32Array, view: View) => void
}

/** Creates a painter, and precomputes the data common to all frames of a scene. */
export function createPainter(scene: Scene, palette: Palette): Painter {
  const { shape } = scene
  const batches = batchesOf(shape, palette)
  /** Minimum radius on screen; a small graph has room for larger nodes. */
  const radiusMin = shape.nodeCount > MANY_NODES ? 0.9 : 3
  let marked: { node: number; related: Uint8Array } | null = null
  const relatedOf = (node: number): Uint8Array | null => {
    if (node < 0) return null
    if (marked?.node !== node) marked = { node, related: neighbourhood(scene, node, 1) }
    return marked.related
  }
  const names = createLabelPainter(scene, palette, radiusMin, relatedOf)

  return {
    ground,
    names,
    whole: (ctx, positions, view) => {
      ctx.setTransform(1, 0, 0, 1, 0, 0)
      ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height)
      for (const _ of ground(ctx, positions, view, 0));
      names(ctx, positions, view)
    },
  }

  function* ground(ctx: Context, positions: Float32Array, view: View, margin: number) {
    const { camera, selected, visible } = view
    const scale = view.pixelRatio * camera.k
    ctx.setTransform(
      scale,
      0,
      0,
      scale,
      camera.x * view.pixelRatio + margin,
      camera.y * view.pixelRatio + margin,
    )
    const seen = {
      left: -camera.x / camera.k,
      top: -camera.y / camera.k,
      right: (view.width - camera.x) / camera.k,
      bottom: (view.height - camera.y) / camera.k,
    }
    const strip = margin / scale
    const left = seen.left - strip
    const top = seen.top - strip
    const right = seen.right + strip
    const bottom = seen.bottom + strip
    const related = relatedOf(selected)

    yield* paintLinks()
    yield* paintNodes()

    function* paintLinks() {
      const dense = shape.linkCount > DENSE_LINKS
      if (related) {
        const touches = (link: number) => shape.sources[link] === selected || shape.targets[link] === selected
        yield* paintThose(link => !touches(link), dense, FADED)
        yield* paintThose(touches, false, 1)
      } else if (!dense) {
        yield* paintThose(() => true, false, 1)
      } else if (camera.k < DENSE_ZOOM) {
        yield* paintThose(() => true, true, DENSE_ALPHA)
      } else {
        // Zoomed in: links without an end in view are drawn thin and pale.
        const inView = (node: number) => {
          const x = positions[node * 2]!
          const y = positions[node * 2 + 1]!
          return x > seen.left && x < seen.right && y > seen.top && y < seen.bottom
        }
        const ends = (link: number) => inView(shape.sources[link]!) || inView(shape.targets[link]!)
        yield* paintThose(link => !ends(link), true, FADED)
        yield* paintThose(ends, false, DENSE_ALPHA)
      }
      ctx.globalAlpha = 1
      if (view.selectedLink >= 0) paintSelectedLink(view.selectedLink)
    }

    function paintSelectedLink(link: number) {
      const source = shape.sources[link]!
      const target = shape.targets[link]!
      ctx.strokeStyle = palette.selected
      ctx.lineWidth = (shape.widths[link]! + 2) / camera.k
      ctx.beginPath()
      ctx.moveTo(positions[source * 2]!, positions[source * 2 + 1]!)
      ctx.lineTo(positions[target * 2]!, positions[target * 2 + 1]!)
      ctx.stroke()
    }

    function* paintThose(wanted: (link: number) => boolean, thin: boolean, alpha: number) {
      ctx.globalAlpha = alpha
      // Links have the same width in screen pixels at every zoom.
      const unit = 1 / camera.k
      for (const batch of batches) {
        const width = (thin ? THIN_WIDTH : batch.width) * unit
        const arrow = thin || !shape.directed ? 0 : GRAPH.arrowLength * unit
        const arrowHalf = Math.max(ARROW_HALF_WIDTH, batch.width * 0.9) * unit
        ctx.strokeStyle = batch.color
        ctx.fillStyle = batch.color
        ctx.lineWidth = width
        const arrows: number[] = []
        let inPath = 0
        ctx.beginPath()
        for (const link of batch.links) {
          const source = shape.sources[link]!
          const target = shape.targets[link]!
          if (visible && !(visible[source] && visible[target])) continue
          let x1 = positions[source * 2]!
          let y1 = positions[source * 2 + 1]!
          let x2 = positions[target * 2]!
          let y2 = positions[target * 2 + 1]!
          if (x1 < left && x2 < left) continue
          if (x1 > right && x2 > right) continue
          if (y1 < top && y2 < top) continue
          if (y1 > bottom && y2 > bottom) continue
          if (!wanted(link)) continue
          if (arrow > 0) {
            const dx = x2 - x1
            const dy = y2 - y1
            const length = Math.sqrt(dx * dx + dy * dy) || 1
            const ux = dx / length
            const uy = dy / length
            const aside = shape.offsets[link]! * unit
            x1 -= uy * aside
            y1 += ux * aside
            const tip = Math.max(shape.radii[target]!, radiusMin * unit) / length
            x2 = x2 - uy * aside - dx * tip
            y2 = y2 + ux * aside - dy * tip
            arrows.push(x2, y2, ux, uy)
            x2 -= ux * arrow
            y2 -= uy * arrow
          }
          ctx.moveTo(x1, y1)
          ctx.lineTo(x2, y2)
          inPath++
          if (inPath === PATH_LINKS) {
            ctx.stroke()
            yield
            ctx.beginPath()
            inPath = 0
          }
        }
        ctx.stroke()
        if (arrows.length === 0) continue
        ctx.beginPath()
        for (let at = 0; at < arrows.length; at += 4) {
          const x = arrows[at]!
          const y = arrows[at + 1]!
          const ux = arrows[at + 2]!
          const uy = arrows[at + 3]!
          ctx.moveTo(x, y)
          ctx.lineTo(x - ux * arrow - uy * arrowHalf, y - uy * arrow + ux * arrowHalf)
          ctx.lineTo(x - ux * arrow + uy * arrowHalf, y - uy * arrow - ux * arrowHalf)
        }
        ctx.fill()
      }
    }

    function* paintNodes() {
      if (related) {
        ctx.globalAlpha = FADED_NODE
        for (const [kind, color] of palette.nodes.entries())
          yield* fillNodes(color, node => shape.nodeKinds[node] === kind && !related[node])
        ctx.globalAlpha = 1
      }
      for (const [kind, color] of palette.nodes.entries())
        yield* fillNodes(color, node => shape.nodeKinds[node] === kind && (!related || related[node] === 1))
      if (selected >= 0) yield* fillNodes(palette.selected, node => node === selected)
      ctx.strokeStyle = palette.text
      ctx.lineWidth = 2 / camera.k
      for (const node of view.pinned) {
        if (visible && !visible[node]) continue
        ctx.beginPath()
        ctx.arc(positions[node * 2]!, positions[node * 2 + 1]!, shape.radii[node]!, 0, 2 * Math.PI)
        ctx.stroke()
      }
    }

    function* fillNodes(color: string, wanted: (node: number) => boolean) {
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
          for (const node of chosen.slice(from, from + inPath)) trace(node, least)
          ctx[use]()
          yield
        }
    }

    function trace(node: number, least: number) {
      const x = positions[node * 2]!
      const y = positions[node * 2 + 1]!
      const radius = Math.max(shape.radii[node]!, least)
      if (radius * camera.k < ROUND_FROM) {
        ctx.rect(x - radius, y - radius, 2 * radius, 2 * radius)
      } else {
        ctx.moveTo(x + radius, y)
        ctx.arc(x, y, radius, 0, 2 * Math.PI)
      }
    }
  }
}

function batchesOf(shape: Shape, palette: Palette): Batch[] {
  const groups = new Map<number, number[]>()
  const kinds = palette.links.length
  for (let link = 0; link < shape.linkCount; link++) {
    const key = shape.widths[link]! * kinds + shape.linkKinds[link]!
    const group = groups.get(key)
    if (group) group.push(link)
    else groups.set(key, [link])
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([key, links]) => ({
      color: palette.links[key % kinds]!,
      width: Math.floor(key / kinds),
      links: Uint32Array.from(links),
    }))
}
