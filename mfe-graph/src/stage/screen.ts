import { createPainter, type Palette, type Scene, type View } from '../model/painter'

/** A canvas on which a graph is drawn, in the page or in a worker. */
export interface Screen {
  show: (scene: Scene | null) => void
  move: (positions: Float32Array) => void
  setView: (view: View) => void
}

/** Draws the latest state on a canvas, at most once per frame. */
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
    // Setting a size clears the canvas, even if the size is unchanged.
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
    setView: seen => {
      view = seen
      schedule()
    },
  }
}
