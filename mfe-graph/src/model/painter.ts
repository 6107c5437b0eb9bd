import { placeView } from './frame'
import { createLabelPainter } from './labels'
import { neighbourhood } from './network'
import { batchesOf, paintLinks } from './paint-links'
import { paintNodes } from './paint-nodes'
import type { Context, Palette, Scene, View } from './scene'

const MANY_NODES = 1_000

/**
 * Creates a painter of a scene, and precomputes the data common to all frames. `positions` contains interleaved x and y
 * of the nodes. `margin` is the width of a drawn strip around the view, in device pixels, for which the canvas must have
 * room. A margin slightly changes the shades of edges.
 */
export function createPainter(scene: Scene, palette: Palette) {
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

  /** Draws links and nodes, and yields between parts that take a few milliseconds each. */
  function* ground(ctx: Context, positions: Float32Array, view: View, margin: number): Generator<void, void> {
    const boxes = placeView(ctx, view, margin)
    const related = relatedOf(view.selected)
    const frame = { ctx, shape, palette, positions, view, margin, radiusMin, related, ...boxes }
    yield* paintLinks(frame, batches)
    yield* paintNodes(frame)
  }

  return {
    ground,
    /** Draws the labels in view over links and nodes. */
    names,
    /** Clears the canvas and draws links, nodes and labels. */
    whole: (ctx: Context, positions: Float32Array, view: View) => {
      ctx.setTransform(1, 0, 0, 1, 0, 0)
      ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height)
      for (const _ of ground(ctx, positions, view, 0));
      names(ctx, positions, view)
    },
  }
}

export type Painter = ReturnType<typeof createPainter>
