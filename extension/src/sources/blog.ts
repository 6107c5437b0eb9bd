import type { BlogRecord } from '@iodine/contracts'
import { allIn, articlePart, contextOf, linksIn, mediaOf, partText, timeOf } from './context'
import { articleAmong, firstValue, linkedNodes, valuesOf } from './linked-data'
import { addressOf, at, type Found, filled, firstTexts, type PageState, textOf } from './read'

const IMAGES_MAX = 200
const AUTHORS_MAX = 100

/** The article of a page, read from its head. */
export const readBlogPage = ({ document, url, time }: PageState): Found<BlogRecord> => {
  const meta = metaOf(document)
  const base = baseOf(document, url)
  const page = addressOf(url, url)?.replace(/#.*$/, '')
  const linked = linkedAddress(document, base)
  const nodes = linkedNodes(document)
  const article = articleAmong(nodes, {
    addresses: [page, linked, addressOf(meta('og:url'), base)],
    titles: [
      document.querySelector('head title')?.textContent,
      meta('og:title'),
      ...[...document.querySelectorAll('h1')].map(title => title.textContent),
    ],
  })
  const canonical =
    linked ??
    addressOf(at(article, 'mainEntityOfPage', '@id'), base) ??
    addressOf(at(article, 'mainEntityOfPage'), base)
  const ogUrl = meta('og:url')
  const metadata = filled({
    title:
      textOf(document.querySelector('head title')?.textContent?.trim()) ??
      firstValue(at(article, 'headline')),
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
    article_published_time: meta('article:published_time') ?? firstValue(at(article, 'datePublished')),
    article_modified_time: meta('article:modified_time') ?? firstValue(at(article, 'dateModified')),
    jsonld: filled({
      author: authorsOf(at(article, 'author') ?? at(article, 'creator'), nodes),
      publisher: publisherOf(at(article, 'publisher'), nodes),
      keywords: keywordsOf(at(article, 'keywords')),
    }),
  })
  if (!metadata?.canonical && !metadata?.og_url) return { own: undefined, all: [] }
  const part = articlePart(document)
  const context = contextOf({
    // One of them may name a day alone.
    posted_at: timeOf(metadata.article_published_time, firstValue(at(article, 'datePublished'))),
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

const linkedAddress = (document: Document, base: string): string | undefined => {
  const link = [...document.querySelectorAll('link[rel][href]')].find(element =>
    (element.getAttribute('rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'),
  )
  return addressOf(link?.getAttribute('href'), base)
}

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
