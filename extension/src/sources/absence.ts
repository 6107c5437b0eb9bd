import { type CollectedSource, isRoute, pageAddress, parseUrl, type RecordOf } from '@iodine/contracts'
import { articlePart } from './context'
import { at, jsonOf, type PageState, textOf } from './read'
import { documentsOf } from './telegram'

/**
 * Why a page has no post: it was removed (`removed`), a bot protection asks to wait (`waiting`), the site withholds it
 * (`withheld`), an error status (`siteError`), or an error page with a success status (`nothingHere`).
 */
interface Absence {
  kind: 'removed' | 'waiting' | 'withheld' | 'siteError' | 'nothingHere'
  /** HTTP status of a `siteError`. */
  status?: number
}

/** HTTP: not found, gone, unavailable for legal reasons. */
const REMOVED_STATUS = new Set([404, 410, 451])
const WAITS =
  /^\s*(?:please wait|just a moment|checking your browser|verify(?:ing)? (?:to continue|you are human))/i
const GONE = /does(?:n.t| not) exist|not found|removed|deleted|unavailable/i
const GONE_SHOWN =
  /^(?:video (?:is )?currently unavailable|this (?:video|post) (?:is|was) (?:unavailable|removed|not available)|couldn.t find this (?:video|post|page))\b/i

const STATE = 'script#__UNIVERSAL_DATA_FOR_REHYDRATION__'
const VIDEO = /\/(?:video|photo|v)\/(\d+)/
/** Returns whether the page shows a like count, which only an existing post has. */
const isShown = (document: Document): boolean => document.querySelector('[data-e2e="like-count"]') !== null

const tiktok = ({ document, url }: PageState, isAsLoaded: boolean): Absence['kind'] | undefined => {
  const [, shownId] = VIDEO.exec(parseUrl(url)?.pathname ?? '') ?? []
  if (shownId === undefined) return undefined
  const scope = at(jsonOf(document.querySelector(STATE)), '__DEFAULT_SCOPE__')
  for (const name of ['webapp.video-detail', 'webapp.reflow.video.detail']) {
    const detail = at(scope, name)
    const id = textOf(at(detail, 'itemInfo', 'itemStruct', 'id'))
    if (id === shownId || (isAsLoaded && id !== undefined)) return undefined
    const code = at(detail, 'statusCode')
    if (isAsLoaded && typeof code === 'number' && code !== 0)
      return code === 10204 || GONE.test(textOf(at(detail, 'statusMsg')) ?? '') ? 'removed' : 'withheld'
  }
  if (isShown(document)) return undefined
  const texts = [...document.querySelectorAll('h1, h2, p, [data-e2e]')].map(
    each => each.textContent?.trim() ?? '',
  )
  if (texts.some(text => GONE_SHOWN.test(text))) return 'removed'
  return WAITS.test(document.title) ? 'waiting' : undefined
}

const telegram = ({ document }: PageState): Absence['kind'] | undefined =>
  documentsOf(document).some(each => each.querySelector('.tgme_widget_message_error')) ? 'removed' : undefined

/** Titles of challenge pages of bot protections (Cloudflare, Anubis, DDoS-Guard, hosting providers). */
const CHALLENGE =
  /^(?:just a moment(?:\.{3}|…)|(?:attention required!|please wait(?:\.{3}|…)) \| cloudflare|making sure you.re not a bot!|ddos-guard|one moment, please(?:\.{3}|…)|checking your browser(?: before accessing .*|\.{3}|…)?)$/i
const NOT_FOUND =
  /^(?:error )?404(?: error)?(?: (?:page )?not found)?[.!]?$|^(?:oops!? )?(?:page|article|post)?\s*not found[.!]?$/i
/** Separator between an error and the name of its site or an explanation. */
const SEPARATOR = /\s+[|–—·-]\s+|:\s+/
const ARTICLE_CHARACTERS = 200
const BESIDE = 'a, details, footer, nav, noscript, script, style'

/** Returns whether a part of a page contains the text of an article, without links and explanations. */
const hasArticle = (part: Element | undefined): boolean => {
  const copy = part?.cloneNode(true) as Element | undefined
  for (const element of copy?.querySelectorAll(BESIDE) ?? []) element.remove()
  return (copy?.textContent ?? '').replace(/\s+/g, ' ').trim().length > ARTICLE_CHARACTERS
}

const blog = ({ document }: PageState): Absence['kind'] | undefined => {
  const [title = '', ...headings] = [
    document.title,
    ...[...document.querySelectorAll('h1')].map(each => each.textContent ?? ''),
  ].map(text => text.replace(/\s+/g, ' ').trim())
  if (CHALLENGE.test(title)) return hasArticle(articlePart(document)) ? undefined : 'waiting'
  const isError = [title, ...headings].some(each => each.split(SEPARATOR).some(part => NOT_FOUND.test(part)))
  return isError && !hasArticle(articlePart(document) ?? document.body) ? 'nothingHere' : undefined
}

const absenceIn = { tiktok, telegram, blog }

/**
 * Returns whether a page is still the loaded one. Scripts add and remove parameters and set fragments; a different path,
 * route or parameter value is another page.
 */
const isSamePage = (loadedUrl: string, url: string): boolean => {
  const [loaded, now] = [parseUrl(loadedUrl), parseUrl(url)]
  if (!loaded || !now) return loadedUrl === url
  const pathOf = ({ origin, pathname, hash }: URL) => origin + pathname + (isRoute(hash) ? hash : '')
  return (
    pathOf(loaded) === pathOf(now) &&
    [...now.searchParams].every(
      ([name, value]) => !loaded.searchParams.has(name) || loaded.searchParams.getAll(name).includes(value),
    )
  )
}

/**
 * Returns why a page has no post; undefined if it may have one. The HTTP status does not apply after a client-side
 * navigation.
 */
export const absenceOf = (source: CollectedSource, page: PageState): Absence | undefined => {
  const { status = 0, loadedUrl, url } = page
  const isAsLoaded = loadedUrl === undefined || isSamePage(loadedUrl, url)
  if (status >= 400 && isAsLoaded)
    return REMOVED_STATUS.has(status) ? { kind: 'removed' } : { kind: 'siteError', status }
  const kind = absenceIn[source](page, isAsLoaded)
  return kind && { kind }
}

/** Returns the removal notice for the post of a page; undefined if the URL names no post. */
export const removalOf = (
  source: CollectedSource,
  { url, time }: PageState,
): RecordOf[CollectedSource] | undefined => {
  const { pathname = '' } = parseUrl(url) ?? {}
  const seen = {
    collector_metadata: { fetch_timestamp: time, source },
    context: { removed: { first_seen: time, last_seen: time } },
  }
  if (source === 'blog') return { ...seen, metadata: { canonical: pageAddress(url) } }
  if (source === 'tiktok') {
    const [, id] = VIDEO.exec(pathname) ?? []
    return id === undefined ? undefined : { ...seen, main: { video_id: id } }
  }
  const [, channel, id] = /^\/(?:s\/)?(\w+)\/(\d+)\/?$/.exec(pathname) ?? []
  return id === undefined
    ? undefined
    : { ...seen, telegram: { post: { id, url: `https://t.me/${channel}/${id}` } } }
}
