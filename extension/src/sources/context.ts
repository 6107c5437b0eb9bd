import { isRoute, LIMITS, type RecordContext } from '@iodine/contracts'
import { projectText } from '@iodine/evidence'
import { addressOf, filled, textOf, urlOf } from './read'

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * A time that names its zone, as the page writes it; undefined for any other. The contract's rule, without the library that
 * checks it: this runs in pages.
 */
export const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value) ?? ''
  const [, year, month, day] = TIME.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? text : undefined
}

/** The only outermost element of a kind. */
const only = (of: Document, selector: string): Element | undefined => {
  const outer = [...of.querySelectorAll(selector)].filter(
    element => !element.parentElement?.closest(selector),
  )
  return outer.length === 1 ? outer[0] : undefined
}

/** The part of a page that is about one thing: its main part, or its only article. */
export const articlePart = (of: Document): Element | undefined =>
  only(of, 'main, [role="main"]') ?? only(of, 'article')

/** The text of a part of a page as it is shown, up to the limit. */
export const partText = (part: Element): string | undefined => {
  const text = projectText(part).replaceAll('\0', '').trim().slice(0, LIMITS.contextTextMax)
  return text === '' ? undefined : text.toWellFormed()
}

/** The web addresses that a part of a page links to, each once. */
export const linksIn = (part: Element, base: string): string[] | undefined => {
  const own = urlOf(base)
  const links = [...part.querySelectorAll('a[href]')].flatMap(link => {
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
