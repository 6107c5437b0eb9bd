import { isRoute, isSameSite, pageAddress } from '@iodine/contracts'

/** A page's current URL, and the URL with which its document was loaded, if known. */
export interface PageAddress {
  url: string
  loadedUrl?: string | undefined
}

/** The absolute URLs that a page's head states. */
export interface StatedAddresses {
  canonicals: readonly string[]
  ogUrl?: string | undefined
  /** `mainEntityOfPage` of the page's article in JSON-LD. */
  mainEntity?: string | undefined
  /** URLs of the page's article in JSON-LD. */
  article?: readonly string[]
  /** URLs of all articles in JSON-LD. */
  articles?: readonly string[]
}

/** The identity of a page, by its URL and its head. */
export interface Identity {
  /** On the page's own site. Undefined if `og:url` is the record's URL. */
  canonical: string | undefined
  /** The canonical URL that the head states, if it is not the page's: a claim. */
  stated: string | undefined
  /** The head is still that of the previous page, after a client-side navigation. */
  isHeadStale: boolean
}

/** The end of the path of a folder's index page. */
const INDEX = String.raw`/(?:(?:index|default|home|main)(?:\.\w+)?/?)?$`
const FOLDER_END = new RegExp(INDEX, 'i')
/** Paths of a site's home page, or of its home page in one language. */
const HOME = new RegExp(`^(?:/[a-z]{2}(?:-[a-z]{2})?)?${INDEX}`, 'i')
const folderOf = (path: string): string => path.replace(FOLDER_END, '')

/** Path suffixes of an article's versions and comments. */
const VERSION = /^(?:(?:amp|print|m)(?:\.\w+)?|feed|comments?|(?:comment-)?page[-/]\d+)\/?$/i
/**
 * Returns whether a suffix denotes a version. A number after an article's path is its page; after a section's, an
 * article.
 */
const isVersion = (folder: string, rest: string): boolean =>
  VERSION.test(rest) || (/^\d{1,2}\/?$/.test(rest) && /[-_\d]/.test(folder))

/**
 * Returns how a path relates to a page's: `version` if the page is a version of it, `above` if it is a parent folder.
 */
const relation = (there: URL, here: URL): 'same' | 'version' | 'above' | 'other' => {
  const [folder, path] = [folderOf(there.pathname), folderOf(here.pathname)]
  if (folder === path) return 'same'
  if (!path.startsWith(`${folder}/`)) return HOME.test(there.pathname) && path !== '' ? 'above' : 'other'
  return isVersion(folder, path.slice(folder.length + 1)) ? 'version' : 'above'
}

/** Parameters that identify a page on its path. */
const IDS =
  /^(?:id|[acnpst]id|(?:news|article|story|post|topic|item)[_-]?(?:id)?|page[_-]id|[pvts]|doc|slug|title|art|key|name)$/i
/** Parameters for presentation or tracking. */
const SHOWN =
  /^(?:ref(?:err?er)?|source|src|from|via|lang|language|hl|locale|share\w*|amp|print|mobile|output(?:type)?|format|theme|sort|order|replytocom|phpsessid|jsessionid|fb_\w+|campaign|cmp)$/i
/** Pagination parameters, if their values are short numbers. */
const PARTS = /^(?:page|paged|pg|m|start|offset)$/i
/** Paths whose query identifies the page. */
const BY_QUERY =
  /\.(?:php\d?|phtml|aspx?|jsp|cgi|cfm|pl|do)$|\/(?:(?:article|story|news|post|view|read|show|item|details?)s?)?$/i

const parametersOf = ({ searchParams }: URL): Map<string, string> =>
  new Map(
    [...searchParams]
      .filter(([name, value]) => !SHOWN.test(name) && !(PARTS.test(name) && /^\d{0,3}$/.test(value)))
      .map(([name, value]) => [name.toLowerCase(), value]),
  )

/** Returns whether a page's query identifies another page than a stated URL. */
const differsByQuery = (there: URL, here: URL): boolean => {
  const [stated, own] = [parametersOf(there), parametersOf(here)]
  const isSamePath = relation(there, here) === 'same'
  const isByQuery = isSamePath && BY_QUERY.test(here.pathname)
  const hasCommon = [...own].some(([name, value]) => stated.get(name) === value)
  return [...own].some(([name, value]) => {
    const other = stated.get(name)
    if (other !== undefined) return other !== value && (isByQuery || IDS.test(name))
    return isSamePath && (IDS.test(name) || (isByQuery && !hasCommon))
  })
}

/** Normalizes a URL for comparison: without scheme, `www.`, mobile hosts and the last slash. */
const comparable = (address: string): string =>
  pageAddress(address)
    .replace(/^https?:\/\/(?:(?:www|m|mobile|amp)\.)?/, '')
    .replace(/\/(?=$|[?#])/, '')

/** Returns whether a stated URL may identify the page. */
const isPlausible = (stated: string, { url, loadedUrl }: PageAddress): boolean => {
  if (!isSameSite(stated, url)) return false
  const [there, here] = [new URL(pageAddress(stated)), new URL(pageAddress(url))]
  // One head serves all routes of a single-page application.
  if (isRoute(here.hash) && there.hash !== here.hash) return false
  const isFolder = there.hash === '' && parametersOf(there).size === 0 && relation(there, here) === 'above'
  if (isFolder || differsByQuery(there, here)) return false
  return !wasMoved({ url, loadedUrl }) || comparable(stated) === comparable(url)
}

const wasMoved = ({ url, loadedUrl }: PageAddress): boolean =>
  loadedUrl !== undefined && comparable(loadedUrl) !== comparable(url)

/** Returns whether a URL is that of a page, or that of which the page is a version. */
export const isOfPage = (address: string, url: string): boolean => {
  if (!isSameSite(address, url)) return false
  const [there, here] = [new URL(pageAddress(address)), new URL(pageAddress(url))]
  if (isRoute(here.hash) && there.hash !== here.hash) return false
  return (
    comparable(address) === comparable(url) ||
    (['same', 'version'].includes(relation(there, here)) && !differsByQuery(there, here))
  )
}

/** Returns whether a URL is that of another page of the same site, and not of a parent folder. */
export const isAnotherPage = (address: string, url: string): boolean => {
  if (!isSameSite(address, url) || isOfPage(address, url)) return false
  const [there, here] = [new URL(pageAddress(address)), new URL(pageAddress(url))]
  const related = relation(there, here)
  return isRoute(here.hash) && related === 'same' ? there.hash !== '' : related !== 'above'
}

/**
 * Returns whether JSON-LD describes the previous page: an article has the loaded URL, or the page's article another
 * one.
 */
const isLinkedDataStale = (
  { url, loadedUrl }: PageAddress,
  { article = [], articles = [] }: StatedAddresses,
): boolean => {
  if (articles.some(address => isOfPage(address, url))) return false
  return (
    articles.some(address => loadedUrl !== undefined && comparable(address) === comparable(loadedUrl)) ||
    (article.length > 0 && article.every(address => isAnotherPage(address, url)))
  )
}

/**
 * Returns the identity of a page: a URL of its own site. Canonical URLs of another site, of a parent folder, or of a
 * stale head are ignored.
 * @param titleDiffers whether the page's title differs from the head's other data or the article's heading
 */
export const identify = (place: PageAddress, stated: StatedAddresses, titleDiffers: boolean): Identity => {
  const { url, loadedUrl } = place
  const { canonicals, ogUrl, mainEntity } = stated
  const plausible = canonicals.filter(address => isPlausible(address, place))
  const isOwnOgUrl = ogUrl !== undefined && isPlausible(ogUrl, place)
  const repeatsUrl = isOwnOgUrl && comparable(ogUrl) === comparable(url)
  const ownEntity =
    canonicals.length === 0 && mainEntity && isPlausible(mainEntity, place) && isOfPage(mainEntity, url)
      ? mainEntity
      : undefined
  // A canonical URL may be copied from another article: `og:url` then names the page itself.
  const own =
    plausible.find(address => isOfPage(address, url)) ??
    (repeatsUrl ? undefined : (plausible[0] ?? ownEntity))
  const all = [...canonicals, ...[ogUrl, ownEntity].filter(address => address !== undefined)]
  const isOfLoaded = all.some(
    address => loadedUrl !== undefined && isPlausible(address, { url: loadedUrl, loadedUrl }),
  )
  const claims = canonicals.length > 0 || mainEntity === undefined ? canonicals : [mainEntity]
  return {
    canonical: own ?? (isOwnOgUrl ? undefined : pageAddress(url)),
    stated: claims.find(address => address !== own),
    isHeadStale:
      wasMoved(place) &&
      own === undefined &&
      !isOwnOgUrl &&
      (isOfLoaded || titleDiffers || isLinkedDataStale(place, stated)),
  }
}
