const words = new Intl.Segmenter('und', { granularity: 'word' })

type Direction = 'forward' | 'backward'

/** Moves the end of the selection in `element` by a character or a word. Browsers do this only in editable elements. */
export function extendSelection(element: HTMLElement, direction: Direction, by: 'character' | 'word'): void {
  const selection = window.getSelection()
  if (selection && selectedOffsets(element, selection)) selection.modify('extend', direction, by)
}

/**
 * Selects the word after ('forward') or before the selection in `element`. Without a selection there, it selects the
 * first or last word.
 */
export function selectWord(element: HTMLElement, direction: Direction): void {
  const selection = window.getSelection()
  if (!selection) return
  const text = element.textContent
  const [start, end] =
    selectedOffsets(element, selection) ?? (direction === 'forward' ? [0, 0] : [text.length, text.length])
  const spans = [...words.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ index, segment }): [number, number] => [index, index + segment.length])
  const next =
    direction === 'forward' ? spans.find(([from]) => from >= end) : spans.findLast(([, to]) => to <= start)
  if (!next) return
  const [from, to] = next.map(offset => pointAt(element, offset))
  if (from && to) selection.setBaseAndExtent(from.node, from.offset, to.node, to.offset)
}

function selectedOffsets(element: HTMLElement, selection: Selection): [number, number] | null {
  if (selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (!element.contains(range.startContainer) || !element.contains(range.endContainer)) return null
  const before = document.createRange()
  before.selectNodeContents(element)
  before.setEnd(range.startContainer, range.startOffset)
  const start = before.toString().length
  return [start, start + range.toString().length]
}

/** Returns the text node at `offset` characters into the element's text, and the offset in that node. */
function pointAt(element: HTMLElement, offset: number): { node: Node; offset: number } | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let left = offset
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0
    if (left <= length) return { node, offset: left }
    left -= length
  }
  return null
}
