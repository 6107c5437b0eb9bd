import { closest, contains, isConnected, matches, nameOf, parentOf, queryAll, textOf } from './dom'

/** Inline elements. All others begin a new text. */
const INLINE =
  'a,abbr,acronym,b,bdi,bdo,big,cite,code,data,del,dfn,em,font,i,ins,kbd,label,mark,nobr,output,q,ruby,s,samp,small,' +
  'span,strike,strong,sub,sup,time,tt,u,var,wbr'
const BLOCKS = `:not(:is(${INLINE}):not([contenteditable]))`
/** Elements whose text is not part of the page, or is editable. */
const UNREAD =
  'head,script,style,noscript,template,textarea,input,select,option,iframe,object,rp,rt,' +
  '[contenteditable]:not([contenteditable="false" i])'
const TEXT_MAX = 100_000

/** The nodes of a text, with each node's offset in it and data when it was read. */
interface NodePositions {
  nodes: Text[]
  starts: number[]
  data: string[]
}

/** Contiguous text, across the boundaries of inline elements. */
export interface PageText {
  text: string
  /** Undefined until first used, if the text is the whole text of its block. */
  positions: NodePositions | undefined
  block: Element
}

/** Returns the block that contains a node; undefined if its text is not read, or the node is outside of the body. */
export const blockOf = (node: Node): Element | undefined => {
  const element = node instanceof Element ? node : parentOf(node)
  if (!element || closest(element, UNREAD) || !contains(document.body, element)) return undefined
  return closest(element, BLOCKS) ?? undefined
}

/** Returns the texts of a block without those of nested blocks. */
const ownTexts = (block: Element): PageText[] => {
  const texts: PageText[] = []
  let parts: string[] = []
  let positions: NodePositions = { nodes: [], starts: [], data: [] }
  let length = 0
  const end = () => {
    const text = parts.join('')
    if (/\S/.test(text)) texts.push({ text, positions, block })
    parts = []
    positions = { nodes: [], starts: [], data: [] }
    length = 0
  }
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  let node = walker.firstChild()
  while (node) {
    let isEntered = false
    if (node instanceof Text) {
      if (length > TEXT_MAX) end()
      positions.nodes.push(node)
      positions.starts.push(length)
      positions.data.push(node.data)
      parts.push(node.data)
      length += node.data.length
    } else if (node instanceof Element) {
      if (nameOf(node) === 'br') {
        parts.push('\n')
        length++
      } else if (matches(node, BLOCKS)) end()
      else isEntered = true
    }
    let next = isEntered ? walker.firstChild() : null
    while (!next) {
      next = walker.nextSibling()
      if (!next && !walker.parentNode()) break
    }
    node = next
  }
  end()
  return texts
}

const textsOf = (block: Element, hasBlocks: boolean): PageText[] => {
  const text = hasBlocks ? undefined : (textOf(block) ?? '')
  if (text === undefined || text.length > TEXT_MAX) return ownTexts(block)
  return /\S/.test(text) ? [{ text, positions: undefined, block }] : []
}

/** Yields a block with its texts, and with `deep` also each nested block. */
export function* readTexts(root: Element, deep: boolean): Generator<[Element, PageText[]]> {
  if (!deep) return yield [root, textsOf(root, queryAll(root, BLOCKS).length > 0)]
  const blocks = [root, ...queryAll(root, BLOCKS)]
  let unread: Element | undefined
  for (const [n, block] of blocks.entries()) {
    if (unread && contains(unread, block)) continue
    if (matches(block, UNREAD)) {
      unread = block
      continue
    }
    const next = blocks[n + 1]
    yield [block, textsOf(block, next !== undefined && contains(block, next))]
  }
}

const positionsOf = (text: PageText): NodePositions | undefined => {
  if (!text.positions) {
    const positions: NodePositions = { nodes: [], starts: [], data: [] }
    const walker = document.createTreeWalker(text.block, NodeFilter.SHOW_TEXT)
    let length = 0
    for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
      positions.nodes.push(node)
      positions.starts.push(length)
      positions.data.push(node.data)
      length += node.data.length
    }
    if (positions.data.join('') !== text.text) return undefined
    text.positions = positions
  }
  return text.positions
}

/** Sets a range to a part of a text. Returns false if the text has changed since. */
export const setRange = (
  range: Range,
  text: PageText,
  { start, end }: { start: number; end: number },
): boolean => {
  const positions = positionsOf(text)
  if (!positions) return false
  const { nodes, starts, data } = positions
  const positionOf = (at: number): [Text, number] | undefined => {
    const n = starts.findLastIndex(first => first <= at)
    const node = nodes[n]
    return node && isConnected(node) && node.data === data[n] ? [node, at - (starts[n] as number)] : undefined
  }
  const first = positionOf(start)
  const last = positionOf(end - 1)
  if (!first || !last) return false
  range.setStart(...first)
  range.setEnd(last[0], last[1] + 1)
  return true
}
