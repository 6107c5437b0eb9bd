import {
  createPainter,
  DENSE_LINKS,
  fontOf,
  type Painter,
  type Palette,
  type Scene,
  type View,
} from '../model/painter'
import { fontsHere } from './fonts'
import { createPictures, type Pictures } from './pictures'

/** A canvas on which a graph is drawn, in the page or in a worker. */
export interface Screen {
  show: (scene: Scene | null) => void
  /** `settled`: the layout has come to rest, until the next call. */
  move: (positions: Float32Array, settled: boolean) => void
  setView: (view: View) => void
}

/**
 * Draws the latest state on a canvas, at most once per frame: a large graph that has settled from pictures, any
 * other anew.
 */
export function createScreen(canvas: HTMLCanvasElement | OffscreenCanvas, palette: Palette): Screen {
  let scene: Scene | null = null
  let painter: Painter | null = null
  let positions: Float32Array | null = null
  let view: View | undefined
  let pictures: Pictures | null = null
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
    if (!painter || !positions) context.clearRect(0, 0, width, height)
    else if (!pictures?.show(context, view)) painter.whole(context, positions, view)
    else painter.names(context, positions, view)
  }
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(draw)
  }
  const dropPictures = () => {
    pictures?.discard()
    pictures = null
  }
  const move = (moved: Float32Array, settled: boolean) => {
    dropPictures()
    positions = moved
    if (settled && scene && painter && scene.shape.linkCount > DENSE_LINKS)
      pictures = createPictures(painter, moved, scene.shape.radii, schedule)
    schedule()
  }
  /** Labels drawn before their font is there have the widths and look of another one. */
  const loadFont = async (shown: Scene) => {
    const characters = new Set<string>()
    for (const label of shown.labels) for (const character of label) characters.add(character)
    const loaded = await fontsHere()
      ?.load(fontOf(palette), [...characters].join(''))
      .catch(() => null)
    if (!loaded?.length || scene !== shown) return
    painter = createPainter(shown, palette)
    if (pictures && positions) move(positions, true)
    schedule()
  }
  return {
    show: shown => {
      dropPictures()
      scene = shown
      painter = shown && createPainter(shown, palette)
      positions = null
      schedule()
      if (shown) void loadFont(shown)
    },
    move,
    setView: seen => {
      if (seen.version !== view?.version) pictures?.discard()
      view = seen
      schedule()
    },
  }
}
