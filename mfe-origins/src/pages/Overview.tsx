import { type BrushBehavior, brushX, type D3BrushEvent, select } from 'd3'
import { useEffect, useMemo, useRef } from 'react'
import { scaleOf } from '../model/painter'
import { clampSpan, countParts, type Span, type Timeline } from '../model/timeline'
import styles from './Overview.module.css'

const HEIGHT = 40
const PART = 6

export interface OverviewProps {
  timeline: Timeline
  span: Span
  gutter: number
  width: number
  onSpan: (span: Span) => void
}

/** How many sightings there are over the whole time; dragging over it zooms the timeline. For pointers: keys and buttons zoom, too. */
export function Overview({ timeline, span, gutter, width, onSpan }: OverviewProps) {
  const group = useRef<SVGGElement>(null)
  const brush = useRef<BrushBehavior<unknown>>(null)
  const { whole } = timeline
  const scale = useMemo(() => scaleOf({ span: whole, gutter, width }), [whole, gutter, width])
  const [left = 0, right = 0] = scale.range()
  const parts = useMemo(
    () => countParts(timeline, whole, Math.max(1, Math.floor((right - left) / PART))),
    [timeline, whole, left, right],
  )
  const most = Math.max(1, ...parts)

  useEffect(() => {
    if (!group.current || right <= left) return
    const behavior = brushX<unknown>()
      .extent([
        [left, 0],
        [right, HEIGHT],
      ])
      .on('end', ({ selection, sourceEvent }: D3BrushEvent<unknown>) => {
        // Without an event the brush was moved below.
        if (!sourceEvent) return
        if (!selection) return onSpan(whole)
        const [from, to] = selection as [number, number]
        onSpan(clampSpan([scale.invert(from).getTime(), scale.invert(to).getTime()], whole))
      })
    brush.current = behavior
    const selection = select<SVGGElement, unknown>(group.current)
    selection.call(behavior)
    return () => {
      selection.on('.brush', null)
    }
  }, [scale, left, right, whole, onSpan])
  useEffect(() => {
    if (!group.current || !brush.current || right <= left) return
    const isWhole = span[0] <= whole[0] && span[1] >= whole[1]
    brush.current.move(
      select<SVGGElement, unknown>(group.current),
      isWhole ? null : [scale(span[0]), Math.max(scale(span[1]), scale(span[0]) + 2)],
    )
  }, [span, whole, scale, left, right])

  const step = (right - left) / parts.length
  return (
    <svg className={styles.overview} width={width} height={HEIGHT} aria-hidden="true" data-testid="overview">
      {parts.map((count, part) =>
        count === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of the time keep their order
            key={part}
            className={styles.bar}
            x={left + part * step}
            width={Math.max(1, step - 1)}
            y={HEIGHT - Math.max(3, (count / most) * (HEIGHT - 4))}
            height={Math.max(3, (count / most) * (HEIGHT - 4))}
          />
        ),
      )}
      <g ref={group} className={styles.brush} />
    </svg>
  )
}
