import type { AppPath } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useLatest } from '@iodine/ui'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { brushed } from './brush'
import styles from './Chart.module.css'
import type { Drawing } from './draw'
import { inkPatterns } from './inks'

export interface PlottedProps {
  /** The accessible name. */
  label: string
  /** Memoized: a new one is drawn. */
  drawing: Drawing
  /** Receives the first and the last key of a span that the pointer selects. */
  onBrush?: ((from: string, to: string) => void) | undefined
}

/** Width before the first layout, in pixels. */
const FIRST_WIDTH = 640

/** Names each link by its mark, and puts one of them into the tab order: arrow keys reach the others. */
const prepare = (svg: Element, label: string) => {
  // The policy of the page forbids style sheets in it; Chart.module.css has these rules.
  for (const sheet of svg.querySelectorAll('style')) sheet.remove()
  svg.setAttribute('role', 'group')
  svg.setAttribute('aria-label', label)
  for (const group of svg.querySelectorAll('g')) {
    group.removeAttribute('aria-label')
    if (!group.querySelector('a')) group.setAttribute('aria-hidden', 'true')
  }
  svg.querySelectorAll('a').forEach((link, n) => {
    const named = link.querySelector('[aria-label]')
    link.setAttribute('aria-label', named?.getAttribute('aria-label') ?? '')
    named?.removeAttribute('aria-label')
    link.setAttribute('tabindex', n === 0 ? '0' : '-1')
    link.setAttribute('draggable', 'false')
  })
}

/** A drawn chart whose marks are links. Left and right arrow keys move between them, Enter opens one. */
export function Plotted({ label, drawing, onBrush }: PlottedProps) {
  const { navigate } = useHost()
  const container = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const prefix = `chart${useId().replace(/[^a-zA-Z0-9]/g, '')}`
  const brush = useLatest(onBrush)
  const hasBrush = onBrush !== undefined

  useEffect(() => {
    const element = container.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth || FIRST_WIDTH)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (width === 0) return
    const plot = drawing({ width, prefix }) as SVGSVGElement & ReturnType<Drawing>
    prepare(plot, label)
    plot.prepend(inkPatterns(prefix))
    container.current?.replaceChildren(plot)
    return hasBrush ? brushed(plot, (from, to) => brush.current?.(from, to)) : undefined
  }, [drawing, width, prefix, label, hasBrush, brush])

  const open = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // Drawings link to pages of `paths` only.
    navigate(link.getAttribute('href') as AppPath)
  }
  const move = (event: KeyboardEvent) => {
    const links = [...(container.current?.querySelectorAll<SVGAElement>('a') ?? [])]
    const at = links.indexOf(document.activeElement as SVGAElement)
    const next = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: links.length - 1,
    }[event.key]
    const link = at < 0 || next === undefined ? undefined : links[next]
    if (!link) return
    event.preventDefault()
    links[at]?.setAttribute('tabindex', '-1')
    link.setAttribute('tabindex', '0')
    link.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the events of the links inside
    <div ref={container} className={styles.plot} onClick={open} onKeyDown={move} />
  )
}
