import type { Context, Palette, Scene, View } from './scene'

const LABEL_FROM = 2
const NODE_OBSTACLE_FROM = 3
const LABELS_MAX = 400
const LABEL_CHARS = 28
const FONT_SIZE = 12
const LABEL_HEIGHT = FONT_SIZE + 3
/** Width of the halo that keeps a label legible over links, in pixels. Half of it is outside the letters. */
const HALO = 4
/** Maximum number of nodes in view whose labels are tried per frame: a large graph has too many. */
const LABELS_TRIED_MAX = 4 * LABELS_MAX

/** Returns the font of the labels, as in CSS. */
export const fontOf = ({ font }: Palette): string => `${FONT_SIZE}px ${font}`

/**
 * Creates the function that draws the labels in view over links and nodes.
 * @param radiusMin minimum radius of nodes on screen
 * @param relatedOf returns the nodes whose labels are drawn beside a selected node's; null for all
 */
export function createLabelPainter(
  { shape, labels, ranking }: Scene,
  palette: Palette,
  radiusMin: number,
  relatedOf: (selected: number) => Uint8Array | null,
) {
  const names = labels.map(shorten)
  const nameWidths = new Float32Array(shape.nodeCount)

  return (ctx: Context, positions: Float32Array, view: View) => {
    const { camera, selected, visible } = view
    const related = relatedOf(selected)
    ctx.setTransform(view.pixelRatio, 0, 0, view.pixelRatio, 0, 0)
    ctx.globalAlpha = 1
    ctx.font = fontOf(palette)
    ctx.textAlign = 'center'
    ctx.textBaseline = 'top'
    ctx.lineJoin = 'round'
    ctx.lineWidth = HALO
    ctx.strokeStyle = palette.ground
    ctx.fillStyle = palette.text
    const taken = createOccupancy(view.width, view.height)
    let drawn = 0
    let tried = 0
    // Claims the nodes' boxes first, because labels must not cover nodes.
    for (let node = 0; node < shape.nodeCount; node++) {
      const radius = shape.radii[node]! * camera.k
      if (radius < NODE_OBSTACLE_FROM || (visible && !visible[node]) || (related && !related[node])) continue
      const x = positions[node * 2]! * camera.k + camera.x
      const y = positions[node * 2 + 1]! * camera.k + camera.y
      taken.claim(x - radius * 0.7, y - radius * 0.7, radius * 1.4, radius * 1.4, true)
    }
    const place = (node: number, always: boolean) => {
      if (visible && !visible[node]) return
      const radius = Math.max(shape.radii[node]! * camera.k, radiusMin)
      if (!always && radius < LABEL_FROM) return
      const x = positions[node * 2]! * camera.k + camera.x
      const y = positions[node * 2 + 1]! * camera.k + camera.y
      if (x < 0 || x > view.width || y < 0 || y > view.height) return
      tried++
      nameWidths[node] ||= ctx.measureText(names[node]!).width + 4
      const width = nameWidths[node]!
      // Candidates: below, above, to the right. A required label is below if none is free.
      const places: [x: number, y: number][] = [
        [x, y + radius + 3],
        [x, y - radius - 2 - LABEL_HEIGHT],
        [x + radius + 3 + width / 2, y - LABEL_HEIGHT / 2],
      ]
      let free = places.find(([at, top]) => taken.claim(at - width / 2, top, width, LABEL_HEIGHT))
      if (!free && always) {
        free = places[0]!
        taken.claim(x - width / 2, free[1], width, LABEL_HEIGHT, true)
      }
      if (free) write(node, ...free)
    }
    const write = (node: number, x: number, y: number) => {
      ctx.strokeText(names[node]!, x, y)
      ctx.fillText(names[node]!, x, y)
      drawn++
    }
    if (selected >= 0) place(selected, true)
    if (view.hovered >= 0 && view.hovered !== selected) place(view.hovered, true)
    for (const node of ranking) {
      if (drawn >= LABELS_MAX || tried >= LABELS_TRIED_MAX) break
      if (node === selected || node === view.hovered || (related && !related[node])) continue
      place(node, false)
    }
  }
}

const CELL = 4

/** Tracks the cells of the screen that contain a label or a node. */
function createOccupancy(width: number, height: number) {
  const columns = Math.ceil(width / CELL) + 1
  const rows = Math.ceil(height / CELL) + 1
  const cells = new Uint8Array(columns * rows)
  const column = (x: number) => Math.min(columns - 1, Math.max(0, Math.floor(x / CELL)))
  const row = (y: number) => Math.min(rows - 1, Math.max(0, Math.floor(y / CELL)))
  return {
    /** Claims a box, and returns whether all of it was free. If `always`, it claims even an occupied one. */
    claim: (x: number, y: number, boxWidth: number, boxHeight: number, always = false): boolean => {
      if (x > width || y > height || x + boxWidth < 0 || y + boxHeight < 0) return false
      const [fromX, toX, fromY, toY] = [column(x), column(x + boxWidth), row(y), row(y + boxHeight)]
      if (!always) {
        for (let r = fromY; r <= toY; r++)
          for (let c = fromX; c <= toX; c++) if (cells[r * columns + c]) return false
      }
      for (let r = fromY; r <= toY; r++) cells.fill(1, r * columns + fromX, r * columns + toX + 1)
      return true
    },
  }
}

const shorten = (label: string): string => {
  const characters = Array.from(label)
  return characters.length > LABEL_CHARS ? `${characters.slice(0, LABEL_CHARS - 1).join('')}…` : label
}
