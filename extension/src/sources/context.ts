import {
  cutText,
  exactTime,
  isRoute,
  LIMITS,
  pageAddress,
  parseUrl,
  type RecordContext,
} from '@iodine/contracts'
import { nodeProperty, projectText } from '@iodine/evidence/dom'
import { addressOf, filled, textOf } from './read'

/** Returns the first value that is a time with a zone, in the contract's format; undefined if none is. */
export const timeOf = (...values: unknown[]): string | undefined =>
  values.map(value => exactTime(textOf(value) ?? '')).find(time => time !== undefined)

const query = (root: ParentNode, selector: string): Element[] => [
  ...nodeProperty(root, 'querySelectorAll').call(root, selector),
]

/** Returns a part of a page, and the open shadow roots in it. */
const rootsOf = (part: ParentNode): ParentNode[] => {
  const roots = [part]
  for (const root of roots)
    for (const element of [root, ...query(root, '*')]) {
      const shadow = nodeProperty(element as Element, 'shadowRoot')
      if (shadow) roots.push(shadow)
    }
  return roots
}

/** Returns the matching elements of a part of a page, those in open shadow roots last. */
export const allIn = (part: ParentNode, selector: string): Element[] =>
  rootsOf(part).flatMap(root => query(root, selector))

/** Returns the parent element, or the host of the shadow root. */
const parentOf = (element: Element): Element | undefined => {
  const parent = nodeProperty(element, 'parentElement')
  if (parent) return parent
  const root = nodeProperty(element, 'getRootNode').call(element)
  return root.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? (root as Partial<ShadowRoot>).host : undefined
}

/** Returns the matching elements that are nested in no other match. */
const outermost = (part: ParentNode, selector: string): Element[] =>
  allIn(part, selector).filter(element => {
    for (let parent = parentOf(element); parent; parent = parentOf(parent))
      if (nodeProperty(parent, 'matches').call(parent, selector)) return false
    return true
  })

const MAIN = 'main, [role="main"]'
const ARTICLE = 'article, [role="article"]'
const BODY = '[itemprop~="articleBody"]'
/** Minimum ratio of the longest article's length to the next, to distinguish it from teasers and comments. */
const LONGER = 3

const TITLE_MAX = 2_000
/** Returns the words of a title for comparison, without case and punctuation. */
export const titleWords = (text: string | null | undefined): string =>
  (text ?? '')
    .slice(0, TITLE_MAX)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u00ad\u200b]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
/** Returns whether `titleWords` contain other ones, which must not be empty. */
export const containsWords = (words: string, part: string): boolean =>
  part !== '' && ` ${words} `.includes(` ${part} `)
/** Returns whether a title contains another one, as whole words. */
export const containsTitle = (title: string | null | undefined, part: string | null | undefined): boolean =>
  containsWords(titleWords(title), titleWords(part))

/** Returns the headings of a part of a page: all `h1`, else the first `h2`. */
const headingsOf = (part: ParentNode): string[] => {
  const [first, second] = ['h1', 'h2'].map(level =>
    allIn(part, level).flatMap(({ textContent }) => textOf(textContent?.trim()) ?? []),
  )
  return first?.length ? first : (second?.slice(0, 1) ?? [])
}
/** Returns the first `h1` of a part of a page. */
export const headingOf = (part: ParentNode): string | undefined =>
  allIn(part, 'h1')
    .map(({ textContent }) => textOf(textContent?.trim()))
    .find(Boolean)

const pageTitles = (page: Document): string[] => [
  nodeProperty(page, 'title'),
  ...query(page, 'meta[property="og:title"], meta[name="og:title"]').map(
    meta => meta.getAttribute('content') ?? '',
  ),
]
/** Returns the length of the longest heading that the page's title contains; zero for none. */
const matchedLength = (titles: string[], headings: string[]): number =>
  headings
    .filter(heading => titles.some(title => containsTitle(title, heading)))
    .reduce((longest, heading) => Math.max(longest, titleWords(heading).length), 0)

/** Returns the part with the longest heading that the page's title contains. */
const titledAs = (page: Document, parts: Element[]): { part: Element; length: number } | undefined => {
  const titles = pageTitles(page)
  const [best, next] = parts
    .map(part => ({ part, length: matchedLength(titles, headingsOf(part)) }))
    .sort((a, b) => b.length - a.length)
  return best && best.length > (next?.length ?? 0) ? best : undefined
}

const isShown = (part: Element): boolean =>
  !nodeProperty(part, 'hasAttribute').call(part, 'hidden') &&
  nodeProperty(part, 'checkVisibility')?.call(part) !== false
const lengthOf = (root: ParentNode): number => nodeProperty(root, 'textContent')?.length ?? 0

/**
 * Returns the principal part: the one with the page's title, else the only one with a heading, else the longest by
 * far.
 */
const principal = (page: Document, parts: Element[]): Element | undefined => {
  const shown = parts.filter(isShown)
  if (shown.length < 2) return shown[0] ?? (parts.length === 1 ? parts[0] : undefined)
  const titled = titledAs(page, shown)
  if (titled) return titled.part
  for (const few of [shown.filter(headingOf), shown.filter(part => headingsOf(part).length > 0)])
    if (few.length === 1) return few[0]
  const [longest, next] = shown
    .map(part => ({ part, length: rootsOf(part).reduce((sum, root) => sum + lengthOf(root), 0) }))
    .sort((a, b) => b.length - a.length)
  return longest && next && longest.length > LONGER * next.length ? longest.part : undefined
}

/**
 * Returns the main part or the article of a page. Among several articles (endless scrolling), it is the one with the
 * page's title, unless the main part has that title above them.
 */
export const articlePart = (of: Document): Element | undefined => {
  const main = principal(of, outermost(of, MAIN))
  const articles = outermost(main ?? of, ARTICLE)
  if (!main) return principal(of, articles) ?? principal(of, outermost(of, BODY))
  const headed = articles.filter(article => isShown(article) && headingsOf(article).length > 0)
  const titled = headed.length > 1 ? titledAs(of, headed) : undefined
  if (!titled) return main
  const above = allIn(main, 'h1').filter(heading => heading.closest(ARTICLE) === null)
  const inMain = matchedLength(
    pageTitles(of),
    above.map(({ textContent }) => textContent ?? ''),
  )
  return inMain >= titled.length ? main : titled.part
}

/** Returns the visible text of a part of a page, up to the limit. */
export const partText = (part: Element): string | undefined => {
  const text = projectText(part).replaceAll('\0', '').trim()
  return text === '' ? undefined : cutText(text, LIMITS.contextTextMax)
}

/** Returns the web URLs that a part of a page links to, each once. */
export const linksIn = (part: Element, base: string): string[] | undefined => {
  const own = pageAddress(base.replace(/#.*$/s, ''))
  const links = allIn(part, 'a[href]').flatMap(link => {
    const address = addressOf(link.getAttribute('href'), base)
    const hash = (address && parseUrl(address)?.hash) ?? ''
    // A fragment of the same page is no link.
    const isHere = hash !== '' && !isRoute(hash) && pageAddress(address ?? '') === own
    return address === undefined || isHere ? [] : [address]
  })
  const unique = [...new Set(links)].slice(0, LIMITS.contextLinksMax)
  return unique.length > 0 ? unique : undefined
}

/** Returns pictures without hashes. */
export const mediaOf = (addresses: string[]): RecordContext['media'] | undefined =>
  addresses.length > 0
    ? [...new Set(addresses)].slice(0, LIMITS.contextMediaMax).map(url => ({ url }))
    : undefined

/** Returns the context as a field of a record; no field if it is empty. */
export const contextOf = (fields: RecordContext): { context?: RecordContext } => {
  const context = filled(fields)
  return context ? { context } : {}
}
