import { type Box, boundsOf, type Camera } from '../model/camera'
import type { Painter } from '../model/painter'
import type { Context, View } from '../model/scene'

/** Widths of the drawn strip around the view, in device pixels, in descending order of preference. */
const MARGINS = [256, 128, 64]
/** Maximum number of pixels of a picture: 40 MB. */
const PIXELS_MAX = 10_000_000
/** Intended duration of a step, in milliseconds. */
const STEP_MS = 8
/** Maximum extent of a drawing around a node's or link's position, in CSS pixels. */
const AROUND = 16

/** The area that a picture shows. */
interface Frame {
  camera: Camera
  /** Width of the strip around the view, in device pixels. Without a margin, the picture equals a direct drawing. */
  margin: number
  /** Bounding box of all links and nodes, in graph units. The area outside it is empty. */
  content: Box | null
}

/** A bitmap of links and nodes, drawn for a camera. */
export interface Picture extends Frame {
  bitmap: ImageBitmap
}

/** A picture that is being drawn. */
export interface PictureJob extends Frame {
  /** Draws for some milliseconds, and returns the picture once it is complete. */
  step: () => Picture | null
  /** Draws the remaining parts. */
  finish: () => Picture
  cancel: () => void
}

/** Returns the margin for pictures of a view, in device pixels; null if pictures are impossible. */
export function marginFor({ width, height, pixelRatio }: View): number | null {
  if (typeof OffscreenCanvas === 'undefined' || width === 0 || height === 0) return null
  const pixels = (margin: number) => (width * pixelRatio + 2 * margin) * (height * pixelRatio + 2 * margin)
  return MARGINS.find(margin => pixels(margin) <= PIXELS_MAX) ?? null
}

/**
 * Begins a picture. Chromium records drawing commands and executes them when the canvas is read. Each step therefore
 * reads the canvas, so that its duration includes its drawing.
 */
export function beginPicture(
  painter: Painter,
  positions: Float32Array,
  radii: Float32Array,
  view: View,
  margin: number,
): PictureJob {
  const { camera, pixelRatio } = view
  const canvas = new OffscreenCanvas(
    Math.round(view.width * pixelRatio) + 2 * margin,
    Math.round(view.height * pixelRatio) + 2 * margin,
  )
  const ctx = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
  const frame: Frame = { camera, margin, content: boundsOf(positions, radii, view.visible) }
  const parts = painter.ground(ctx, positions, view, margin)
  let drawn: ImageBitmap | null = null
  /** Number of parts per step. */
  let atOnce = 4

  const draw = (count: number): Picture | null => {
    if (drawn) {
      // The context must keep the state of the part that is being drawn.
      ctx.save()
      ctx.resetTransform()
      ctx.globalAlpha = 1
      ctx.drawImage(drawn, 0, 0)
      ctx.restore()
    }
    let complete = false
    for (let part = 0; part < count && !complete; part++) complete = parts.next().done === true
    const before = drawn
    drawn = canvas.transferToImageBitmap()
    before?.close()
    if (!complete) return null
    canvas.width = 0
    return { ...frame, bitmap: drawn }
  }
  return {
    ...frame,
    step: () => {
      const start = performance.now()
      const picture = draw(atOnce)
      const took = performance.now() - start
      atOnce = Math.min(64, Math.max(1, Math.round((atOnce * STEP_MS) / took)))
      return picture
    },
    finish: () => draw(Number.POSITIVE_INFINITY) as Picture,
    cancel: () => {
      drawn?.close()
      canvas.width = 0
    },
  }
}

/** Returns whether a picture was drawn for the view's camera. */
export const sameCamera = ({ camera: { x, y, k } }: Frame, { camera }: View): boolean =>
  x === camera.x && y === camera.y && k === camera.k

/** Returns whether a picture covers a whole view, and a share (0 to 1) of its margin around it. */
export function covers({ camera, margin, content }: Frame, view: View, share = 0): boolean {
  const strip = margin / view.pixelRatio
  const around = AROUND / camera.k
  // Half a pixel: screen positions are rounded.
  const beyond = share * strip - 0.5
  const { x, y, k } = view.camera
  /** Compares one axis: sides of the picture, the content and the view, in graph units. */
  const spans = (from: number, to: number, first: number, last: number, low: number, high: number) =>
    (low >= from || first - around > from) && (high <= to || last + around < to)
  const { left = 0, right = 0, top = 0, bottom = 0 } = content ?? {}
  return (
    spans(
      (-strip - camera.x) / camera.k,
      (view.width + strip - camera.x) / camera.k,
      left,
      right,
      (-beyond - x) / k,
      (view.width + beyond - x) / k,
    ) &&
    spans(
      (-strip - camera.y) / camera.k,
      (view.height + strip - camera.y) / camera.k,
      top,
      bottom,
      (-beyond - y) / k,
      (view.height + beyond - y) / k,
    )
  )
}

/** Draws the picture at its position for the view's camera, on a canvas of the view's size. */
export function showPicture(ctx: Context, { bitmap, camera, margin }: Picture, view: View): void {
  const scale = view.camera.k / camera.k
  const place = (to: number, from: number) => (to - from * scale) * view.pixelRatio - margin * scale
  const [x, y] = [place(view.camera.x, camera.x), place(view.camera.y, camera.y)]
  ctx.resetTransform()
  ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height)
  ctx.globalAlpha = 1
  // Unscaled pictures are aligned to device pixels: between them, they would be blurred.
  if (scale === 1) ctx.drawImage(bitmap, Math.round(x), Math.round(y))
  else ctx.drawImage(bitmap, x, y, bitmap.width * scale, bitmap.height * scale)
}
