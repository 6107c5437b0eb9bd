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

/**
 * A histogram of all occurrences over time; dragging over it zooms the timeline. Only for pointers: keys and buttons
 * zoom as well.
 */
export function Overview({ timeline, span, gutter, width, onSpan }: OverviewProps) {
  const group = useRef<SVGGElement>(null)
  const brush = useRef<BrushBehavior<unknown>>(null)
  const { fullSpan } = timeline
  const scale = useMemo(() => scaleOf({ span: fullSpan, gutter, width }), [fullSpan, gutter, width])
  const [left = 0, right = 0] = scale.range()
  const parts = useMemo(
    () => countParts(timeline, fullSpan, Math.max(1, Math.floor((right - left) / PART))),
    [timeline, fullSpan, left, right],
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
        // Without an event, the effect below moved the brush.
        if (!sourceEvent) return
        if (!selection) return onSpan(fullSpan)
        const [from, to] = selection as [number, number]
        onSpan(clampSpan([scale.invert(from).getTime(), scale.invert(to).getTime()], fullSpan))
      })
    brush.current = behavior
    const selection = select<SVGGElement, unknown>(group.current)
    selection.call(behavior)
    return () => {
      selection.on('.brush', null)
    }
  }, [scale, left, right, fullSpan, onSpan])
  useEffect(() => {
    if (!group.current || !brush.current || right <= left) return
    const isFullSpan = span[0] <= fullSpan[0] && span[1] >= fullSpan[1]
    brush.current.move(
      select<SVGGElement, unknown>(group.current),
      isFullSpan ? null : [scale(span[0]), Math.max(scale(span[1]), scale(span[0]) + 2)],
    )
  }, [span, fullSpan, scale, left, right])

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
