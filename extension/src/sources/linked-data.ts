import { isRoute } from '@iodine/contracts'
import { containsTitle, containsWords, titleWords } from './context'
import { isAnotherPage, isOfPage } from './own-address'
import { addressOf, at, jsonOf, listOf, textOf, urlOf } from './read'

/** The types of schema.org that are an Article. */
const ARTICLE_TYPES = new Set(
  (
    'Article AdvertiserContentArticle NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle ' +
    'OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle Report SatiricalArticle ScholarlyArticle ' +
    'MedicalScholarlyArticle SocialMediaPosting BlogPosting LiveBlogPosting DiscussionForumPosting TechArticle APIReference'
  ).split(' '),
)
/** Lists within lists; the nodes of a page are not deeper. */
const DEPTH_MAX = 8
const ARTICLES_MAX = 1_000
const TITLES_MAX = 20

/** What a page says of itself, to tell its article from others that it names. */
export interface OfThisPage {
  /** Absolute; the surest first. */
  addresses: (string | undefined)[]
  titles: (string | null | undefined)[]
  /** Titles that the head states. Headings of the body may be those of the site. */
  titlesInHead: (string | undefined)[]
}

/** The values of a JSON-LD property: one, a list, or those of an `@list` or `@set`. */
export const valuesOf = (value: unknown, depth = 0): unknown[] => {
  if (value === undefined || value === null || depth > DEPTH_MAX) return []
  const held = Array.isArray(value) ? value : (at(value, '@list') ?? at(value, '@set'))
  return held === undefined ? [value] : listOf(held).flatMap(each => valuesOf(each, depth + 1))
}

/** The first text of a property, which may be written as `{"@value": "…"}`. */
export const firstValue = (value: unknown): string | undefined =>
  valuesOf(value)
    .map(each => textOf(at(each, '@value') ?? each))
    .find(text => text !== undefined)

/** All JSON-LD nodes of a page: single ones, those of lists and of `@graph`, and what is the main entity of one. */
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

/** A type is a name, or an address of one: `https://schema.org/Report`, `schema:Report`. */
const isArticle = (node: unknown): boolean =>
  valuesOf(at(node, '@type')).some(
    type => typeof type === 'string' && ARTICLE_TYPES.has(type.replace(/^.*[/:#]/, '')),
  )

/** The article nodes of a page. */
const articlesIn = (nodes: unknown[]): unknown[] => nodes.filter(isArticle).slice(0, ARTICLES_MAX)

/** The texts in which a node names its page. */
const namesOf = (node: unknown): string[] =>
  ['url', '@id', 'mainEntityOfPage']
    .flatMap(key => valuesOf(at(node, key)))
    .flatMap(value => [textOf(value), textOf(at(value, '@id')), textOf(at(value, 'url'))])
    // An `@id` may be a name within the script alone.
    .filter(name => name !== undefined && !/^[#_]/.test(name))
    .filter(name => name !== undefined)

/** The web addresses that articles name as theirs. */
export const articleAddresses = (nodes: unknown[], base: string): string[] =>
  articlesIn(nodes).flatMap(node => namesOf(node).flatMap(name => addressOf(name, base) ?? []))

/** An address to compare: neither the last slash nor a fragment makes another page, but for a route of a page at one. */
const plain = (address: string | undefined, base: string): string | undefined => {
  const url = urlOf(address ?? '', base)
  if (url && !(isRoute(url.hash) && isRoute(urlOf(base)?.hash ?? ''))) url.hash = ''
  return url?.href.replace(/\/$/, '')
}

const headlineOf = (node: unknown): string | undefined =>
  firstValue(at(node, 'headline')) ?? firstValue(at(node, 'name'))

/** Whether a node names only other pages of the site, and the page's title is not its headline. */
const isOfAnother = (node: unknown, { addresses, titles, titlesInHead }: OfThisPage): boolean => {
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
 * The article that a page is about, of all that its JSON-LD describes: the one with an address of the page or its title, or
 * that is a main entity. If none is, the only one that is not of another page, or the first that names no address at all.
 */
export const articleAmong = (nodes: unknown[], page: OfThisPage): unknown => {
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
