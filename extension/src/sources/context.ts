import { cutText, exactTime, LIMITS, type RecordContext } from '@iodine/contracts'
import { projectText } from '@iodine/evidence'
import { addressOf, filled, textOf, urlOf } from './read'

/** The first of the values that is a time with its zone, as the contract accepts it; undefined if none is. */
export const timeOf = (...values: unknown[]): string | undefined =>
  values.map(value => exactTime(textOf(value) ?? '')).find(time => time !== undefined)

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
  const text = projectText(part).replaceAll('\0', '').trim()
  return text === '' ? undefined : cutText(text, LIMITS.contextTextMax)
}

/** The web addresses that a part of a page links to, each once. */
export const linksIn = (part: Element, base: string): string[] | undefined => {
  const own = urlOf(base)
  const links = [...part.querySelectorAll('a[href]')].flatMap(link => {
    const address = addressOf(link.getAttribute('href'), base)
    const url = address === undefined ? undefined : urlOf(address)
    // A place on the same page is no link.
    const isHere = url?.hash && url.origin === own?.origin && url.pathname === own.pathname
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
