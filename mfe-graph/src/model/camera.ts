import { type Quadtree, type QuadtreeLeaf, quadtree } from 'd3'
import { GRAPH } from './constants'
import type { Shape } from './network'

/** Maps graph to screen coordinates: point `p` is at `p · k + (x, y)` CSS pixels from the canvas's top left corner. */
export interface Camera {
  x: number
  y: number
  k: number
}

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const FIT_PADDING = 40
/** Maximum zoom when a small graph is fitted. */
const FIT_ZOOM_MAX = 1.2
/**
 * Share of nodes on each side that count as outliers. They are left out of view if all nodes together take more than
 * `FAR` times the width or height of the rest.
 */
const OUTLIERS = 0.005
const FAR = 1.5
const SAMPLE_SIZE = 2_000
/** Minimum hit radius of a node, in CSS pixels. */
const HIT_RADIUS_MIN = 6
/** Maximum distance from a link's line that counts as a hit, in CSS pixels. */
const LINK_REACH = 5

/** Returns the bounding box of all nodes, or of those marked in `only`; null if there are none. */
export function boundsOf(
  positions: Float32Array,
  radii: Float32Array,
  only: Uint8Array | null = null,
): Box | null {
  const box = {
    left: Number.POSITIVE_INFINITY,
    top: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    bottom: Number.NEGATIVE_INFINITY,
  }
  for (let node = 0; node * 2 < positions.length; node++) {
    if (only && !only[node]) continue
    const x = positions[node * 2]!
    const y = positions[node * 2 + 1]!
    const radius = radii[node]!
    box.left = Math.min(box.left, x - radius)
    box.right = Math.max(box.right, x + radius)
    box.top = Math.min(box.top, y - radius)
    box.bottom = Math.max(box.bottom, y + radius)
  }
  return box.left <= box.right ? box : null
}

/**
 * Returns the box to bring into view: all nodes, or those marked in `only`. It omits a few outliers that would make the
 * rest too small. Unconnected nodes drift away, because only links attract.
 */
export function mainBounds(
  positions: Float32Array,
  radii: Float32Array,
  only: Uint8Array | null = null,
): Box | null {
  const all = boundsOf(positions, radii, only)
  if (!all) return null
  const stride = Math.max(1, Math.floor(radii.length / SAMPLE_SIZE))
  const xs: number[] = []
  const ys: number[] = []
  for (let node = 0; node < radii.length; node += stride) {
    if (only && !only[node]) continue
    xs.push(positions[node * 2]!)
    ys.push(positions[node * 2 + 1]!)
  }
  const cut = Math.floor(xs.length * OUTLIERS)
  if (cut === 0) return all
  const [left, right] = innerRange(xs, cut)
  const [top, bottom] = innerRange(ys, cut)
  const far = all.right - all.left > FAR * (right - left) || all.bottom - all.top > FAR * (bottom - top)
  return far ? { left, right, top, bottom } : all
}

const innerRange = (values: number[], cut: number): [number, number] => {
  const sorted = Float64Array.from(values).sort()
  return [sorted[cut]!, sorted[sorted.length - 1 - cut]!]
}

/** Returns the camera that fits a box into a canvas of `width` × `height` CSS pixels. */
export function fitCamera(box: Box, width: number, height: number): Camera {
  const room = (size: number) => Math.max(size - 2 * FIT_PADDING, size / 2)
  const zoom = Math.min(
    room(width) / Math.max(box.right - box.left, 1),
    room(height) / Math.max(box.bottom - box.top, 1),
    FIT_ZOOM_MAX,
  )
  const k = Math.max(zoom, GRAPH.zoomMin)
  return {
    x: width / 2 - (k * (box.left + box.right)) / 2,
    y: height / 2 - (k * (box.top + box.bottom)) / 2,
    k,
  }
}

export type NodeFinder = ReturnType<typeof createNodeFinder>

/**
 * Creates a function that returns the nearest node at a point of the screen; -1 for none. It is valid until the positions
 * change. Its quadtree is built at the first search: during a layout there may be none.
 */
export function createNodeFinder(positions: Float32Array, radii: Float32Array) {
  let tree: Quadtree<number> | undefined
  let radiusMax = 0
  const build = () => {
    for (const radius of radii) radiusMax = Math.max(radiusMax, radius)
    return quadtree<number>()
      .x(node => positions[node * 2]!)
      .y(node => positions[node * 2 + 1]!)
      .addAll(Array.from(radii.keys()))
  }
  return (screenX: number, screenY: number, camera: Camera, visible: Uint8Array | null = null): number => {
    tree ??= build()
    const x = (screenX - camera.x) / camera.k
    const y = (screenY - camera.y) / camera.k
    const radiusMin = HIT_RADIUS_MIN / camera.k
    const reach = Math.max(radiusMax, radiusMin)
    let found = -1
    let nearest = Number.POSITIVE_INFINITY
    tree.visit((cell, left, top, right, bottom) => {
      if (left > x + reach || right < x - reach || top > y + reach || bottom < y - reach) return true
      if (cell.length) return false
      // d3 chains nodes at the same position in a linked list.
      for (let leaf: QuadtreeLeaf<number> | undefined = cell; leaf; leaf = leaf.next) {
        const node = leaf.data
        if (visible && !visible[node]) continue
        const distance2 = (positions[node * 2]! - x) ** 2 + (positions[node * 2 + 1]! - y) ** 2
        const radius = Math.max(radii[node]!, radiusMin)
        if (distance2 > radius * radius || distance2 > nearest) continue
        if (distance2 === nearest && node > found) continue
        nearest = distance2
        found = node
      }
      return false
    })
    return found
  }
}

/** Returns the nearest link at a point of the screen; -1 for none. */
export function linkAt(
  screenX: number,
  screenY: number,
  positions: Float32Array,
  { linkCount, sources, targets }: Pick<Shape, 'linkCount' | 'sources' | 'targets'>,
  camera: Camera,
  visible: Uint8Array | null = null,
): number {
  const x = (screenX - camera.x) / camera.k
  const y = (screenY - camera.y) / camera.k
  let found = -1
  let nearest = (LINK_REACH / camera.k) ** 2
  for (let link = 0; link < linkCount; link++) {
    const source = sources[link]!
    const target = targets[link]!
    if (visible && !(visible[source] && visible[target])) continue
    const fromX = positions[source * 2]!
    const fromY = positions[source * 2 + 1]!
    const dx = positions[target * 2]! - fromX
    const dy = positions[target * 2 + 1]! - fromY
    const along = ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1)
    const share = Math.min(1, Math.max(0, along))
    const distance2 = (fromX + share * dx - x) ** 2 + (fromY + share * dy - y) ** 2
    if (distance2 < nearest) {
      nearest = distance2
      found = link
    }
  }
  return found
}
