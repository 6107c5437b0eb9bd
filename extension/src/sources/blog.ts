import type { BlogRecord } from '@iodine/contracts'
import { parseUrl } from '@iodine/contracts'
import {
  allIn,
  articlePart,
  containsTitle,
  contextOf,
  headingOf,
  linksIn,
  mediaOf,
  partText,
  timeOf,
} from './context'
import { articleAddresses, articleAmong, firstValue, linkedNodes, valuesOf } from './linked-data'
import { identify } from './own-address'
import { addressOf, at, type Found, filled, firstTexts, type PageState, textOf } from './read'

const IMAGES_MAX = 200
const AUTHORS_MAX = 100
/** Names of meta elements about the site, which apply to all its articles. */
const OF_SITE = /^(?:generator|og:site_name|twitter:site)$/

/** Reads the article of a page, mainly from its head. */
export const readBlogPage = ({ document, url, loadedUrl, time }: PageState): Found<BlogRecord> => {
  const page = addressOf(url, url)
  if (!page) return { own: undefined, all: [] }
  const base = baseOf(document, url)
  const inHead = metaOf(document)
  const linked = linkedAddresses(document, base)
  const ogUrl = statedAddress(inHead('og:url'), base)
  const title = textOf(document.querySelector('head title')?.textContent?.trim())
  const nodes = linkedNodes(document)
  const titlesInHead = [title, inHead('og:title')]
  const articleInHead = articleAmong(nodes, {
    addresses: [page, ...linked, ogUrl],
    titles: [...titlesInHead, ...[...document.querySelectorAll('h1')].map(heading => heading.textContent)],
    titlesInHead,
  })
  const part = articlePart(document)
  const partHeading = part && headingOf(part)
  const titleInHead = inHead('og:title') ?? firstValue(at(articleInHead, 'headline'))
  const { canonical, stated, isHeadStale } = identify(
    { url, loadedUrl },
    {
      canonicals: linked,
      ogUrl,
      mainEntity:
        statedAddress(at(articleInHead, 'mainEntityOfPage', '@id'), base) ??
        statedAddress(at(articleInHead, 'mainEntityOfPage'), base),
      article: articleAddresses([articleInHead], base),
      articles: articleAddresses(nodes, base),
    },
    [titleInHead, partHeading].some(
      other =>
        title !== undefined &&
        other !== undefined &&
        !containsTitle(title, other) &&
        !containsTitle(other, title),
    ),
  )
  // A stale head describes another article.
  const article = isHeadStale ? undefined : articleInHead
  const meta = (name: string) => (isHeadStale && !OF_SITE.test(name) ? undefined : inHead(name))
  const address = (name: string) => absolute(meta(name), base)
  const heading = isHeadStale ? partHeading : undefined
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
    // Either may be a date without a time.
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

/** Returns the URLs of the pictures in an article's page, each once. `imageHashes` holds the hashes of their bytes. */
export const imagesOf = ({ document, url }: Pick<PageState, 'document' | 'url'>): string[] => {
  return [...new Set(picturesIn(document, baseOf(document, url)))].slice(0, IMAGES_MAX)
}

/** Attributes of lazily loaded pictures. */
const LAZY = [
  'data-src',
  'data-lazy-src',
  'data-lazy',
  'data-lazyload',
  'data-original',
  'data-original-src',
  'data-hi-res-src',
  'data-srcset',
  'data-lazy-srcset',
]

/** Returns the URLs of the pictures in a part of a page, including lazily loaded ones and those in `noscript`. */
const picturesIn = (part: ParentNode, base: string): string[] =>
  allIn(part, 'img, noscript')
    .flatMap(element =>
      element.localName === 'noscript' ? withoutScripts(element) : (element as HTMLImageElement),
    )
    .flatMap(image => {
      const sources = [...(image.closest('picture')?.querySelectorAll('source') ?? [])]
      // `currentSrc` is the candidate that the browser chose.
      const chosen = image.hasAttribute('srcset') || image.closest('picture') ? image.currentSrc : ''
      // For a lazily loaded picture, the browser's choice is the placeholder.
      const late = [
        ...LAZY.map(name => attributeOf(image, name)),
        ...sources.flatMap(source =>
          ['data-srcset', 'data-lazy-srcset'].map(name => attributeOf(source, name)),
        ),
      ].filter(value => value && /[./]/.test(value) && !PLACEHOLDER.test(value))
      const loaded = ['src', 'srcset'].map(name => attributeOf(image, name))
      const addresses = [...late, chosen, ...loaded, ...sources.map(source => attributeOf(source, 'srcset'))]
      return addresses.map(address => addressOf(address, base)).find(Boolean) ?? []
    })

/** Returns the URL in an attribute of a picture. */
const attributeOf = (element: Element, name: string): string | null | undefined => {
  const value = element.getAttribute(name)
  return name.endsWith('srcset') ? largestOf(value) : value
}

/** Returns the pictures in a `noscript` element, without tracking pixels. */
const withoutScripts = (element: Element): HTMLImageElement[] =>
  [...new DOMParser().parseFromString(element.textContent ?? '', 'text/html').querySelectorAll('img')].filter(
    image => !['width', 'height'].some(side => /^[01](?:px)?$/.test(image.getAttribute(side) ?? '')),
  )

const SRCSET_MAX = 10_000

/** Returns the URL for the largest size in a `srcset`. */
const largestOf = (candidates: string | null): string | undefined => {
  if (candidates === null || candidates.length > SRCSET_MAX) return undefined
  return (
    `${candidates} `
      // A comma also ends a candidate between a size and the next address.
      .replace(/(\s[\d.]{1,9}[wxh]),/g, '$1, ')
      .split(/,\s+/)
      .map(candidate => candidate.trim().split(/\s+/))
      .filter(([address]) => address)
      .map(([address, ...sizes]) => ({
        address,
        size: Number(sizes.find(size => /[wx]$/.test(size))?.slice(0, -1) ?? 1) || 0,
      }))
      .sort((a, b) => b.size - a.size)[0]?.address
  )
}

/** Returns a function that reads meta elements by `name` or `property`. The first one with content wins. */
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

/** Returns the base of the page's relative URLs. */
const baseOf = (document: Document, url: string): string =>
  addressOf(document.querySelector('base[href]')?.getAttribute('href'), url) ?? url

/** Values that a template or script left unfilled: `{{ page.url }}`, `${url}`, `/news/undefined`. */
const PLACEHOLDER =
  /[{}<>]|%7[bd]|%3[ce]|^\[|(?:^|[/=])(?:undefined|null|nan|\[object(?: |%20)object\])(?=$|[/?#&])/i
/** A value that begins with a host: `www.paper.example/a`, `paper.example/a`. File names are excluded by FILE_TYPE. */
const HOST = /^(?:www\.)?[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,9}\.([a-z]{2,24})(?::\d{1,5})?(?=[/#]|$)/i
const FILE_TYPE = /^(?:[sxp]?html?|php|aspx?|jspx?|cgi|cfm|xml|json|pdf|txt|png|jpe?g|gif|webp|svg|avif)$/i

/** Returns a stated URL, with a scheme added before a host; undefined for a placeholder. */
const repaired = (value: string | undefined): string | undefined => {
  const text = value?.trim()
  if (!text || PLACEHOLDER.test(text)) return undefined
  const type = HOST.exec(text)?.[1]
  return type !== undefined && !FILE_TYPE.test(type) ? `https://${text}` : value
}

const statedAddress = (value: unknown, base: string): string | undefined =>
  addressOf(repaired(textOf(value)), base)

/** Returns a stated URL as absolute; unchanged if it is no web URL. */
const absolute = (value: string | undefined, base: string): string | undefined => {
  const address = repaired(value)
  return address === undefined || parseUrl(address) ? address : (addressOf(address, base) ?? address)
}

/** Returns the canonical URLs that a page states, without empty ones and placeholders. */
const linkedAddresses = (document: Document, base: string): string[] =>
  [...document.querySelectorAll('link[rel][href]')]
    .filter(element => (element.getAttribute('rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'))
    .flatMap(element => statedAddress(element.getAttribute('href'), base) ?? [])

/** Returns the node that a value's `@id` refers to, else the value itself. */
const resolved = (value: unknown, nodes: unknown[]): unknown => {
  const id = at(value, '@id')
  if (typeof id !== 'string' || at(value, 'name') !== undefined) return value
  return nodes.find(node => at(node, '@id') === id && at(node, 'name') !== undefined) ?? value
}

const creatorOf = (creator: unknown) => ({
  name: textOf(creator) ?? firstValue(at(creator, 'name')),
  url: firstValue(at(creator, 'url')),
})

/** Returns the author of a record: the joined names of all authors, with the URL of the first. */
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
