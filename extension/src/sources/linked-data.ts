import { isRoute, parseUrl } from '@iodine/contracts'
import { containsTitle, containsWords, titleWords } from './context'
import { isAnotherPage, isOfPage } from './own-address'
import { addressOf, at, jsonOf, listOf, textOf } from './read'

/** Schema.org's Article and its subtypes. */
const ARTICLE_TYPES = new Set(
  (
    'Article AdvertiserContentArticle NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle ' +
    'OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle Report SatiricalArticle ScholarlyArticle ' +
    'MedicalScholarlyArticle SocialMediaPosting BlogPosting LiveBlogPosting DiscussionForumPosting TechArticle APIReference'
  ).split(' '),
)
/** Maximum nesting of lists and nodes. */
const DEPTH_MAX = 8
const ARTICLES_MAX = 1_000
const TITLES_MAX = 20

/** Identifying data of a page, to select its article among all that its JSON-LD describes. */
export interface PageDescription {
  /** Absolute, in descending order of reliability. */
  addresses: (string | undefined)[]
  titles: (string | null | undefined)[]
  /** Titles in the head. Headings of the body may be those of the site. */
  titlesInHead: (string | undefined)[]
}

/** Returns the values of a JSON-LD property: one, a list, or those of an `@list` or `@set`. */
export const valuesOf = (value: unknown, depth = 0): unknown[] => {
  if (value === undefined || value === null || depth > DEPTH_MAX) return []
  const held = Array.isArray(value) ? value : (at(value, '@list') ?? at(value, '@set'))
  return held === undefined ? [value] : listOf(held).flatMap(each => valuesOf(each, depth + 1))
}

/** Returns the first text of a property, which may be written as `{"@value": "…"}`. */
export const firstValue = (value: unknown): string | undefined =>
  valuesOf(value)
    .map(each => textOf(at(each, '@value') ?? each))
    .find(text => text !== undefined)

/** Returns all JSON-LD nodes of a page: single ones, those of lists and of `@graph`, and main entities. */
export const linkedNodes = (document: Document): unknown[] => {
  const nodesIn = (value: unknown, depth = 0): unknown[] =>
    depth > DEPTH_MAX
      ? []
      : valuesOf(value)
          .filter(node => typeof node === 'object')
          .flatMap(node => [
            node,
            ...nodesIn(at(node, '@graph'), depth + 1),
            ...nodesIn(at(node, 'mainEntity'), depth + 1),
          ])
  return [...document.querySelectorAll('script[type]')]
    .filter(script => /^\s*application\/ld\+json\b/i.test(script.getAttribute('type') ?? ''))
    .flatMap(script => nodesIn(jsonOf(script)))
}

/** Returns whether a node is an article. A type is a name or its URL: `https://schema.org/Report`, `schema:Report`. */
const isArticle = (node: unknown): boolean =>
  valuesOf(at(node, '@type')).some(
    type => typeof type === 'string' && ARTICLE_TYPES.has(type.replace(/^.*[/:#]/, '')),
  )

/** Returns the article nodes of a page. */
const articlesIn = (nodes: unknown[]): unknown[] => nodes.filter(isArticle).slice(0, ARTICLES_MAX)

/** Returns the texts with which a node identifies its page. */
const namesOf = (node: unknown): string[] =>
  ['url', '@id', 'mainEntityOfPage']
    .flatMap(key => valuesOf(at(node, key)))
    .flatMap(value => [textOf(value), textOf(at(value, '@id')), textOf(at(value, 'url'))])
    // An `@id` may be local to the script.
    .filter(name => name !== undefined && !/^[#_]/.test(name))
    .filter(name => name !== undefined)

/** Returns the web URLs that articles state as theirs. */
export const articleAddresses = (nodes: unknown[], base: string): string[] =>
  articlesIn(nodes).flatMap(node => namesOf(node).flatMap(name => addressOf(name, base) ?? []))

/** Normalizes a URL for comparison: removes the last slash, and the fragment unless both URLs have a route. */
const plain = (address: string | undefined, base: string): string | undefined => {
  const url = parseUrl(address ?? '', base)
  if (url && !(isRoute(url.hash) && isRoute(parseUrl(base)?.hash ?? ''))) url.hash = ''
  return url?.href.replace(/\/$/, '')
}

const headlineOf = (node: unknown): string | undefined =>
  firstValue(at(node, 'headline')) ?? firstValue(at(node, 'name'))

/** Returns whether a node names only other pages of the site, and its headline is not the page's title. */
const isOfAnother = (node: unknown, { addresses, titles, titlesInHead }: PageDescription): boolean => {
  const [base = ''] = addresses
  const own = addresses.filter(address => address !== undefined)
  const names = articleAddresses([node], base)
  const isElsewhere = names.every(
    name => isAnotherPage(name, base) && !own.some(address => isOfPage(name, address)),
  )
  if (names.length === 0 || !isElsewhere || titlesInHead.every(title => title === undefined)) return false
  const headline = headlineOf(node)
  return !titles
    .slice(0, TITLES_MAX)
    .some(title => containsTitle(title, headline) || containsTitle(headline, title))
}

/**
 * Selects the page's article among all JSON-LD nodes: by a URL of the page, its title, or as main entity. If no node
 * matches: the only article unless it is of another page; of several, the first without a URL.
 */
export const articleAmong = (nodes: unknown[], page: PageDescription): unknown => {
  const { addresses, titles } = page
  const [base = ''] = addresses
  const own = addresses.map(address => (address === undefined ? undefined : plain(address, base)))
  const words = titles.slice(0, TITLES_MAX).map(titleWords)
  const main = new Set(nodes.flatMap(node => valuesOf(at(node, 'mainEntity'))))
  const mainIds = new Set([...main].map(node => at(node, '@id')).filter(Boolean))
  const candidates = articlesIn(nodes).map(node => {
    const named = namesOf(node).map(name => plain(name, base))
    const place = own.findIndex(address => address !== undefined && named.includes(address))
    const headline = titleWords(headlineOf(node))
    const isTitle = words.some(title => containsWords(title, headline))
    const isMain = main.has(node) || mainIds.has(at(node, '@id'))
    const fits = (place < 0 ? 0 : 8 * (own.length - place)) + (isTitle ? 4 : 0) + (isMain ? 2 : 0)
    return { node, fits, isNamed: named.length > 0, hasAuthor: at(node, 'author') !== undefined }
  })
  const [first, ...others] = candidates
  if (others.length === 0) return first && !isOfAnother(first.node, page) ? first.node : undefined
  const best = Math.max(...candidates.map(({ fits }) => fits))
  if (best === 0) return candidates.find(({ isNamed }) => !isNamed)?.node
  const fitting = candidates.filter(({ fits }) => fits === best)
  return (fitting.find(({ hasAuthor }) => hasAuthor) ?? fitting[0])?.node
}
