import type { BlogRecord } from '@iodine/contracts'
import { allIn, articlePart, contextOf, linksIn, mediaOf, partText, timeOf } from './context'
import { articleAmong, firstValue, linkedNodes, valuesOf } from './linked-data'
import { identify } from './own-address'
import { addressOf, at, type Found, filled, firstTexts, type PageState, textOf } from './read'

const IMAGES_MAX = 200
const AUTHORS_MAX = 100
/** What a head says of its site rather than of one article. */
const OF_SITE = /^(?:generator|og:site_name|twitter:site)$/

/** The article of a page, read from its head. */
export const readBlogPage = ({ document, url, loadedUrl, time }: PageState): Found<BlogRecord> => {
  const page = addressOf(url, url)
  if (!page) return { own: undefined, all: [] }
  const base = baseOf(document, url)
  const inHead = metaOf(document)
  const linked = linkedAddresses(document, base)
  const ogUrl = addressOf(inHead('og:url'), base)
  const title = textOf(document.querySelector('head title')?.textContent?.trim())
  const nodes = linkedNodes(document)
  const articleInHead = articleAmong(nodes, {
    addresses: [page.replace(/#.*$/, ''), ...linked, ogUrl],
    titles: [
      title,
      inHead('og:title'),
      ...[...document.querySelectorAll('h1')].map(heading => heading.textContent),
    ],
  })
  const mainEntity =
    addressOf(at(articleInHead, 'mainEntityOfPage', '@id'), base) ??
    addressOf(at(articleInHead, 'mainEntityOfPage'), base)
  const titleInHead = inHead('og:title') ?? firstValue(at(articleInHead, 'headline'))
  const { canonical, stated, isHeadStale } = identify(
    { url, loadedUrl },
    { canonicals: linked.length > 0 || mainEntity === undefined ? linked : [mainEntity], ogUrl },
    title !== undefined && titleInHead !== undefined && !title.includes(titleInHead),
  )
  const part = articlePart(document)
  // A head that is still another article's says nothing of this one.
  const article = isHeadStale ? undefined : articleInHead
  const meta = (name: string) => (isHeadStale && !OF_SITE.test(name) ? undefined : inHead(name))
  const address = (name: string) => absolute(meta(name), base)
  const heading = isHeadStale ? textOf(part?.querySelector('h1')?.textContent?.trim()) : undefined
  const metadata = filled({
    title: heading ?? title ?? firstValue(at(article, 'headline')),
    description: meta('description'),
    canonical,
    generator: meta('generator'),
    og_title: meta('og:title'),
    og_description: meta('og:description'),
    og_url: address('og:url'),
    og_image: address('og:image'),
    og_site_name: meta('og:site_name'),
    twitter_title: meta('twitter:title'),
    twitter_description: meta('twitter:description'),
    twitter_url: address('twitter:url'),
    twitter_image: address('twitter:image'),
    twitter_site: meta('twitter:site'),
    article_published_time: meta('article:published_time') ?? firstValue(at(article, 'datePublished')),
    article_modified_time: meta('article:modified_time') ?? firstValue(at(article, 'dateModified')),
    jsonld: filled({
      author: authorsOf(at(article, 'author') ?? at(article, 'creator'), nodes),
      publisher: publisherOf(at(article, 'publisher'), nodes),
      keywords: keywordsOf(at(article, 'keywords')),
    }),
  })
  const context = contextOf({
    // One of them may name a day alone.
    posted_at: timeOf(metadata?.article_published_time, firstValue(at(article, 'datePublished'))),
    text: part && partText(part),
    links: part && linksIn(part, base),
    media: part && mediaOf(picturesIn(part, base)),
    stated_canonical: stated,
  })
  const own = {
    collector_metadata: { fetch_timestamp: time, source: 'blog' },
    metadata: metadata ?? {},
    ...context,
  }
  return { own, all: [own] }
}

/**
 * The addresses of the pictures in an article's page, each once. `imageHashes` holds the hashes of their
 * bytes.
 */
export const imagesOf = ({ document, url }: Pick<PageState, 'document' | 'url'>): string[] => {
  return [...new Set(picturesIn(document, baseOf(document, url)))].slice(0, IMAGES_MAX)
}

const LAZY = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-srcset',
  'data-lazy-srcset',
  'src',
  'srcset',
]

/** The pictures of a part of a page, also those that are not loaded yet or are for browsers without scripts. */
const picturesIn = (part: ParentNode, base: string): string[] =>
  allIn(part, 'img, noscript')
    .flatMap(element =>
      element.localName === 'noscript' ? withoutScripts(element) : (element as HTMLImageElement),
    )
    .flatMap(image => {
      // `currentSrc` is the candidate that the browser chose.
      const chosen = image.hasAttribute('srcset') || image.closest('picture') ? image.currentSrc : ''
      const named = LAZY.map(name => [name.endsWith('srcset'), image.getAttribute(name)] as const)
      const addresses = [chosen, ...named.map(([isSet, value]) => (isSet ? largestOf(value) : value))]
      return addresses.map(address => addressOf(address, base)).find(Boolean) ?? []
    })

/** The pictures in an element that is text where scripts run, but for counters of visits. */
const withoutScripts = (element: Element): HTMLImageElement[] =>
  [...new DOMParser().parseFromString(element.textContent ?? '', 'text/html').querySelectorAll('img')].filter(
    image => !['width', 'height'].some(side => /^[01](?:px)?$/.test(image.getAttribute(side) ?? '')),
  )

/** The address in a `srcset` that is for the largest size. */
const largestOf = (candidates: string | null): string | undefined =>
  [...(candidates ?? '').matchAll(/([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)]
    .map(([, address, size]) => ({ address, size: Number(size ?? 1) }))
    .sort((a, b) => b.size - a.size)[0]?.address

/** Reads meta elements by `name` or `property`. The first one with content counts. */
const metaOf = (document: Document): ((name: string) => string | undefined) => {
  const contents = new Map<string, string>()
  for (const element of document.querySelectorAll('meta[content]')) {
    const content = textOf(element.getAttribute('content'))
    for (const attribute of ['name', 'property']) {
      const name = element.getAttribute(attribute)?.trim().toLowerCase()
      if (name && content && !contents.has(name)) contents.set(name, content)
    }
  }
  return name => contents.get(name)
}

/** The base of the page's relative addresses. */
const baseOf = (document: Document, url: string): string =>
  addressOf(document.querySelector('base[href]')?.getAttribute('href'), url) ?? url

/** An address that a page states, absolute; one that is no web address stays as it is. */
const absolute = (value: string | undefined, base: string): string | undefined =>
  value === undefined || URL.canParse(value) ? value : (addressOf(value, base) ?? value)

/** The canonical addresses that a page states; empty ones are none. */
const linkedAddresses = (document: Document, base: string): string[] =>
  [...document.querySelectorAll('link[rel][href]')]
    .filter(element => (element.getAttribute('rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'))
    .flatMap(element => addressOf(element.getAttribute('href'), base) ?? [])

/** The node that a value's `@id` refers to, or the value itself. */
const resolved = (value: unknown, nodes: unknown[]): unknown => {
  const id = at(value, '@id')
  if (typeof id !== 'string' || at(value, 'name') !== undefined) return value
  return nodes.find(node => at(node, '@id') === id && at(node, 'name') !== undefined) ?? value
}

const creatorOf = (creator: unknown) => ({
  name: textOf(creator) ?? firstValue(at(creator, 'name')),
  url: firstValue(at(creator, 'url')),
})

/** A record has one author: the names of several are one after the other, with the address of the first. */
const authorsOf = (value: unknown, nodes: unknown[]) => {
  const authors = valuesOf(value)
    .slice(0, AUTHORS_MAX)
    .map(author => creatorOf(resolved(author, nodes)))
  const names = firstTexts(authors.map(({ name }) => name))
  return filled({ name: textOf(names?.join(', ')) ?? names?.[0], url: authors[0]?.url })
}

const publisherOf = (value: unknown, nodes: unknown[]) => {
  const publisher = resolved(valuesOf(value)[0], nodes)
  const logo = resolved(valuesOf(at(publisher, 'logo'))[0], nodes)
  return filled({
    ...filled(creatorOf(publisher)),
    logo: filled({ url: textOf(logo) ?? firstValue(at(logo, 'url')) }),
  })
}

const keywordsOf = (value: unknown): string[] | undefined =>
  firstTexts(
    valuesOf(value)
      .flatMap(entry =>
        (firstValue(at(entry, 'name')) ?? (typeof entry === 'string' ? entry : '')).split(','),
      )
      .map(word => word.trim()),
  )
