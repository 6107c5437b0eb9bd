import { cutText, LIMITS, POST_PLACES } from '@iodine/contracts'

type Values = Record<string, unknown>

const URL_MAX = 2_000
const TAGS_MAX = 1_000

/** Characters of texts by path, in records `post`. Others are names. */
const POST_TEXTS: Record<string, number> = {
  'post.text': LIMITS.postTextMax,
  'post.title': LIMITS.fieldMax,
  'author.description': LIMITS.fieldMax,
  'media.alt': LIMITS.fieldMax,
}
/** Entries of lists by path. Others have at most `TAGS_MAX`. */
const LISTS: Record<string, number> = {
  links: LIMITS.contextLinksMax,
  media: LIMITS.contextMediaMax,
  'context.links': LIMITS.contextLinksMax,
  'context.media': LIMITS.contextMediaMax,
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes NUL, and replaces halves of surrogate pairs: the services refuse both. */
const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/**
 * Fits a record to the limits of its schema: removes fields without a value, and values that are too long to be what
 * they are. Cuts long texts and lists.
 * @param warnings receives `text-cut` and `list-cut`
 */
export const fitted = (values: Values, isPost: boolean, warnings: Set<string>): Values => {
  const textMax = (path: string): number =>
    path === 'context.text'
      ? LIMITS.contextTextMax
      : isPost
        ? (POST_TEXTS[path] ?? LIMITS.postNameMax)
        : LIMITS.fieldMax

  const text = (value: string, path: string): string | undefined => {
    const clean = cleanText(value)
    const isUrl = /(?:^|\.)(?:url|links|canonical|in_reply_to)$/.test(path)
    if (isUrl) return clean.length > URL_MAX ? undefined : clean
    const max = textMax(path)
    if (clean.length <= max) return clean
    // A cut id would be another one.
    if (/(?:^|[._])id$/.test(path)) return undefined
    warnings.add('text-cut')
    return cutText(clean, max)
  }
  const list = (items: readonly unknown[], path: string): unknown[] => {
    const max = LISTS[path] ?? TAGS_MAX
    if (items.length > max) warnings.add('list-cut')
    return items
      .slice(0, max)
      .map(item => fit(item, path))
      .filter(item => item !== undefined)
  }
  const fit = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return text(value, path) || undefined
    if (Array.isArray(value)) {
      const items = list(value, path)
      return items.length > 0 ? items : undefined
    }
    if (!isObject(value)) return value ?? undefined
    const inner = object(value, path)
    return Object.keys(inner).length > 0 ? inner : undefined
  }
  const object = (of: Values, path: string): Values =>
    Object.fromEntries(
      Object.entries(of)
        .map(([name, value]) => [name, fit(value, path ? `${path}.${name}` : name)] as const)
        .filter(([, value]) => value !== undefined),
    )
  return object(values, '')
}

/** Returns the kind of place that a post stands in, or undefined for an unknown one. */
export const placeOf = (written: string | undefined): (typeof POST_PLACES)[number] | undefined =>
  POST_PLACES.find(place => place === written?.toLowerCase())
