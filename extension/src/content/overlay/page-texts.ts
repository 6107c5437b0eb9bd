import { closest, contains, isConnected, matches, nameOf, parentOf, queryAll, textOf } from './dom'

/** Elements that go on in a line: all others begin a text of their own. */
const INLINE =
  'a,abbr,acronym,b,bdi,bdo,big,cite,code,data,del,dfn,em,font,i,ins,kbd,label,mark,nobr,output,q,ruby,s,samp,small,' +
  'span,strike,strong,sub,sup,time,tt,u,var,wbr'
const BLOCKS = `:not(:is(${INLINE}):not([contenteditable]))`
/** Elements whose text is not that of the page, or that a person writes in. */
const UNREAD =
  'head,script,style,noscript,template,textarea,input,select,option,iframe,object,rp,rt,' +
  '[contenteditable]:not([contenteditable="false" i])'
const TEXT_MAX = 100_000

/** The nodes of a text, where each one begins in it, and what each one said. */
interface Places {
  nodes: Text[]
  starts: number[]
  data: string[]
}

/** Text that goes on in a line, over the boundaries of inline elements. */
export interface PageText {
  text: string
  /** Undefined for all of its block's text, until it is asked for. */
  places: Places | undefined
  block: Element
}

/** The element whose texts a node is in; undefined if they are not read, or the node is not in the page's body. */
export const blockOf = (node: Node): Element | undefined => {
  const element = node instanceof Element ? node : parentOf(node)
  if (!element || closest(element, UNREAD) || !contains(document.body, element)) return undefined
  return closest(element, BLOCKS) ?? undefined
}

/** The texts of a block without those of blocks in it. */
const ownTexts = (block: Element): PageText[] => {
  const texts: PageText[] = []
  let parts: string[] = []
  let places: Places = { nodes: [], starts: [], data: [] }
  let length = 0
  const end = () => {
    const text = parts.join('')
    if (/\S/.test(text)) texts.push({ text, places, block })
    parts = []
    places = { nodes: [], starts: [], data: [] }
    length = 0
  }
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  let node = walker.firstChild()
  while (node) {
    let isEntered = false
    if (node instanceof Text) {
      if (length > TEXT_MAX) end()
      places.nodes.push(node)
      places.starts.push(length)
      places.data.push(node.data)
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
  return /\S/.test(text) ? [{ text, places: undefined, block }] : []
}

/** Reads the texts of a block, and with `deep` those of all blocks in it: yields each block with its texts. */
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

const placesOf = (text: PageText): Places | undefined => {
  if (!text.places) {
    const places: Places = { nodes: [], starts: [], data: [] }
    const walker = document.createTreeWalker(text.block, NodeFilter.SHOW_TEXT)
    let length = 0
    for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
      places.nodes.push(node)
      places.starts.push(length)
      places.data.push(node.data)
      length += node.data.length
    }
    if (places.data.join('') !== text.text) return undefined
    text.places = places
  }
  return text.places
}

/** Sets a range to a part of a text. False if the page says something else there by now. */
export const setRange = (
  range: Range,
  text: PageText,
  { start, end }: { start: number; end: number },
): boolean => {
  const places = placesOf(text)
  if (!places) return false
  const { nodes, starts, data } = places
  const placeOf = (at: number): [Text, number] | undefined => {
    const n = starts.findLastIndex(first => first <= at)
    const node = nodes[n]
    return node && isConnected(node) && node.data === data[n] ? [node, at - (starts[n] as number)] : undefined
  }
  const first = placeOf(start)
  const last = placeOf(end - 1)
  if (!first || !last) return false
  range.setStart(...first)
  range.setEnd(last[0], last[1] + 1)
  return true
}
