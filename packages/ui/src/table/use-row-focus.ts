import { useLayoutEffect, useRef, useState } from 'react'
import { isGap } from './GapRow'
import type { RowFocus, VirtualRows } from './VirtualTable'

const ROWS = 'tr[aria-rowindex]'
/** Controls of a row, which the arrow keys reach. */
const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled)'
/** Number of the first row after the header. */
const FIRST = 2

/**
 * Makes all rows of a virtualized table one Tab stop (roving focus): the row that had the focus last. The controls of
 * the cells need a `tabIndex` of -1. If scrolling removes the focused row, the frame receives the focus.
 * @param hasMore whether the end of the list loads further rows: steps beyond the last row apply once those are loaded
 */
export function useRowFocus<T extends { id: string }>(rows: VirtualRows<T>, hasMore = false): RowFocus {
  const { items, from, to, frame, offset, rowHeight, scrollTo } = rows
  const [activeId, setActiveId] = useState<string | null>(null)
  const active = activeId === null ? -1 : items.findIndex(({ id }) => id === activeId)
  const wanted = useRef<number>(null)
  const hasFocus = useRef(false)
  /** Steps beyond the last row that await further rows. */
  const ahead = useRef(0)
  const rowAt = (index: number) =>
    frame.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${index + FIRST}"]`)
  const indexOf = (element: Element | null): number => {
    const row = frame.current?.contains(element) ? element?.closest(ROWS) : null
    return row ? Number(row.getAttribute('aria-rowindex')) - FIRST : -1
  }
  const focusWanted = () => {
    const row = wanted.current === null ? null : rowAt(wanted.current)
    if (!row) return
    wanted.current = null
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }
  const move = (step: number) => {
    const last = items.length - 1
    const inView = Math.min(Math.ceil(offset / rowHeight), last)
    const aim = active === -1 ? inView : active + ahead.current + step
    ahead.current = hasMore ? Math.max(0, aim - last) : 0
    const target = Math.max(0, Math.min(aim, last))
    const item = items[target]
    if (!item || isGap(item)) return
    wanted.current = target
    setActiveId(item.id)
    if (target < from || target >= to) scrollTo(target)
    focusWanted()
  }
  useLayoutEffect(focusWanted)
  useLayoutEffect(() => {
    if (ahead.current > 0 && active < items.length - 1) move(0)
  })
  useLayoutEffect(() => {
    // Scrolling removed the focused row, or its focused control was disabled.
    if (hasFocus.current && document.activeElement === document.body)
      (rowAt(active) ?? frame.current)?.focus({ preventScroll: true })
  })
  return {
    index: Math.max(active, 0),
    focused: () => indexOf(document.activeElement),
    move,
    moveInRow: step => {
      const focused = document.activeElement
      const row = focused?.closest<HTMLElement>(ROWS)
      if (!row) return
      const stops = [row, ...row.querySelectorAll<HTMLElement>(CONTROLS)]
      stops[stops.indexOf(focused as HTMLElement) + step]?.focus()
    },
    onFocus: ({ target }) => {
      const item = items[indexOf(target)]
      if (!item) return
      hasFocus.current = true
      setActiveId(item.id)
    },
    onBlur: ({ relatedTarget }) => {
      hasFocus.current = indexOf(relatedTarget as Element | null) !== -1
      if (!hasFocus.current) ahead.current = 0
    },
  }
}
