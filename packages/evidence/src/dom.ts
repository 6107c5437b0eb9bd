import { LIMITS, parseUrl } from '@iodine/contracts'
import { splitsCharacter } from './quotes.js'

/** Version of the projection rules below; captures state the version of their text. Changed rules need a new name. */
export const PROJECTION = 'iodine-text-1'

/** Maximum UTF-16 units of `captureDom`: UTF-8 takes at most three bytes for each. */
export const DOM_MAX = Math.floor(LIMITS.blobBytes / 4)

/** Elements that are never captured, with their content: they run, load, contain user input, or are not rendered. */
const EXCLUDED = new Set(
  (
    'script style noscript template head title meta link base iframe frame frameset noframes object embed ' +
    'applet portal fencedframe noembed ' +
    'input textarea select option optgroup datalist button output meter progress'
  ).split(' '),
)
/** Elements whose content is not rendered as text. */
const WITHOUT_TEXT = new Set(
  'canvas video audio desc metadata defs symbol clippath mask pattern marker annotation annotation-xml rp'.split(
    ' ',
  ),
)
/** Elements with special parsing rules for their end: written as `pre`. */
const RAW_TEXT = new Set('xmp plaintext listing'.split(' '))
const VOID = new Set('area br col hr img source track wbr'.split(' '))
/** Elements that are blocks without a layout. */
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

/** Returns a node's type. Only elements can shadow the property, by form fields of that name. */
const typeOf = ({ nodeType }: Node): number => (typeof nodeType === 'number' ? nodeType : ELEMENT)

/**
 * Returns a node's property as its class defines it. Named fields shadow the properties of their form, such as
 * `<input name="attributes">`; named images and forms shadow those of the document (DOM clobbering).
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

/** Returns the rendered children: those of an open shadow root, the nodes assigned to a slot, or the node's own. */
const renderedChildren = (node: Node): readonly Node[] => {
  if (typeOf(node) === ELEMENT) {
    const element = node as Element
    const shadow = nodeProperty(element, 'shadowRoot')
    if (shadow) return Array.from(shadow.childNodes)
    if (nameOf(element) === 'slot' && 'assignedNodes' in element) {
      const assigned = (element as HTMLSlotElement).assignedNodes()
      if (assigned.length > 0) return assigned
    }
    if (nameOf(element) === 'details' && !element.hasAttribute('open'))
      return Array.from(element.children)
        .filter(child => nameOf(child) === 'summary')
        .slice(0, 1)
  }
  return childrenOf(node)
}

/** Display types to which browsers do not apply `content-visibility`. A fieldset is always a block. */
const UNCONTAINED = /^(inline|(inline-)?table|ruby.*)$/

/** Returns whether the page has a layout; parsed documents and those of tests have none. */
const hasLayout = (node: Node): boolean => {
  const { width = 0 } = documentOf(node)?.documentElement?.getBoundingClientRect?.() ?? {}
  return width > 0
}

/** Returns whether a text has a box in the layout. Texts in an SVG outside of `text` and of size 0 have none. */
const isRendered = (text: Node, range: Range): boolean => {
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

/** Returns an element's style: computed by the browser, or by name and attributes without a layout. */
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

/** Collects lines of text: collapses spaces, and removes them at the start and end of lines. */
class Lines {
  #parts: string[] = []
  #length = 0
  #isSpacePending = false
  /** True at the start of a line or cell, where spaces are dropped. */
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
      if (this.#isSpacePending && !this.#isAtStart) this.#push(' ')
      this.#isSpacePending = false
      this.#push(text.replace(/\r\n?/g, '\n'))
      this.#isAtStart = text.endsWith('\n')
      return
    }
    for (const [index, word] of text.split(/[ \t\n\r\f]+/).entries()) {
      if (index > 0) this.#isSpacePending = true
      if (word === '') continue
      if (this.#isSpacePending && !this.#isAtStart) this.#push(' ')
      this.#isSpacePending = false
      this.#isAtStart = false
      this.#push(word)
    }
  }

  tab(): void {
    if (this.#isLineEmpty) return
    this.#push('\t')
    this.#isSpacePending = false
    this.#isAtStart = true
  }

  /** Ends the line unless it is empty. */
  endLine(): void {
    if (!this.#isLineEmpty) this.breakLine()
    this.#isSpacePending = false
  }

  breakLine(): void {
    this.#push('\n')
    this.#isSpacePending = false
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
 * Projects a part of a page to its visible text: blocks as lines, cells separated by tabs, white space collapsed unless
 * the style preserves it.
 * - Excluded: elements that are not rendered (`display: none`, hidden, transparent, closed details, size 0), closed
 *   shadow roots, form controls, frames, alternative texts and generated content.
 * - Included, because a reader can reveal it: text that is clipped, covered, off-screen, or in the background's colour.
 *
 * Ends after `LIMITS.captureTextMax` UTF-16 units. Lone surrogates become U+FFFD, as in UTF-8. Iterative, so that deep
 * trees do not overflow the stack. Does not modify the page.
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
    for (const child of renderedChildren(node).toReversed()) steps.push({ node: child, style })
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
      if (style.isVisible && (!range || isBlank(node) || isRendered(node, range)))
        lines.write((node.nodeValue ?? '').toWellFormed().replaceAll('\0', ''), style.keepsSpaces)
    } else if (typeOf(node) === ELEMENT) {
      const element = node as Element
      const name = nameOf(element)
      if (EXCLUDED.has(name) || WITHOUT_TEXT.has(name)) continue
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

/** Attributes that contain URLs. They are kept only as absolute http(s) URLs. */
const URL_ATTRIBUTES = new Set(
  'href src poster cite data background longdesc xlink:href manifest lowsrc dynsrc profile classid codebase archive itemid'.split(
    ' ',
  ),
)
/** Attributes that load, submit, style, or contain a document. */
const EXCLUDED_ATTRIBUTES = new Set(
  'style srcdoc srcset imagesrcset ping nonce integrity action formaction attributionsrc http-equiv is shadowrootmode'.split(
    ' ',
  ),
)
const ACTIVE_SCHEME = /^(?:javascript|vbscript|data|blob|filesystem):/i

const httpUrl = (value: string, base: string): string | undefined => {
  const url = parseUrl(value, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}

const attributesOf = (element: Element): string => {
  let text = ''
  for (const { name, value } of Array.from(nodeProperty(element, 'attributes'))) {
    const key = name.toLowerCase()
    if (!/^[a-z_][a-z0-9_:.-]*$/.test(key) || key.startsWith('on') || EXCLUDED_ATTRIBUTES.has(key)) continue
    if (URL_ATTRIBUTES.has(key) || key.endsWith(':href')) {
      const url = httpUrl(value, nodeProperty(element, 'baseURI'))
      if (url !== undefined) text += ` ${key}="${escapeValue(url)}"`
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore them in schemes
    } else if (!ACTIVE_SCHEME.test(value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '')))
      text += ` ${key}="${escapeValue(value)}"`
  }
  return text
}

/**
 * Serializes a part of a page as HTML without scripts, styles, form controls, frames, comments and event handlers. URLs
 * are absolute and http(s). An open shadow root replaces the children of its host. Truncated after `DOM_MAX` UTF-16
 * units. Iterative, so that deep trees do not overflow the stack. Does not modify the page.
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
    // End tags are always written, so that the result is well-formed.
    if (typeof step === 'string') push(step)
    else if (length >= DOM_MAX) continue
    else if (typeOf(step) === TEXT || typeOf(step) === CDATA)
      push(escapeText((step.nodeValue ?? '').slice(0, DOM_MAX - length)))
    else if (typeOf(step) === ELEMENT) {
      const element = step as Element
      const name = nameOf(element)
      if (EXCLUDED.has(name) || !/^[a-z][a-z0-9-]*$/.test(name)) continue
      const written = RAW_TEXT.has(name) ? 'pre' : name
      push(`<${written}${attributesOf(element)}>`)
      if (VOID.has(name)) continue
      steps.push(`</${written}>`)
      const shadow = nodeProperty(element, 'shadowRoot')
      const children = shadow
        ? Array.from(shadow.childNodes)
        : name === 'slot'
          ? renderedChildren(element)
          : childrenOf(element)
      for (const child of children.toReversed()) steps.push(child)
    }
  }
  return parts.join('')
}
