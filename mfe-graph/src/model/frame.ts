import type { Shape } from './network'
import type { Context, Palette, View } from './scene'

/** A part of the graph, in graph units. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** What the parts of one drawing share. */
export interface Frame {
  ctx: Context
  shape: Shape
  palette: Palette
  /** Interleaved x and y of the nodes. */
  positions: Float32Array
  view: View
  /** Width of the drawn strip around the view, in device pixels. */
  margin: number
  /** The view. */
  seen: Box
  /** The view with its margin. */
  drawn: Box
  /** Minimum radius of a node on screen, in pixels. */
  radiusMin: number
  /** Marks the selected node and its neighbours; null without a selection. */
  related: Uint8Array | null
}

/** Scales the context to graph units, and returns the view and the view with its margin. */
export function placeView(
  ctx: Context,
  { camera, ...view }: View,
  margin: number,
): Pick<Frame, 'seen' | 'drawn'> {
  const scale = view.pixelRatio * camera.k
  const [x, y] = [camera.x * view.pixelRatio + margin, camera.y * view.pixelRatio + margin]
  ctx.setTransform(scale, 0, 0, scale, x, y)
  const seen = {
    left: -camera.x / camera.k,
    top: -camera.y / camera.k,
    right: (view.width - camera.x) / camera.k,
    bottom: (view.height - camera.y) / camera.k,
  }
  const strip = margin / scale
  const drawn = {
    left: seen.left - strip,
    top: seen.top - strip,
    right: seen.right + strip,
    bottom: seen.bottom + strip,
  }
  return { seen, drawn }
}
