import { parseUrl } from '@iodine/contracts'
import { Parser } from 'htmlparser2'

/** Elements that a blank line separates from the text around them. */
const PARAGRAPHS = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol dl section article header footer figure hr main'.split(' '),
)
/** Elements that begin a line. */
const LINES = new Set('div li tr dt dd br figcaption option address'.split(' '))
/** Elements without a text for readers. */
const HIDDEN = new Set('script style title template noscript svg iframe object'.split(' '))

export interface HtmlContent {
  /** Visible text: a blank line between paragraphs, one line per line. */
  text: string
  /** Absolute `http(s)` targets of links, in order, each once. */
  links: string[]
  /** Absolute `http(s)` URLs of pictures, in order, each once. */
  images: string[]
  title?: string
  /** URL of `link[rel=canonical]`. */
  canonical?: string
}

/** Returns an absolute `http(s)` URL, or undefined. */
export const absoluteUrl = (written: string | undefined, base?: string): string | undefined => {
  const text = written?.trim()
  const url = text ? parseUrl(text, base) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined
}

/** Collects text of HTML with the white space that a browser shows. */
export class VisibleText {
  #text = ''
  #isBlank = true
  #breaks = 0
  #isSpaced = false

  add(text: string, isVerbatim: boolean): void {
    for (const [at, part] of (isVerbatim ? [text] : text.split(/[ \t\n\r\f]+/)).entries()) {
      if (at > 0) this.#isSpaced = true
      if (part === '') continue
      if (!this.#isBlank)
        this.#text += this.#breaks > 0 ? '\n'.repeat(Math.min(this.#breaks, 2)) : this.#isSpaced ? ' ' : ''
      this.#text += part
      this.#isBlank = this.#isSpaced = false
      this.#breaks = 0
    }
  }

  /** Breaks before the next text; `br` adds a break, blocks have at least theirs. */
  break(count: number, isAdded = false): void {
    this.#breaks = isAdded ? this.#breaks + count : Math.max(this.#breaks, count)
    this.#isSpaced = false
  }

  get value(): string {
    return this.#text.trim()
  }
}

/**
 * Reads HTML as a browser shows it, without running anything.
 * @param base URL that relative ones are resolved against
 */
export const htmlContent = (html: string, base?: string): HtmlContent => {
  const shown = new VisibleText()
  const links = new Set<string>()
  const images = new Set<string>()
  const hidden: string[] = []
  let verbatim = 0
  let title: string | undefined
  let canonical: string | undefined
  let within = base
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (HIDDEN.has(name)) hidden.push(name)
        if (name === 'title') title ??= ''
        if (name === 'base') within = absoluteUrl(attributes.href, base) ?? within
        if (name === 'link' && /\bcanonical\b/i.test(attributes.rel ?? ''))
          canonical ??= absoluteUrl(attributes.href, within)
        if (hidden.length > 0) return
        if (name === 'pre') verbatim += 1
        if (name === 'br') shown.break(1, true)
        else if (PARAGRAPHS.has(name)) shown.break(2)
        else if (LINES.has(name)) shown.break(1)
        else if (name === 'td' || name === 'th') shown.add(' ', false)
        const link = name === 'a' ? absoluteUrl(attributes.href, within) : undefined
        if (link) links.add(link)
        const image = name === 'img' ? absoluteUrl(attributes.src, within) : undefined
        if (image) images.add(image)
      },
      ontext(text) {
        if (hidden.at(-1) === 'title' && hidden.length === 1) title = `${title ?? ''}${text}`
        if (hidden.length === 0) shown.add(text, verbatim > 0)
      },
      onclosetag(name) {
        if (hidden.at(-1) === name) {
          hidden.pop()
          return
        }
        if (hidden.length > 0) return
        if (name === 'pre') verbatim -= 1
        if (PARAGRAPHS.has(name)) shown.break(2)
        else if (LINES.has(name) && name !== 'br') shown.break(1)
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  const named = title?.replace(/\s+/g, ' ').trim()
  return {
    text: shown.value,
    links: [...links],
    images: [...images],
    ...(named && { title: named }),
    ...(canonical && { canonical }),
  }
}

/** Returns the visible text of HTML. */
export const htmlText = (html: string): string => htmlContent(html).text

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#039': "'" }
/** Replaces the entities that X writes in a text, once: `&amp;lt;` becomes `&lt;`. */
export const unescapeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#0?39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
