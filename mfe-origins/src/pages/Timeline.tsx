import { errorToast, useAction } from '@iodine/mfe-kit'
import { Button, ButtonGroup, Card, useMedia } from '@iodine/ui'
import { ArrowLeftIcon, ArrowRightIcon, MinusIcon, PlusIcon } from '@iodine/ui/icons'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { AXIS_HEIGHT, createPainter, LANE_HEIGHT, markAt, type View } from '../model/painter'
import { boundedTime, MATCH_LABELS, nameOf, type SearchResult } from '../model/sightings'
import {
  clampSpan,
  isMove,
  type Timeline as Layout,
  layTimeline,
  moveSelection,
  moveSpan,
  type Span,
  spanWith,
  zoomSpan,
} from '../model/timeline'
import { readPalette } from '../stage/palette'
import { saveCsv, savePng } from '../stage/save'
import { Overview } from './Overview'
import styles from './Timeline.module.css'

const HEIGHT_MAX = 420
const ZOOM = 0.5
const MOVE = 0.25
const GUTTER = { wide: 180, narrow: 96 }

export interface TimelineProps {
  found: SearchResult
  selected: string | null
  onSelect: (id: string | null) => void
  /** Called on Enter with a selected mark. */
  onOpen: (id: string) => void
  legend: ReactNode
}

/** Occurrences over time, with one lane per account. Over 80 lines, as pointer, keys and buttons act on one view. */
export function Timeline({ found, selected, onSelect, onOpen, legend }: TimelineProps) {
  const hintId = useId()
  const timeline = useMemo(() => layTimeline(found.items), [found.items])
  const { fullSpan } = timeline
  const [zoomed, setZoomed] = useState<Span | null>(null)
  const span = zoomed ? clampSpan(zoomed, fullSpan) : fullSpan
  const gutter = useMedia('(max-width: 599px)') ? GUTTER.narrow : GUTTER.wide
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const index = selected === null ? -1 : (timeline.indexOf.get(selected) ?? -1)
  const zoom = (factor: number) => {
    const mark = timeline.marks[index]
    const inView = mark && mark.at >= span[0] && mark.at <= span[1]
    setZoomed(zoomSpan(span, factor, inView ? mark.at : (span[0] + span[1]) / 2, fullSpan))
  }
  const [scroll, setScroll] = useState(0)
  const [hovered, setHovered] = useState(-1)
  const lanesHeight = AXIS_HEIGHT + timeline.lanes.length * LANE_HEIGHT + 8
  const height = Math.min(lanesHeight, HEIGHT_MAX)
  const view: View = { width, height, gutter, span, scroll, selected: index, hovered }
  const canvas = usePainted(timeline, found.edges, view)

  // Scrolls and zooms to a mark that was selected elsewhere.
  useEffect(() => {
    const mark = timeline.marks[index]
    if (!mark) return
    setZoomed(current => current && spanWith(current, mark.at, fullSpan))
    const element = frame.current
    if (!element) return
    const top = mark.lane * LANE_HEIGHT
    const room = height - AXIS_HEIGHT - LANE_HEIGHT
    if (top < element.scrollTop) element.scrollTop = top
    else if (top > element.scrollTop + room) element.scrollTop = top - room
  }, [index, timeline, fullSpan, height])

  const markUnder = (event: PointerEvent<HTMLCanvasElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return markAt(timeline, view, event.clientX - left, event.clientY - top)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    if (isMove(key)) onSelect(timeline.marks[moveSelection(timeline, index, key)]?.id ?? null)
    else if (key === 'Enter' && selected !== null) onOpen(selected)
    else if (key === 'Escape' && selected !== null) onSelect(null)
    else if (key === '+' || key === '=') zoom(ZOOM)
    else if (key === '-') zoom(1 / ZOOM)
    else if (key === '0') setZoomed(null)
    else return
    event.preventDefault()
  }
  const current = selected === null ? undefined : found.byId.get(selected)
  return (
    <Card className={styles.card} role="region" aria-label="Timeline">
      <Toolbar {...{ found, timeline, span, index }} onSpan={setZoomed} onZoom={zoom} />
      <div
        ref={frame}
        className={styles.frame}
        style={{ height }}
        onScroll={event => setScroll(event.currentTarget.scrollTop)}
      >
        <div style={{ height: lanesHeight }}>
          {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: its keys move among the sightings */}
          <canvas
            ref={canvas}
            className={styles.canvas}
            style={{ height, cursor: hovered === -1 ? 'default' : 'pointer' }}
            tabIndex={0}
            role="application"
            aria-label="Timeline of posts"
            aria-describedby={hintId}
            data-span={`${Math.round(span[0])} ${Math.round(span[1])}`}
            title={titleOf(found, timeline.marks[hovered]?.id)}
            onKeyDown={onKeyDown}
            onPointerMove={event => setHovered(markUnder(event))}
            onPointerLeave={() => setHovered(-1)}
            onPointerDown={event => {
              const place = markUnder(event)
              onSelect(timeline.marks[place]?.id ?? null)
            }}
          />
        </div>
      </div>
      <Overview timeline={timeline} span={span} gutter={gutter} width={width} onSpan={setZoomed} />
      <p id={hintId} className={styles.hint}>
        Drag over the bars to zoom. Keys: ← → by time, ↑ ↓ by account, + and − zoom, 0 shows all, Enter goes
        to the row.
      </p>
      {legend}
      <p className="visually-hidden" aria-live="polite">
        {current &&
          `${nameOf(current)}, ${boundedTime(current)}, ${current.matches.map(match => MATCH_LABELS[match]).join(', ')}`}
      </p>
    </Card>
  )
}

interface ToolbarProps {
  found: SearchResult
  timeline: Layout
  span: Span
  /** Index of the selected mark; -1 if none is selected. */
  index: number
  /** Called with null to show all. */
  onSpan: (span: Span | null) => void
  onZoom: (factor: number) => void
}

function Toolbar({ found, timeline, span, index, onSpan, onZoom }: ToolbarProps) {
  const { fullSpan } = timeline
  const isFirst = span[0] <= fullSpan[0]
  const isLast = span[1] >= fullSpan[1]
  const move = (step: number) => () => onSpan(moveSpan(span, step, fullSpan))
  const png = useAction({
    mutationFn: () => savePng(timeline, found.edges, span, index),
    failed: () => errorToast(null, 'The picture could not be saved'),
  })
  const buttons = [
    { icon: <ArrowLeftIcon />, title: 'Earlier', disabled: isFirst, onClick: move(-MOVE) },
    { icon: <ArrowRightIcon />, title: 'Later', disabled: isLast, onClick: move(MOVE) },
    { icon: <PlusIcon />, title: 'Zoom in', onClick: () => onZoom(ZOOM) },
    { icon: <MinusIcon />, title: 'Zoom out', disabled: isFirst && isLast, onClick: () => onZoom(1 / ZOOM) },
  ]
  return (
    <header className={styles.header}>
      <h2 className={styles.title}>Timeline</h2>
      <ButtonGroup>
        {buttons.map(button => (
          <Button key={button.title} aria-label={button.title} {...button} />
        ))}
        <Button text="Show all" disabled={isFirst && isLast} onClick={() => onSpan(null)} />
      </ButtonGroup>
      <ButtonGroup>
        <Button text="CSV" aria-label="Save as CSV" onClick={() => saveCsv(found)} />
        <Button text="PNG" aria-label="Save as PNG" loading={png.isPending} onClick={() => void png.run()} />
      </ButtonGroup>
    </header>
  )
}

/** Returns a ref for the canvas, which is painted after each render. */
function usePainted(timeline: Layout, edges: SearchResult['edges'], view: View) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height } = view
  const paint = useMemo(
    () => (width > 0 ? createPainter(timeline, edges, readPalette()) : null),
    [timeline, edges, width],
  )
  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || !paint) return
    const ratio = window.devicePixelRatio || 1
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)]
    // Setting a size clears the canvas, even if the size is unchanged.
    if (element.width !== pixelWidth) element.width = pixelWidth
    if (element.height !== pixelHeight) element.height = pixelHeight
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(context, view)
  })
  return canvas
}

const titleOf = (found: SearchResult, id: string | undefined): string | undefined => {
  const sighting = id === undefined ? undefined : found.byId.get(id)
  return sighting && `${nameOf(sighting)}, ${boundedTime(sighting)}`
}

/** Returns the width of an element in pixels; 0 before it is measured. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observed = element.current
    if (!observed) return
    const measure = () => setWidth(observed.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element])
  return width
}
