import { GRAPH } from './constants'
import type { Frame } from './frame'
import type { Shape } from './network'
import type { Context, Palette } from './scene'

/** With more links than this, links are paler; zoomed out, they are also thin and without arrows. */
export const DENSE_LINKS = 2_500
const DENSE_ZOOM = 0.55
const THIN_WIDTH = 0.7
const DENSE_ALPHA = 0.4
/** Links per stroked path: longer paths cost more per link. */
const PATH_LINKS = 1_000
const ARROW_HALF_WIDTH = GRAPH.arrowLength / 1.6
const FADED = 0.18

/** Links of one colour and width. */
export interface Batch {
  color: string
  width: number
  links: Uint32Array
}

/** Returns the links of a graph by colour and width, thin ones first. */
export function batchesOf(shape: Shape, palette: Palette): Batch[] {
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

/** Draws the links, and yields between parts that take a few milliseconds each. */
export function* paintLinks(frame: Frame, batches: readonly Batch[]) {
  const { ctx, shape, positions, view, seen, related } = frame
  const dense = shape.linkCount > DENSE_LINKS
  if (related) {
    const touches = (link: number) =>
      shape.sources[link] === view.selected || shape.targets[link] === view.selected
    yield* paintWanted(frame, batches, link => !touches(link), dense, FADED)
    yield* paintWanted(frame, batches, touches, false, 1)
  } else if (!dense) {
    yield* paintWanted(frame, batches, () => true, false, 1)
  } else if (view.camera.k < DENSE_ZOOM) {
    yield* paintWanted(frame, batches, () => true, true, DENSE_ALPHA)
  } else {
    // Zoomed in: links without an end in view are drawn thin and pale.
    const inView = (node: number) => {
      const x = positions[node * 2]!
      const y = positions[node * 2 + 1]!
      return x > seen.left && x < seen.right && y > seen.top && y < seen.bottom
    }
    const ends = (link: number) => inView(shape.sources[link]!) || inView(shape.targets[link]!)
    yield* paintWanted(frame, batches, link => !ends(link), true, FADED)
    yield* paintWanted(frame, batches, ends, false, DENSE_ALPHA)
  }
  ctx.globalAlpha = 1
  if (view.selectedLink >= 0) paintSelected(frame)
}

function paintSelected({ ctx, shape, palette, positions, view }: Frame) {
  const source = shape.sources[view.selectedLink]!
  const target = shape.targets[view.selectedLink]!
  ctx.strokeStyle = palette.selected
  ctx.lineWidth = (shape.widths[view.selectedLink]! + 2) / view.camera.k
  ctx.beginPath()
  ctx.moveTo(positions[source * 2]!, positions[source * 2 + 1]!)
  ctx.lineTo(positions[target * 2]!, positions[target * 2 + 1]!)
  ctx.stroke()
}

function* paintWanted(
  frame: Frame,
  batches: readonly Batch[],
  wanted: (link: number) => boolean,
  thin: boolean,
  alpha: number,
) {
  const { ctx, shape, view } = frame
  ctx.globalAlpha = alpha
  // Links have the same width in screen pixels at every zoom.
  const unit = 1 / view.camera.k
  for (const batch of batches) {
    const arrow = thin || !shape.directed ? 0 : GRAPH.arrowLength * unit
    ctx.strokeStyle = batch.color
    ctx.fillStyle = batch.color
    ctx.lineWidth = (thin ? THIN_WIDTH : batch.width) * unit
    const arrows: number[] = []
    yield* strokeLinks(frame, batch.links, wanted, arrow, arrows)
    if (arrows.length > 0)
      fillArrows(ctx, arrows, arrow, Math.max(ARROW_HALF_WIDTH, batch.width * 0.9) * unit)
  }
}

/**
 * Draws the lines of links.
 * @param arrow length of an arrow, in graph units; 0 for none
 * @param arrows receives the tip's x and y and the direction's x and y of each arrow
 */
function* strokeLinks(
  { ctx, shape, positions, view, drawn, radiusMin }: Frame,
  links: Uint32Array,
  wanted: (link: number) => boolean,
  arrow: number,
  arrows: number[],
) {
  const { left, top, right, bottom } = drawn
  const { visible } = view
  const unit = 1 / view.camera.k
  let inPath = 0
  ctx.beginPath()
  for (const link of links) {
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
}

function fillArrows(ctx: Context, arrows: readonly number[], length: number, halfWidth: number) {
  ctx.beginPath()
  for (let at = 0; at < arrows.length; at += 4) {
    const x = arrows[at]!
    const y = arrows[at + 1]!
    const ux = arrows[at + 2]!
    const uy = arrows[at + 3]!
    ctx.moveTo(x, y)
    ctx.lineTo(x - ux * length - uy * halfWidth, y - uy * length + ux * halfWidth)
    ctx.lineTo(x - ux * length + uy * halfWidth, y - uy * length - ux * halfWidth)
  }
  ctx.fill()
}
