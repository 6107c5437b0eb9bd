import { cutText, exactTime, isRoute, LIMITS, type RecordContext } from '@iodine/contracts'
import { projectText } from '@iodine/evidence'
import { addressOf, filled, textOf, urlOf } from './read'

/** The first of the values that is a time with its zone, as the contract accepts it; undefined if none is. */
export const timeOf = (...values: unknown[]): string | undefined =>
  values.map(value => exactTime(textOf(value) ?? '')).find(time => time !== undefined)

/** A part of a page, and the open shadow roots in it. */
const rootsOf = (part: ParentNode): ParentNode[] => {
  const roots = [part]
  for (const root of roots) {
    if ('shadowRoot' in root && root.shadowRoot) roots.push(root.shadowRoot as ShadowRoot)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot)
  }
  return roots
}

/** The elements of a part of a page that match, those in open shadow roots last. */
export const allIn = (part: ParentNode, selector: string): Element[] =>
  rootsOf(part).flatMap(root => [...root.querySelectorAll(selector)])

/** The element around one, or the host of its shadow root. */
const parentOf = (element: Element): Element | undefined =>
  element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host

/** Those that are within no other one. */
const outermost = (part: ParentNode, selector: string): Element[] =>
  allIn(part, selector).filter(element => {
    for (let parent = parentOf(element); parent; parent = parentOf(parent))
      if (parent.matches(selector)) return false
    return true
  })

const MAIN = 'main, [role="main"]'
const ARTICLE = 'article, [role="article"]'
const BODY = '[itemprop~="articleBody"]'
/** How many times longer than the next one an article is that stands among teasers or comments. */
const LONGER = 3

const wordsOf = (text: string | null | undefined): string =>
  (text ?? '').replace(/\s+/g, ' ').trim().toLowerCase()
const titlesIn = (part: Element): string[] =>
  allIn(part, 'h1')
    .map(title => wordsOf(title.textContent))
    .filter(title => title !== '')
/** Those with a title that is the page's. */
const titledAs = (page: Document, parts: Element[]): Element[] =>
  parts.filter(part => titlesIn(part).some(title => wordsOf(page.title).includes(title)))

/** The one of several parts that a page is about: that with the page's title, the only one with a title, the longest by far. */
const principal = (page: Document, parts: Element[]): Element | undefined => {
  const shown = parts.filter(part => !part.hasAttribute('hidden') && part.checkVisibility?.() !== false)
  if (shown.length < 2) return shown[0] ?? (parts.length === 1 ? parts[0] : undefined)
  for (const few of [titledAs(page, shown), shown.filter(part => titlesIn(part).length > 0)])
    if (few.length === 1) return few[0]
  const [longest, next] = shown
    .map(part => ({
      part,
      length: rootsOf(part).reduce((sum, root) => sum + ((root as Node).textContent?.length ?? 0), 0),
    }))
    .sort((a, b) => b.length - a.length)
  return longest && next && longest.length > LONGER * next.length ? longest.part : undefined
}

/**
 * The part of a page that is about one thing: its main part, or its article. Of several articles in endless scrolling it is
 * the one with the page's title.
 */
export const articlePart = (of: Document): Element | undefined => {
  const main = principal(of, outermost(of, MAIN))
  const articles = outermost(main ?? of, ARTICLE)
  if (!main) return principal(of, articles) ?? principal(of, outermost(of, BODY))
  const [only, another] = titledAs(of, articles)
  const isEndless = articles.filter(article => titlesIn(article).length > 0).length > 1
  return isEndless && only && !another ? only : main
}

/** The text of a part of a page as it is shown, up to the limit. */
export const partText = (part: Element): string | undefined => {
  const text = projectText(part).replaceAll('\0', '').trim()
  return text === '' ? undefined : cutText(text, LIMITS.contextTextMax)
}

/** The web addresses that a part of a page links to, each once. */
export const linksIn = (part: Element, base: string): string[] | undefined => {
  const own = urlOf(base)
  const links = allIn(part, 'a[href]').flatMap(link => {
    const address = addressOf(link.getAttribute('href'), base)
    const url = address === undefined ? undefined : urlOf(address)
    // A place on the same page is no link.
    const isHere =
      url?.hash && !isRoute(url.hash) && url.origin === own?.origin && url.pathname === own.pathname
    return address === undefined || isHere ? [] : [address]
  })
  const unique = [...new Set(links)].slice(0, LIMITS.contextLinksMax)
  return unique.length > 0 ? unique : undefined
}

/** Pictures without their hashes yet. */
export const mediaOf = (addresses: string[]): RecordContext['media'] | undefined =>
  addresses.length > 0
    ? [...new Set(addresses)].slice(0, LIMITS.contextMediaMax).map(url => ({ url }))
    : undefined

/** The context as a field of a record; no field if the page says nothing. */
export const contextOf = (fields: RecordContext): { context?: RecordContext } => {
  const context = filled(fields)
  return context ? { context } : {}
}
