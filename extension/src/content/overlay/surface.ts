/** A line under words, in CSS pixels of the window. */
export interface Line {
  left: number
  right: number
  bottom: number
}

const LINE_PX = 2
/** Maximum side of the canvas: browsers draw nothing on larger ones. */
const SIZE_MAX = 8_192
const COLOR = '#15803d'
const HALO = '#ffffffd0'

/**
 * Creates a canvas over the window, in a closed shadow root that the page can't read. Its host element is the same for
 * all drawings and takes no part in the page's layout or hit tests.
 */
export const createSurface = () => {
  const host = document.createElement('div')
  host.style.cssText =
    'all: initial !important; position: fixed !important; inset: 0 !important; overflow: hidden !important; ' +
    'pointer-events: none !important; z-index: 2147483647 !important; contain: strict !important'
  const root = host.attachShadow({ mode: 'closed' })
  const canvas = document.createElement('canvas')
  canvas.style.cssText = 'display: block; width: 100%; height: 100%'
  root.append(canvas)
  const context = canvas.getContext('2d')
  let isEmpty = true

  return {
    root,
    show() {
      if (!host.isConnected) document.documentElement.append(host)
    },
    hide() {
      host.remove()
    },
    /** Hides or shows the canvas, for example during a screenshot. */
    conceal(on: boolean) {
      canvas.style.visibility = on ? 'hidden' : 'visible'
    },
    /** Replaces the drawn lines. */
    draw(lines: readonly Line[]) {
      if (!context || (isEmpty && lines.length === 0)) return
      // Measured, since a page may zoom or transform its root element.
      const box = canvas.getBoundingClientRect()
      const sizeOf = (length: number) => Math.min(SIZE_MAX, Math.round(length * devicePixelRatio))
      const [width, height] = [sizeOf(box.width), sizeOf(box.height)]
      if (width === 0 || height === 0) return
      if (canvas.width !== width) canvas.width = width
      if (canvas.height !== height) canvas.height = height
      context.clearRect(0, 0, width, height)
      /** Rounds to device pixels, so that lines are sharp. */
      const fill = ({ left, right, bottom }: Line, extra: number) => {
        const [x, end] = [left, right].map(at => Math.round(((at - box.left) * width) / box.width)) as [
          number,
          number,
        ]
        const y = Math.round(((bottom - box.top) * height) / box.height)
        const thick = Math.round(((LINE_PX + extra) * height) / box.height)
        context.fillRect(x, y - Math.round((LINE_PX * height) / box.height), end - x, thick)
      }
      // The halo makes the line visible on dark pages.
      context.fillStyle = HALO
      for (const line of lines) fill(line, 1)
      context.fillStyle = COLOR
      for (const line of lines) fill(line, 0)
      isEmpty = lines.length === 0
    },
  }
}

export type Surface = ReturnType<typeof createSurface>
