import { type BlogRecord, namedOriginal, naturalKey } from '@iodine/contracts'
import { describe, expect, it } from 'vitest'
import { readPage } from '../src/sources'
import { parsePage, TIME } from './fixtures'

const page = (head: string, body = '<main><h1>Numbers</h1><p>They hide them.</p></main>') =>
  parsePage(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`)
const read = (url: string, head: string, { loadedUrl, body }: { loadedUrl?: string; body?: string } = {}) =>
  readPage({ document: page(head, body), url, time: TIME, ...(loadedUrl && { loadedUrl }) }).own as BlogRecord
const canonical = (href: string) => `<link rel="canonical" href="${href}">`
const og = (url: string) => `<meta property="og:url" content="${url}">`
const site = 'https://news.example.org'
const at = `${site}/2026/numbers`

describe('the key of an article is a URL of its own site', () => {
  it.each<readonly [string, string, string, string]>([
    ['its canonical address', at, canonical(`${site}/numbers`), `${site}/numbers`],
    ['a relative one', at, canonical('../numbers'), `${site}/numbers`],
    [
      'one with www',
      at,
      canonical('https://www.news.example.org/numbers'),
      'https://www.news.example.org/numbers',
    ],
    ['a good one after an empty one', at, canonical('') + canonical(`${site}/numbers`), `${site}/numbers`],
    [
      'a good one after one of another site',
      at,
      canonical('https://x.example/') + canonical(`${site}/n`),
      `${site}/n`,
    ],
    ['og:url alone', at, og(`${site}/og`), `${site}/og`],
    ['a relative og:url', at, og('/og'), `${site}/og`],
    ['without one', at, '', at],
    ['without fragment and tracking', `${at}?utm_source=x&a=1#comments`, '', `${at}?a=1`],
    ['not its site’s home', at, canonical(`${site}/`), at],
    ['not its site’s home by og:url', at, og(site), at],
    ['not its site’s home in a language', `${site}/fr/a`, canonical(`${site}/fr/`), `${site}/fr/a`],
    ['not index.php', `${site}/index.php?id=5`, canonical(`${site}/index.php`), `${site}/index.php?id=5`],
    ['not a home without the number', `${site}/?p=12`, canonical(`${site}/`), `${site}/?p=12`],
    ['not a path without the number', `${site}/story?id=5`, canonical(`${site}/story`), `${site}/story?id=5`],
    ['its home on its home', `${site}/?utm_source=x`, canonical(`${site}/`), `${site}/`],
    ['the article on its version for AMP', `${at}/amp`, canonical(at), at],
    ['not one of another site', at, canonical('https://paper.example.com/numbers'), at],
    ['not one of another subdomain', at, canonical('https://blog.example.org/numbers'), at],
    [
      'not one from a sample',
      at,
      canonical('https://google.com/article') + og('https://google.com/article'),
      at,
    ],
    ['not a URL without http(s)', at, canonical('javascript:alert(1)') + og('about:blank'), at],
    [
      'not the folder that it is in',
      `${site}/blog/2026/a`,
      canonical(`${site}/blog/`),
      `${site}/blog/2026/a`,
    ],
    ['not the folder by og:url', `${site}/news/a`, og(`${site}/news`), `${site}/news/a`],
    ['not a folder’s index', `${site}/en/2026/a`, canonical(`${site}/en/index.html`), `${site}/en/2026/a`],
    ['not another language’s home', `${site}/2026/a`, canonical(`${site}/en/`), `${site}/2026/a`],
    ['not default.aspx', `${site}/a/b.aspx`, canonical(`${site}/default.aspx`), `${site}/a/b.aspx`],
    ['not the section of a numbered article', `${site}/news/7`, canonical(`${site}/news/`), `${site}/news/7`],
    ...['print/', 'm', 'feed/', 'comments', 'index.html', 'page/3', '2/'].map(
      version =>
        [`the article on its version ${version}`, `${at}/${version}`, canonical(`${at}/`), `${at}/`] as const,
    ),
    [
      'not another article’s number',
      `${site}/article.php?id=2`,
      canonical(`${site}/article.php?id=1`),
      `${site}/article.php?id=2`,
    ],
    [
      'the number without what does not identify it',
      `${site}/article.php?id=2&cat=5&page=2`,
      canonical(`${site}/article.php?id=2`),
      `${site}/article.php?id=2`,
    ],
    ...['slug', 'title', 'page_id', 'item', 'itemid', 'cid', 'art', 'key', 'name', 's', 'sid'].map(
      name =>
        [
          `not a path without ${name}`,
          `${site}/text?${name}=a`,
          canonical(`${site}/text`),
          `${site}/text?${name}=a`,
        ] as const,
    ),
    [
      'not a script without its query',
      `${site}/read.asp?nr=4`,
      canonical(`${site}/read.asp`),
      `${site}/read.asp?nr=4`,
    ],
    [
      'not another query of a script',
      `${site}/read.asp?nr=4`,
      canonical(`${site}/read.asp?nr=3`),
      `${site}/read.asp?nr=4`,
    ],
    [
      'not a folder without its query',
      `${site}/news/?bridge`,
      canonical(`${site}/news/`),
      `${site}/news/?bridge`,
    ],
    [
      'a folder without language, page and referrer',
      `${site}/news/?lang=fr&page=2&ref=x&share=y`,
      canonical(`${site}/news/`),
      `${site}/news/`,
    ],
    [
      'og:url of the page rather than a copied canonical',
      `${site}/a/2`,
      canonical(`${site}/a/1`) + og(`${site}/a/2`),
      `${site}/a/2`,
    ],
    [
      'the canonical rather than an og:url that repeats a query',
      `${at}?x=1`,
      canonical(at) + og(`${at}?x=1`),
      at,
    ],
    ...['{{ page.url }}', 'undefined', '/news/null', '$' + '{url}', '%7B%7Burl%7D%7D'].map(
      text => [`not the placeholder ${text}`, at, canonical(text) + og(text), at] as const,
    ),
    ['one without a scheme', at, og('www.news.example.org/numbers'), 'https://www.news.example.org/numbers'],
    ['a file that is relative', at, canonical('numbers.html'), `${site}/2026/numbers.html`],
    ['its route on a single-page site', `${site}/#/a/1`, canonical(`${site}/`) + og(site), `${site}/#/a/1`],
    ['its older route', `${site}/app#!a/2`, canonical(`${site}/app`), `${site}/app#!a/2`],
    ['its route where its head follows', `${site}/#/a/1`, canonical(`${site}/#/a/1`), `${site}/#/a/1`],
  ])('%s', (_, url, head, key) => {
    expect(naturalKey.blog(read(url, head))).toBe(key)
  })

  it('is the URL after a client-side navigation, unless the head was updated', () => {
    const loadedUrl = `${site}/first`
    const stale = canonical(loadedUrl) + og(loadedUrl)
    expect(naturalKey.blog(read(`${site}/second`, stale, { loadedUrl }))).toBe(`${site}/second`)
    expect(naturalKey.blog(read(`${site}/second?x=1`, canonical(`${site}/second?x=1`), { loadedUrl }))).toBe(
      `${site}/second?x=1`,
    )
    expect(
      naturalKey.blog(read(loadedUrl, canonical(`${site}/pretty`), { loadedUrl: `${loadedUrl}#top` })),
    ).toBe(`${site}/pretty`)
  })
})

it('ignores the head of the previous page', () => {
  const head = `<title>Second - News</title>${canonical(`${site}/first`)}
    <meta name="description" content="Of the first"><meta property="og:title" content="First">
    <meta property="og:site_name" content="News"><meta property="article:published_time" content="2026-11-01T00:00:00Z">
    <script type="application/ld+json">{"@type":"NewsArticle","headline":"First","author":"Ann"}</script>`
  const moved = { loadedUrl: `${site}/first`, body: '<main><h1>Second</h1><p>Other text.</p></main>' }
  expect(read(`${site}/second`, head, moved)).toEqual({
    collector_metadata: { fetch_timestamp: TIME, source: 'blog' },
    metadata: { title: 'Second', canonical: `${site}/second`, og_site_name: 'News' },
    context: { text: 'Second\nOther text.', stated_canonical: `${site}/first` },
  })
  const loaded = read(`${site}/first`, head, { loadedUrl: `${site}/first` })
  expect(loaded.metadata).toMatchObject({ og_title: 'First', jsonld: { author: { name: 'Ann' } } })
})

describe('the head is still that of the previous page', () => {
  const body = '<main><h1>Second</h1><p>Other text.</p></main>'
  const description = '<meta name="description" content="Of the first">'
  const linked = (fields: object) =>
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', author: 'Ann', ...fields })}</script>`
  const [first, second] = [`${site}/a/1`, `${site}/a/2`]
  it.each([
    ['by an article’s URL in JSON-LD', '<title>The second</title>', linked({ url: first }), first, second],
    [
      'by a URL in JSON-LD that is not the loaded one',
      '<title>Second of all</title>',
      linked({ url: `${site}/a/3`, headline: 'Second' }),
      first,
      second,
    ],
    ['by the article’s heading', '<title>First</title>', '', first, second],
    [
      'by the heading of a route',
      '<title>First</title>',
      `${canonical(site)}<meta property="og:title" content="First">`,
      `${site}/#/a/1`,
      `${site}/#/a/2`,
    ],
    [
      'by the route in JSON-LD',
      '<title>Second | News</title>',
      linked({ url: `${site}/#/a/1` }),
      `${site}/#/a/1`,
      `${site}/#/a/2`,
    ],
    ['by og:title', '<title>Second</title>', '<meta property="og:title" content="First">', first, second],
  ])('%s', (_, title, head, loadedUrl, url) => {
    expect(read(url, title + description + head, { loadedUrl, body }).metadata).toEqual({
      title: 'Second',
      canonical: url,
    })
  })

  it('unless it names the page', () => {
    const head = `<title>Deux</title>${description}${linked({ url: second })}`
    for (const own of [og(second), canonical(second)])
      expect(read(second, head + own, { loadedUrl: first, body }).metadata).toMatchObject({
        title: 'Deux',
        description: 'Of the first',
        jsonld: { author: { name: 'Ann' } },
      })
  })
})

it('stores a copied canonical URL as a claim', () => {
  const { metadata, context } = read(`${site}/a/2`, canonical(`${site}/a/1`) + og(`${site}/a/2`))
  expect(metadata.og_url).toBe(`${site}/a/2`)
  expect(context?.stated_canonical).toBe(`${site}/a/1`)
})

it('ignores placeholders in URLs', () => {
  const head = `${og('{{ page.url }}')}<meta property="og:image" content="undefined"><meta name="twitter:image" content="cdn.example.net/t.png">`
  expect(read(at, head).metadata).toEqual({ canonical: at, twitter_image: 'https://cdn.example.net/t.png' })
})

it('keeps the claim of a clone’s head, with another key than the original', () => {
  const original = 'https://paper.example.com/2026/numbers'
  const head = `<title>Numbers</title>${canonical(original)}${og(original)}`
  const [article, clone] = [read(original, head), read('https://mirror.example.net/2026/numbers', head)]
  expect(naturalKey.blog(article)).toBe(original)
  expect(namedOriginal(article)).toBeNull()
  expect(naturalKey.blog(clone)).toBe('https://mirror.example.net/2026/numbers')
  expect(clone.metadata).toMatchObject({ canonical: naturalKey.blog(clone), og_url: original })
  expect(clone.context?.stated_canonical).toBe(original)
  expect(namedOriginal(clone)).toBe(original)
})

it('ignores stated URLs for a page without a site', () => {
  const { metadata, ...rest } = read(at, og('https://paper.example/1'))
  expect(namedOriginal({ ...rest, metadata: { ...metadata, canonical: '/1' } })).toBeNull()
})

it('resolves stated URLs, and keeps routes as links', () => {
  const head = `<base href="/sub/"><meta property="og:image" content="i.png"><meta name="twitter:image" content="//cdn.example/t.png">
    <meta name="twitter:url" content="javascript:alert(1)">${og('https://news.example.org')}`
  const { metadata } = read(at, head)
  expect(metadata).toMatchObject({
    og_image: `${site}/sub/i.png`,
    twitter_image: 'https://cdn.example/t.png',
    twitter_url: 'javascript:alert(1)',
    og_url: site,
  })
  const body = '<main><a href="#/a/2">two</a><a href="#top">up</a><a href="#!3">three</a></main>'
  expect(read(at, '', { body }).context?.links).toEqual([`${at}#/a/2`, `${at}#!3`])
})
