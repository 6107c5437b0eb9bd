import { createPainter, type Palette, type Scene, type View } from '../model/painter'

/** Where a graph is drawn: the page's own canvas, or one that a worker owns. */
export interface Screen {
  show: (scene: Scene | null) => void
  move: (positions: Float32Array) => void
  look: (view: View) => void
}

/** Draws on a canvas, once a frame at most, what it was told last. */
export function createScreen(canvas: HTMLCanvasElement | OffscreenCanvas, palette: Palette): Screen {
  let paint: ReturnType<typeof createPainter> | null = null
  let positions: Float32Array | null = null
  let view: View | undefined
  let scheduled = false

  const draw = () => {
    scheduled = false
    const context = canvas.getContext('2d') as CanvasRenderingContext2D | null
    if (!context || !view) return
    const width = Math.round(view.width * view.pixelRatio)
    const height = Math.round(view.height * view.pixelRatio)
    // Setting a size clears the canvas and costs time even when it stays the same.
    if (canvas.width !== width) canvas.width = width
    if (canvas.height !== height) canvas.height = height
    if (paint && positions) paint(context, positions, view)
    else context.clearRect(0, 0, width, height)
  }
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(draw)
  }
  return {
    show: scene => {
      paint = scene && createPainter(scene, palette)
      positions = null
      schedule()
    },
    move: moved => {
      positions = moved
      schedule()
    },
    look: seen => {
      view = seen
      schedule()
    },
  }
}
