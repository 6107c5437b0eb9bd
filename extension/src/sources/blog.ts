import type { BlogRecord } from '@iodine/contracts'
import { articlePart, contextOf, linksIn, mediaOf, partText, timeOf } from './context'
import { identify } from './own-address'
import { addressOf, at, type Found, filled, firstTexts, jsonOf, listOf, type PageState, textOf } from './read'

const ARTICLE_TYPES = new Set(['NewsArticle', 'BlogPosting', 'Article'])
const IMAGES_MAX = 200
/** What a head says of its site rather than of one article. */
const OF_SITE = /^(?:generator|og:site_name|twitter:site)$/

/** The article of a page, read from its head. */
export const readBlogPage = ({ document, url, loadedUrl, time }: PageState): Found<BlogRecord> => {
  if (!addressOf(url, url)) return { own: undefined, all: [] }
  const base = baseOf(document, url)
  const inHead = metaOf(document)
  const linked = linkedAddresses(document, base)
  const nodes = linkedData(document)
  const articleInHead = nodes.find(isArticle)
  const mainEntity =
    addressOf(at(articleInHead, 'mainEntityOfPage', '@id'), base) ??
    addressOf(at(articleInHead, 'mainEntityOfPage'), base)
  const title = textOf(document.querySelector('head title')?.textContent?.trim())
  const titleInHead = inHead('og:title') ?? textOf(at(articleInHead, 'headline'))
  const { canonical, stated, isHeadStale } = identify(
    { url, loadedUrl },
    {
      canonicals: linked.length > 0 || mainEntity === undefined ? linked : [mainEntity],
      ogUrl: addressOf(inHead('og:url'), base),
    },
    title !== undefined && titleInHead !== undefined && !title.includes(titleInHead),
  )
  const part = articlePart(document)
  // A head that is still another article's says nothing of this one.
  const article = isHeadStale ? undefined : articleInHead
  const meta = (name: string) => (isHeadStale && !OF_SITE.test(name) ? undefined : inHead(name))
  const address = (name: string) => absolute(meta(name), base)
  const heading = isHeadStale ? textOf(part?.querySelector('h1')?.textContent?.trim()) : undefined
  const metadata = filled({
    title: heading ?? title ?? textOf(at(article, 'headline')),
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
    article_published_time: meta('article:published_time') ?? textOf(at(article, 'datePublished')),
    article_modified_time: meta('article:modified_time') ?? textOf(at(article, 'dateModified')),
    jsonld: filled({
      author: creatorOf(at(article, 'author'), nodes),
      publisher: publisherOf(at(article, 'publisher'), nodes),
      keywords: keywordsOf(at(article, 'keywords')),
    }),
  })
  const context = contextOf({
    posted_at: timeOf(metadata?.article_published_time),
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

const picturesIn = (part: ParentNode, base: string): string[] =>
  [...part.querySelectorAll('img')].flatMap(image => {
    // `currentSrc` is the candidate that the browser chose.
    const chosen = image.hasAttribute('srcset') || image.closest('picture') ? image.currentSrc : ''
    return addressOf(chosen || image.getAttribute('src'), base) ?? []
  })

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

/** All JSON-LD nodes of the page: single nodes, lists, and those of an `@graph`. */
const linkedData = (document: Document): unknown[] => {
  const roots = [...document.querySelectorAll('script[type="application/ld+json"]')].map(jsonOf)
  return roots
    .flat()
    .flatMap(root => [root, ...listOf(at(root, '@graph'))])
    .filter(node => typeof node === 'object' && node !== null)
}

const isArticle = (node: unknown): boolean =>
  [at(node, '@type')].flat().some(type => typeof type === 'string' && ARTICLE_TYPES.has(type))

/** Resolves a value: the first of a list, the node that `@id` refers to, or the value itself. */
const resolved = (value: unknown, nodes: unknown[]): unknown => {
  const first = Array.isArray(value) ? value[0] : value
  const id = at(first, '@id')
  if (typeof id !== 'string' || at(first, 'name') !== undefined) return first
  return nodes.find(node => at(node, '@id') === id && at(node, 'name') !== undefined) ?? first
}

const firstText = (value: unknown): string | undefined => firstTexts([value].flat())?.[0]

const creatorOf = (value: unknown, nodes: unknown[]) => {
  const creator = resolved(value, nodes)
  return filled({
    name: textOf(creator) ?? firstText(at(creator, 'name')),
    url: firstText(at(creator, 'url')),
  })
}

const publisherOf = (value: unknown, nodes: unknown[]) => {
  const publisher = resolved(value, nodes)
  const logo = resolved(at(publisher, 'logo'), nodes)
  return filled({
    ...creatorOf(value, nodes),
    logo: filled({ url: textOf(logo) ?? firstText(at(logo, 'url')) }),
  })
}

const keywordsOf = (value: unknown): string[] | undefined =>
  firstTexts(
    [value]
      .flat()
      .flatMap(entry => (typeof entry === 'string' ? entry.split(',') : []))
      .map(word => word.trim()),
  )
