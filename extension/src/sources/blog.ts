import type { BlogRecord } from '@iodine/contracts'
import { articlePart, contextOf, linksIn, mediaOf, partText, timeOf } from './context'
import { addressOf, at, type Found, filled, firstTexts, jsonOf, listOf, type PageState, textOf } from './read'

const ARTICLE_TYPES = new Set(['NewsArticle', 'BlogPosting', 'Article'])
const IMAGES_MAX = 200

/** The article of a page, read from its head. */
export const readBlogPage = ({ document, url, time }: PageState): Found<BlogRecord> => {
  const meta = metaOf(document)
  const base = baseOf(document, url)
  const nodes = linkedData(document)
  const article = nodes.find(isArticle)
  const page = addressOf(url, url)?.replace(/#.*$/, '')
  const canonical =
    linkedAddress(document, base) ??
    addressOf(at(article, 'mainEntityOfPage', '@id'), base) ??
    addressOf(at(article, 'mainEntityOfPage'), base)
  const ogUrl = meta('og:url')
  const metadata = filled({
    title:
      textOf(document.querySelector('head title')?.textContent?.trim()) ?? textOf(at(article, 'headline')),
    description: meta('description'),
    // A record needs an address. The page's own is the fallback.
    canonical: canonical ?? (ogUrl ? undefined : page),
    generator: meta('generator'),
    og_title: meta('og:title'),
    og_description: meta('og:description'),
    og_url: ogUrl,
    og_image: meta('og:image'),
    og_site_name: meta('og:site_name'),
    twitter_title: meta('twitter:title'),
    twitter_description: meta('twitter:description'),
    twitter_url: meta('twitter:url'),
    twitter_image: meta('twitter:image'),
    twitter_site: meta('twitter:site'),
    article_published_time: meta('article:published_time') ?? textOf(at(article, 'datePublished')),
    article_modified_time: meta('article:modified_time') ?? textOf(at(article, 'dateModified')),
    jsonld: filled({
      author: creatorOf(at(article, 'author'), nodes),
      publisher: publisherOf(at(article, 'publisher'), nodes),
      keywords: keywordsOf(at(article, 'keywords')),
    }),
  })
  if (!metadata?.canonical && !metadata?.og_url) return { own: undefined, all: [] }
  const part = articlePart(document)
  const context = contextOf({
    posted_at: timeOf(metadata.article_published_time),
    text: part && partText(part),
    links: part && linksIn(part, base),
    media: part && mediaOf(picturesIn(part, base)),
  })
  const own = { collector_metadata: { fetch_timestamp: time, source: 'blog' }, metadata, ...context }
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

const linkedAddress = (document: Document, base: string): string | undefined => {
  const link = [...document.querySelectorAll('link[rel][href]')].find(element =>
    (element.getAttribute('rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'),
  )
  return addressOf(link?.getAttribute('href'), base)
}

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
