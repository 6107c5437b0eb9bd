import type { plot } from '@observablehq/plot'
import { svgElement } from './inks'

/** Movement from which a press of the pointer selects a span, in pixels. */
const DRAG_MIN = 8

/**
 * Lets the pointer select a span of the band scale `x`. Calls `onSelect` with its first and last value. A drag opens no
 * link. Returns a function that removes it.
 */
export function brushed(
  svg: SVGSVGElement & Pick<ReturnType<typeof plot>, 'scale'>,
  onSelect: (from: string, to: string) => void,
): () => void {
  const scale = svg.scale('x')
  const keys = (scale?.domain ?? []) as string[]
  const first = Number(scale?.apply(keys[0]))
  const step = scale?.step ?? scale?.bandwidth ?? 1
  const band = svgElement('rect', {
    y: 0,
    height: '100%',
    fill: 'currentColor',
    'fill-opacity': 0.12,
    'pointer-events': 'none',
  })
  const stop = new AbortController()
  const options = { signal: stop.signal }
  let start: number | null = null
  let isDragged = false

  const positionOf = ({ clientX }: PointerEvent) => {
    const { left, width } = svg.getBoundingClientRect()
    return ((clientX - left) / (width || 1)) * Number(svg.getAttribute('width'))
  }
  const keyAt = (x: number) => keys[Math.max(0, Math.min(keys.length - 1, Math.floor((x - first) / step)))]
  const finish = () => {
    start = null
    band.remove()
  }
  svg.addEventListener(
    'pointerdown',
    event => {
      isDragged = false
      if (event.button === 0 && event.pointerType !== 'touch') start = positionOf(event)
    },
    options,
  )
  window.addEventListener(
    'pointermove',
    event => {
      if (start === null) return
      const x = positionOf(event)
      if (!isDragged && Math.abs(x - start) < DRAG_MIN) return
      isDragged = true
      band.setAttribute('x', String(Math.min(start, x)))
      band.setAttribute('width', String(Math.abs(x - start)))
      svg.append(band)
    },
    options,
  )
  window.addEventListener(
    'pointerup',
    event => {
      if (start === null) return
      const [from, to] = [start, positionOf(event)].sort((a, b) => a - b).map(keyAt)
      finish()
      if (isDragged && from && to) onSelect(from, to)
    },
    options,
  )
  window.addEventListener('pointercancel', finish, options)
  svg.addEventListener('dragstart', event => event.preventDefault(), options)
  svg.addEventListener(
    'click',
    event => {
      if (isDragged) event.stopPropagation()
      if (isDragged) event.preventDefault()
      isDragged = false
    },
    { ...options, capture: true },
  )
  return () => {
    stop.abort()
    band.remove()
  }
}
