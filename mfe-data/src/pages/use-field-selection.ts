import { type RefObject, useEffect, useState } from 'react'
import type { TextSelection } from '../model/record-view'

/** Marks the element that contains a value's text, its buttons and the slot of its bubble. */
export const VALUE_ATTRIBUTE = 'data-iod-value'
/** Marks the element that contains a field's text; its value is the field's path. */
export const FIELD_ATTRIBUTE = 'data-iod-path'
/** The JSON pointer of the field's text, if the record contains the same text. */
export const POINTER_ATTRIBUTE = 'data-iod-pointer'
/** Marks the empty element of the value that receives the floating button. */
export const SLOT_ATTRIBUTE = 'data-iod-slot'

export interface FieldSelection extends TextSelection {
  slot: Element
  /** Position of the button at the end of the selection, in pixels from the top left corner of the slot's parent. */
  left: number
  top: number
  /** Distance from `left` to the right edge of the container, in pixels. */
  room: number
}

const BUTTON_WIDTH = 64

/** Returns the selection inside one field value of `container`, made by mouse, touch or keyboard. */
export function useFieldSelection(container: RefObject<HTMLElement | null>): FieldSelection | null {
  const [selected, setSelected] = useState<FieldSelection | null>(null)
  useEffect(() => {
    let isPointerDown = false
    const update = () => setSelected(container.current && readSelection(container.current))
    const onSelectionChange = () => {
      // The button must not follow the mouse during a drag.
      if (!isPointerDown) update()
    }
    const onPointerDown = (event: PointerEvent) => {
      isPointerDown = event.pointerType === 'mouse'
    }
    // The browser changes the selection after this event.
    const onPointerUp = () => {
      isPointerDown = false
      setTimeout(update)
    }
    const onMove = () =>
      setSelected(current => current && container.current && readSelection(container.current))
    const shown = new AbortController()
    const { signal } = shown
    document.addEventListener('selectionchange', onSelectionChange, { signal })
    document.addEventListener('pointerdown', onPointerDown, { signal })
    document.addEventListener('pointerup', onPointerUp, { signal })
    document.addEventListener('pointercancel', onPointerUp, { signal })
    document.addEventListener('scroll', onMove, { capture: true, signal })
    window.addEventListener('resize', onMove, { signal })
    return () => shown.abort()
  }, [container])
  return selected
}

/** Reads the current selection inside one field value of the container. */
export function readSelection(container: HTMLElement): FieldSelection | null {
  const selection = window.getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const { anchorNode } = selection
  const anchor = anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement
  const field = anchor?.closest(`[${FIELD_ATTRIBUTE}]`)
  if (!field || !container.contains(field)) return null
  const slot = field.closest(`[${VALUE_ATTRIBUTE}]`)?.querySelector(`[${SLOT_ATTRIBUTE}]`)
  const frame = slot?.parentElement
  if (!slot || !frame) return null
  // A triple click may select beyond the field: the range is clipped to the field.
  const range = selection.getRangeAt(0).cloneRange()
  if (!field.contains(range.startContainer)) range.setStart(field, 0)
  if (!field.contains(range.endContainer)) range.setEnd(field, field.childNodes.length)
  const selected = range.toString()
  const value = selected.trim()
  if (value === '') return null
  const before = document.createRange()
  before.selectNodeContents(field)
  before.setEnd(range.startContainer, range.startOffset)
  const start = before.toString().length + (selected.length - selected.trimStart().length)
  const pointer = field.getAttribute(POINTER_ATTRIBUTE)
  const lines = range.getClientRects()
  const end = lines[lines.length - 1] ?? range.getBoundingClientRect()
  const origin = frame.getBoundingClientRect()
  const visibleEnd = Math.min(end.bottom, field.getBoundingClientRect().bottom)
  const left = Math.max(0, Math.min(end.right - origin.left, origin.width - BUTTON_WIDTH))
  return {
    path: field.getAttribute(FIELD_ATTRIBUTE) ?? '',
    value,
    range: pointer === null ? null : { pointer, start, end: start + value.length },
    slot,
    left,
    room: container.getBoundingClientRect().right - origin.left - left,
    top: Math.max(0, visibleEnd - origin.top) + 4,
  }
}
