import type { Painter } from '../model/painter'
import type { Context, View } from '../model/scene'
import {
  beginPicture,
  covers,
  marginFor,
  type Picture,
  type PictureJob,
  sameCamera,
  showPicture,
} from './picture'

/** Time without a new frame after which the camera counts as at rest, in milliseconds. */
const REST_MS = 100
/** Remaining share of the margin at which the next wide picture is begun. */
const MARGIN_LEFT = 0.75
/** Scale of a wide picture, or its inverse, beyond which the next one is begun. */
const SCALE_MAX = 1.5

export type Pictures = ReturnType<typeof createPictures>

/**
 * Caches drawings of links and nodes as pictures, because drawing a large graph takes longer than a frame. While the
 * camera rests, the still picture is shown, which is drawn for exactly this camera. While it moves, the wide picture,
 * which has a margin around the view, is moved and scaled. Both are drawn in steps between frames, the wide one before
 * its margin is used up. If it does not cover the view, the frame waits for a new one, so that no frame has gaps.
 * `redraw` is called when a better picture is ready.
 */
export function createPictures(
  painter: Painter,
  positions: Float32Array,
  radii: Float32Array,
  redraw: () => void,
) {
  const kept: Record<'still' | 'wide', Picture | null> = { still: null, wide: null }
  let job: PictureJob | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const begin = (view: View, margin: number) => beginPicture(painter, positions, radii, view, margin)
  const cancel = () => {
    job?.cancel()
    job = null
  }
  const keep = (name: keyof typeof kept, picture: Picture | null) => {
    kept[name]?.bitmap.close()
    kept[name] = picture
  }

  const pictureOf = (view: View, margin: number): Picture => {
    if (kept.still && sameCamera(kept.still, view)) return kept.still
    if (!kept.still && !kept.wide) {
      cancel()
      kept.still = begin(view, 0).finish()
      return kept.still
    }
    keep('still', null)
    if (job?.margin === 0 && !sameCamera(job, view)) cancel()
    if (kept.wide && covers(kept.wide, view)) return kept.wide
    if (job && (job.margin === 0 || !covers(job, view))) cancel()
    const made = (job ?? begin(view, margin)).finish()
    job = null
    keep('wide', made)
    return made
  }

  /** Begins or continues the next picture that is needed, if any. */
  const plan = (shown: Picture, view: View, margin: number) => {
    clearTimeout(timer)
    const needsWide =
      shown === kept.still ? !kept.wide || !sameCamera(kept.wide, view) : isUsedUp(shown, view)
    if (shown === kept.still && !needsWide) return
    const soon = job !== null || (shown === kept.wide && needsWide)
    timer = setTimeout(work, soon ? 0 : REST_MS, view, needsWide ? margin : 0)
  }
  const work = (view: View, margin: number) => {
    job ??= begin(view, margin)
    const made = job.step()
    if (!made) {
      timer = setTimeout(work, 0, view, margin)
      return
    }
    job = null
    // A newer picture may have been drawn while a wide one was in progress.
    if (made.margin === 0) keep('still', made)
    else if (covers(made, view)) keep('wide', made)
    else made.bitmap.close()
    redraw()
  }
  return {
    /** Draws links and nodes on a canvas of the view's size. False if the view is too large for pictures. */
    show: (ctx: Context, view: View): boolean => {
      const margin = marginFor(view)
      if (margin === null) return false
      const shown = pictureOf(view, margin)
      showPicture(ctx, shown, view)
      plan(shown, view, margin)
      return true
    },
    /** Frees all pictures. Call it at the end, and when anything but the camera or the hovered node changes. */
    discard: () => {
      clearTimeout(timer)
      cancel()
      keep('still', null)
      keep('wide', null)
    },
  }
}

/** Returns whether the next wide picture is needed. */
const isUsedUp = (shown: Picture, view: View): boolean => {
  const scale = view.camera.k / shown.camera.k
  return scale > SCALE_MAX || scale < 1 / SCALE_MAX || !covers(shown, view, MARGIN_LEFT)
}
