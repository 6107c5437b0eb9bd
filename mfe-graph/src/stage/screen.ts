import { fontOf } from '../model/labels'
import { DENSE_LINKS } from '../model/paint-links'
import { createPainter, type Painter } from '../model/painter'
import type { Palette, Scene, View } from '../model/scene'
import { globalFonts, loadedFamilies, loadFamilies } from './fonts'
import { createPictures, type Pictures } from './pictures'

/** A canvas that displays a graph, in the page or in a worker. */
export interface Screen {
  show: (scene: Scene | null) => void
  /** `settled`: the layout is at rest until the next call. */
  move: (positions: Float32Array, settled: boolean) => void
  setView: (view: View) => void
}

/**
 * Draws the latest state on a canvas, at most once per frame. It draws a large settled graph from pictures, and any
 * other graph directly.
 */
export function createScreen(canvas: HTMLCanvasElement | OffscreenCanvas, palette: Palette): Screen {
  // Called once: in a worker, Firefox rejects the second call.
  const context = canvas.getContext('2d') as CanvasRenderingContext2D | null
  let scene: Scene | null = null
  let painter: Painter | null = null
  let positions: Float32Array | null = null
  let view: View | undefined
  let pictures: Pictures | null = null
  let scheduled = false

  const draw = () => {
    scheduled = false
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
  /** Draws labels with the loaded fonts, and redraws them when the palette's font is loaded or fails to load. */
  const paintLabels = async (shown: Scene) => {
    const fonts = globalFonts()
    const text = [...new Set(shown.labels.join(''))].join('')
    const isThere = fonts?.check(fontOf(palette), text) ?? true
    painter = createPainter(shown, isThere ? palette : { ...palette, font: loadedFamilies(palette.font) })
    if (isThere) return
    await loadFamilies(palette.font, family => fontOf({ ...palette, font: family }), text)
    if (scene !== shown) return
    painter = createPainter(shown, palette)
    if (pictures && positions) move(positions, true)
    schedule()
  }
  return {
    show: shown => {
      dropPictures()
      scene = shown
      painter = null
      positions = null
      schedule()
      if (shown) void paintLabels(shown)
    },
    move,
    setView: seen => {
      if (seen.version !== view?.version) pictures?.discard()
      view = seen
      schedule()
    },
  }
}
