import { pageAddress, type RecordOf, type Source } from '@iodine/contracts'
import { at, jsonOf, type PageState, textOf, urlOf } from './read'
import { documentsOf } from './telegram'

/** Why a page has no post: it was removed, the site asks to wait or keeps it from the reader, or answered with an error. */
interface Absence {
  kind: 'removed' | 'waiting' | 'withheld' | 'siteError'
  /** HTTP status, of an error. */
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
/** Numbers and comments belong to a post that is there. */
const isShown = (document: Document): boolean => document.querySelector('[data-e2e="like-count"]') !== null

const tiktok = ({ document, url }: PageState): Absence['kind'] | undefined => {
  if (!VIDEO.test(urlOf(url)?.pathname ?? '')) return undefined
  const scope = at(jsonOf(document.querySelector(STATE)), '__DEFAULT_SCOPE__')
  for (const name of ['webapp.video-detail', 'webapp.reflow.video.detail']) {
    const detail = at(scope, name)
    if (at(detail, 'itemInfo', 'itemStruct', 'id') !== undefined) return undefined
    const code = at(detail, 'statusCode')
    if (typeof code === 'number' && code !== 0)
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

/**
 * Returns why a page has no post; undefined if it may have one. A page that scripts moved on since its load has another
 * post than the one with the status.
 */
export const absenceOf = (source: Source, page: PageState): Absence | undefined => {
  const { status = 0, loadedUrl, url } = page
  const documentOf = (address: string) => address.replace(/#.*$/s, '')
  const isAsLoaded = loadedUrl === undefined || documentOf(loadedUrl) === documentOf(url)
  if (status >= 400 && isAsLoaded)
    return REMOVED_STATUS.has(status) ? { kind: 'removed' } : { kind: 'siteError', status }
  const kind = source === 'tiktok' ? tiktok(page) : source === 'telegram' ? telegram(page) : undefined
  return kind && { kind }
}

/** Returns a record that says only that the post of a page was seen removed; undefined if its address names no post. */
export const removalOf = (source: Source, { url, time }: PageState): RecordOf[Source] | undefined => {
  const { pathname = '' } = urlOf(url) ?? {}
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
