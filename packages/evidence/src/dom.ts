import { LIMITS } from '@iodine/contracts'
import { splitsCharacter } from './quotes.js'

/** Name of the rules below. Other rules get another name: captures say which made their text. */
export const PROJECTION = 'iodine-text-1'

/** Characters of `captureDom`: UTF-8 takes at most three bytes for each. */
export const DOM_MAX = Math.floor(LIMITS.blobBytes / 4)

/** Never captured, with all that they contain: they run, load, hold what the reader typed, or are not drawn. */
const LEFT_OUT = new Set(
  (
    'script style noscript template head title meta link base iframe frame frameset noframes object embed ' +
    'applet portal fencedframe noembed ' +
    'input textarea select option optgroup datalist button output meter progress'
  ).split(' '),
)
/** Drawn by other means than their content, or not at all. */
const WITHOUT_TEXT = new Set(
  'canvas video audio desc metadata defs symbol clippath mask pattern marker annotation annotation-xml rp'.split(
    ' ',
  ),
)
/** Their end is found by other rules than that of other elements: written as `pre`. */
const RAW_TEXT = new Set('xmp plaintext listing'.split(' '))
const VOID = new Set('area br col hr img source track wbr'.split(' '))
/** Lines of their own where no layout says otherwise. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search ' +
    'section summary table tbody tfoot thead tr ul xmp'
  ).split(' '),
)

const ELEMENT = 1
const TEXT = 3
const CDATA = 4
const FRAGMENT = 11

/** A node's type; only elements can hide theirs. */
const typeOf = ({ nodeType }: Node): number => (typeof nodeType === 'number' ? nodeType : ELEMENT)

/**
 * Returns a node's property as its class defines it. The fields of a form hide the form's own properties, such as
 * `<input name="attributes">`, and pictures and forms those of the document.
 */
export const nodeProperty = <N extends Node, K extends keyof N>(node: N, name: K): N[K] => {
  const type: string = node[Symbol.toStringTag as never]
  if (type !== 'HTMLFormElement' && type !== 'HTMLDocument') return node[name]
  for (let of = Object.getPrototypeOf(node); of; of = Object.getPrototypeOf(of)) {
    const found = Object.getOwnPropertyDescriptor(of, name)
    if (found) return found.get ? found.get.call(node) : found.value
  }
  return node[name]
}

const nameOf = (element: Element): string => nodeProperty(element, 'localName').toLowerCase()
const childrenOf = (node: Node): Node[] =>
  Array.from(typeOf(node) === ELEMENT ? nodeProperty(node as Element, 'childNodes') : node.childNodes)
const documentOf = (node: Node): Document | null =>
  typeOf(node) === ELEMENT ? nodeProperty(node as Element, 'ownerDocument') : node.ownerDocument
const hasAttribute = (element: Element, name: string): boolean =>
  nodeProperty(element, 'hasAttribute').call(element, name)

/** What is drawn in an element's place: an open shadow root instead of its children, and what a slot is given. */
const shownChildren = (node: Node): readonly Node[] => {
  if (typeOf(node) === ELEMENT) {
    const element = node as Element
    const shadow = nodeProperty(element, 'shadowRoot')
    if (shadow) return Array.from(shadow.childNodes)
    if (nameOf(element) === 'slot' && 'assignedNodes' in element) {
      const given = (element as HTMLSlotElement).assignedNodes()
      if (given.length > 0) return given
    }
    if (nameOf(element) === 'details' && !element.hasAttribute('open'))
      return Array.from(element.children)
        .filter(child => nameOf(child) === 'summary')
        .slice(0, 1)
  }
  return childrenOf(node)
}

/** Boxes to which browsers do not apply `content-visibility`. A fieldset is a block in any case. */
const UNCONTAINED = /^(inline|(inline-)?table|ruby.*)$/

/** Whether that page has a layout; a parsed document and those of tests have none. */
const hasLayout = (node: Node): boolean => {
  const { width = 0 } = documentOf(node)?.documentElement?.getBoundingClientRect?.() ?? {}
  return width > 0
}

/** Whether the layout has a place for a text: not in an SVG outside of `text`, not of the size 0. */
const isDrawn = (text: Node, range: Range): boolean => {
  range.selectNodeContents(text)
  return Array.from(range.getClientRects()).some(({ width, height }) => width > 0 && height > 0)
}

const isBlank = (text: Node): boolean => !/\S/.test(text.nodeValue ?? '')

interface Style {
  isShown: boolean
  isVisible: boolean
  isBlock: boolean
  isCell: boolean
  keepsSpaces: boolean
}

/** How an element is drawn: as the browser says, or by its name and attributes where there is no layout. */
const styleOf = (element: Element, inherited: Style, isLaidOut: boolean): Style => {
  const name = nameOf(element)
  const computed = documentOf(element)?.defaultView?.getComputedStyle?.(element)
  const display = computed?.display ?? ''
  const isHidden =
    display === 'none' ||
    (!isLaidOut && hasAttribute(element, 'hidden')) ||
    computed?.opacity === '0' ||
    (computed?.getPropertyValue('content-visibility') === 'hidden' &&
      (name === 'fieldset' || !UNCONTAINED.test(display)))
  const whiteSpace = computed?.whiteSpace ?? ''
  const visibility = computed?.visibility ?? ''
  return {
    isShown: !isHidden || display === 'contents',
    isVisible: visibility === '' ? inherited.isVisible : visibility === 'visible',
    isBlock:
      display === '' || display === 'inline'
        ? display === '' && BLOCKS.has(name)
        : !/^(inline|ruby|contents|table-cell|table-column)/.test(display),
    isCell: display === 'table-cell' || name === 'td' || name === 'th',
    keepsSpaces:
      whiteSpace === ''
        ? inherited.keepsSpaces || name === 'pre' || RAW_TEXT.has(name)
        : /^(pre|break-spaces)/.test(whiteSpace),
  }
}

const ROOT: Style = { isShown: true, isVisible: true, isBlock: true, isCell: false, keepsSpaces: false }

/** Collects lines of text: spaces in between are one, and no line begins or ends with one. */
class Lines {
  #parts: string[] = []
  #length = 0
  #isSpaceDue = false
  /** No space is wanted here. */
  #isAtStart = true
  #isLineEmpty = true

  get isFull(): boolean {
    return this.#length >= LIMITS.captureTextMax
  }

  #push(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
    this.#isLineEmpty = text.endsWith('\n')
  }

  write(text: string, keepsSpaces: boolean): void {
    if (keepsSpaces) {
      if (text === '') return
      if (this.#isSpaceDue && !this.#isAtStart) this.#push(' ')
      this.#isSpaceDue = false
      this.#push(text.replace(/\r\n?/g, '\n'))
      this.#isAtStart = text.endsWith('\n')
      return
    }
    for (const [index, word] of text.split(/[ \t\n\r\f]+/).entries()) {
      if (index > 0) this.#isSpaceDue = true
      if (word === '') continue
      if (this.#isSpaceDue && !this.#isAtStart) this.#push(' ')
      this.#isSpaceDue = false
      this.#isAtStart = false
      this.#push(word)
    }
  }

  tab(): void {
    if (this.#isLineEmpty) return
    this.#push('\t')
    this.#isSpaceDue = false
    this.#isAtStart = true
  }

  /** Ends the line, unless it is empty. */
  endLine(): void {
    if (!this.#isLineEmpty) this.breakLine()
    this.#isSpaceDue = false
  }

  breakLine(): void {
    this.#push('\n')
    this.#isSpaceDue = false
    this.#isAtStart = true
  }

  toString(): string {
    const text = this.#parts
      .join('')
      .replace(/[ \t]+(?=\n)/g, '')
      .replace(/^\n+|[ \t\n]+$/g, '')
    if (text.length <= LIMITS.captureTextMax) return text
    const end = LIMITS.captureTextMax
    return text.slice(0, splitsCharacter(text, end) ? end - 1 : end)
  }
}

/**
 * The text that a person sees of a part of a page: blocks as lines, cells apart by tabs, runs of white space as one
 * space unless they are kept. Not in it: what is not drawn (`display: none`, hidden or transparent elements, closed
 * details, text of the size 0), closed shadow roots, form controls, frames, alternative texts and generated content.
 * In it, as a reader can bring it to light: what is cut off, covered, beside the screen, or as pale as its ground.
 * Ends after `LIMITS.captureTextMax` UTF-16 units. Halves of characters become U+FFFD, as in UTF-8. Iterative: depth
 * does not matter. The page is only read.
 */
export const projectText = (root: Node): string => {
  const lines = new Lines()
  const range = hasLayout(root) ? documentOf(root)?.createRange() : undefined
  const isLaidOut = range !== undefined
  type Step = { node: Node; style: Style } | { after: Style }
  const start =
    typeOf(root) === ELEMENT
      ? { ...styleOf(root as Element, ROOT, isLaidOut), isShown: true, isVisible: true }
      : ROOT
  const steps: Step[] = [{ after: start }]
  const descend = (node: Node, style: Style) => {
    for (const child of shownChildren(node).toReversed()) steps.push({ node: child, style })
  }
  descend(root, start)
  for (let step = steps.pop(); step && !lines.isFull; step = steps.pop()) {
    if ('after' in step) {
      if (step.after.isBlock) lines.endLine()
      else if (step.after.isCell) lines.tab()
      continue
    }
    const { node, style } = step
    if (typeOf(node) === TEXT || typeOf(node) === CDATA) {
      if (style.isVisible && (!range || isBlank(node) || isDrawn(node, range)))
        lines.write((node.nodeValue ?? '').toWellFormed().replaceAll('\0', ''), style.keepsSpaces)
    } else if (typeOf(node) === ELEMENT) {
      const element = node as Element
      const name = nameOf(element)
      if (LEFT_OUT.has(name) || WITHOUT_TEXT.has(name)) continue
      const own = styleOf(element, style, isLaidOut)
      if (!own.isShown) continue
      if (name === 'br') {
        if (own.isVisible) lines.breakLine()
        continue
      }
      if (own.isBlock) lines.endLine()
      steps.push({ after: own })
      descend(element, own)
    } else if (typeOf(node) === FRAGMENT) descend(node, style)
  }
  return lines.toString()
}

const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
const escapeValue = (text: string): string => escapeText(text).replaceAll('"', '&quot;')

/** Attributes whose value is loaded or followed. They are kept as absolute http(s) addresses alone. */
const ADDRESSES = new Set(
  'href src poster cite data background longdesc xlink:href manifest lowsrc dynsrc profile classid codebase archive itemid'.split(
    ' ',
  ),
)
/** Attributes that load, submit, style, or hold a document. */
const LEFT_OUT_ATTRIBUTES = new Set(
  'style srcdoc srcset imagesrcset ping nonce integrity action formaction attributionsrc http-equiv is shadowrootmode'.split(
    ' ',
  ),
)
const RUNS = /^(?:javascript|vbscript|data|blob|filesystem):/i

const httpAddress = (value: string, base: string): string | undefined => {
  if (!URL.canParse(value, base)) return undefined
  const url = new URL(value, base)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
}

const attributesOf = (element: Element): string => {
  let text = ''
  for (const { name, value } of Array.from(nodeProperty(element, 'attributes'))) {
    const key = name.toLowerCase()
    if (!/^[a-z_][a-z0-9_:.-]*$/.test(key) || key.startsWith('on') || LEFT_OUT_ATTRIBUTES.has(key)) continue
    if (ADDRESSES.has(key) || key.endsWith(':href')) {
      const address = httpAddress(value, nodeProperty(element, 'baseURI'))
      if (address !== undefined) text += ` ${key}="${escapeValue(address)}"`
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore them in schemes
    } else if (!RUNS.test(value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')))
      text += ` ${key}="${escapeValue(value)}"`
  }
  return text
}

/**
 * The HTML of a part of a page, made without touching the page: without scripts, styles, form controls, frames,
 * comments and event handlers; addresses are absolute and http(s). Open shadow roots stand in their hosts' place. At
 * most a quarter of `LIMITS.blobBytes` characters: what follows is left out. Iterative: depth does not matter.
 */
export const captureDom = (root: Element): string => {
  const parts: string[] = []
  let length = 0
  const push = (text: string) => {
    parts.push(text)
    length += text.length
  }
  const steps: (Node | string)[] = [root]
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    // Ends of elements are always written, so that the result is whole.
    if (typeof step === 'string') push(step)
    else if (length >= DOM_MAX) continue
    else if (typeOf(step) === TEXT || typeOf(step) === CDATA)
      push(escapeText((step.nodeValue ?? '').slice(0, DOM_MAX - length)))
    else if (typeOf(step) === ELEMENT) {
      const element = step as Element
      const name = nameOf(element)
      if (LEFT_OUT.has(name) || !/^[a-z][a-z0-9-]*$/.test(name)) continue
      const written = RAW_TEXT.has(name) ? 'pre' : name
      push(`<${written}${attributesOf(element)}>`)
      if (VOID.has(name)) continue
      steps.push(`</${written}>`)
      const shadow = nodeProperty(element, 'shadowRoot')
      const children = shadow
        ? Array.from(shadow.childNodes)
        : name === 'slot'
          ? shownChildren(element)
          : childrenOf(element)
      for (const child of children.toReversed()) steps.push(child)
    }
  }
  return parts.join('')
}
