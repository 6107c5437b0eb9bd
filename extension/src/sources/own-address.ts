import { isRoute, isSameSite, pageAddress } from '@iodine/contracts'

/** Where a page is: its address now, and that with which its document was loaded, if known. */
export interface Place {
  url: string
  loadedUrl?: string | undefined
}

/** The addresses that a page's head states, absolute. */
export interface Stated {
  canonicals: readonly string[]
  ogUrl?: string | undefined
  /** `mainEntityOfPage` of the page's article in JSON-LD. */
  mainEntity?: string | undefined
  /** Addresses of the page's article in JSON-LD. */
  article?: readonly string[]
  /** Addresses of all articles in JSON-LD. */
  articles?: readonly string[]
}

/** What a page is, by its address and its head. */
export interface Identity {
  /** Of the page's own site. Undefined where `og:url` is the record's address. */
  canonical: string | undefined
  /** The canonical address that the head states, if it is not the page's: a claim. */
  stated: string | undefined
  /** The head is still that of the page from which this one was reached without a load. */
  isHeadStale: boolean
}

/** The end of the address of a folder's own page. */
const INDEX = String.raw`/(?:(?:index|default|home|main)(?:\.\w+)?/?)?$`
const FOLDER_END = new RegExp(INDEX, 'i')
/** Paths of a site's home, or of its home in one language. */
const HOME = new RegExp(`^(?:/[a-z]{2}(?:-[a-z]{2})?)?${INDEX}`, 'i')
const folderOf = (path: string): string => path.replace(FOLDER_END, '')

/** What follows the address of an article in those of its versions and comments. */
const VERSION = /^(?:(?:amp|print|m)(?:\.\w+)?|feed|comments?|(?:comment-)?page[-/]\d+)\/?$/i
/** A number that follows an article's address is a page of it; one that follows a section's is an article. */
const isVersion = (folder: string, rest: string): boolean =>
  VERSION.test(rest) || (/^\d{1,2}\/?$/.test(rest) && /[-_\d]/.test(folder))

/** How a path relates to that of a page: `version` if the page is a version of it, `above` if it is a folder of the page. */
const relation = (there: URL, here: URL): 'same' | 'version' | 'above' | 'other' => {
  const [folder, path] = [folderOf(there.pathname), folderOf(here.pathname)]
  if (folder === path) return 'same'
  if (!path.startsWith(`${folder}/`)) return HOME.test(there.pathname) && path !== '' ? 'above' : 'other'
  return isVersion(folder, path.slice(folder.length + 1)) ? 'version' : 'above'
}

/** Parameters that identify a page on its path. */
const IDS =
  /^(?:id|[acnpst]id|(?:news|article|story|post|topic|item)[_-]?(?:id)?|page[_-]id|[pvts]|doc|slug|title|art|key|name)$/i
/** Parameters that say how a page is shown or who links to it. */
const SHOWN =
  /^(?:ref(?:err?er)?|source|src|from|via|lang|language|hl|locale|share\w*|amp|print|mobile|output(?:type)?|format|theme|sort|order|replytocom|phpsessid|jsessionid|fb_\w+|campaign|cmp)$/i
/** Parameters that are the number of a part of a page, if they are short numbers. */
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

/** Whether a page's query names another page than that of a stated address. */
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

/** An address as it is compared: without what differs between the addresses of one page. */
const comparable = (address: string): string =>
  pageAddress(address)
    .replace(/^https?:\/\/(?:(?:www|m|mobile|amp)\.)?/, '')
    .replace(/\/(?=$|[?#])/, '')

/** Whether a page may be known by an address that its head states. */
const isPlausible = (stated: string, { url, loadedUrl }: Place): boolean => {
  if (!isSameSite(stated, url)) return false
  const [there, here] = [new URL(pageAddress(stated)), new URL(pageAddress(url))]
  // One head serves all routes of a single-page site.
  if (isRoute(here.hash) && there.hash !== here.hash) return false
  const isFolder = there.hash === '' && parametersOf(there).size === 0 && relation(there, here) === 'above'
  if (isFolder || differsByQuery(there, here)) return false
  return !wasMoved({ url, loadedUrl }) || comparable(stated) === comparable(url)
}

const wasMoved = ({ url, loadedUrl }: Place): boolean =>
  loadedUrl !== undefined && comparable(loadedUrl) !== comparable(url)

/** Whether an address is that of a page, or that of which the page is a version. */
export const isOfPage = (address: string, url: string): boolean => {
  if (!isSameSite(address, url)) return false
  const [there, here] = [new URL(pageAddress(address)), new URL(pageAddress(url))]
  if (isRoute(here.hash) && there.hash !== here.hash) return false
  return (
    comparable(address) === comparable(url) ||
    (['same', 'version'].includes(relation(there, here)) && !differsByQuery(there, here))
  )
}

/** Whether an address is that of another page of a page's site, and not of a folder that both are in. */
export const isAnotherPage = (address: string, url: string): boolean => {
  if (!isSameSite(address, url) || isOfPage(address, url)) return false
  const [there, here] = [new URL(pageAddress(address)), new URL(pageAddress(url))]
  const related = relation(there, here)
  return isRoute(here.hash) && related === 'same' ? there.hash !== '' : related !== 'above'
}

/** Whether JSON-LD describes the previous page: it names the loaded address, or another page as that of the article. */
const isLinkedDataStale = ({ url, loadedUrl }: Place, { article = [], articles = [] }: Stated): boolean => {
  if (articles.some(address => isOfPage(address, url))) return false
  return (
    articles.some(address => loadedUrl !== undefined && comparable(address) === comparable(loadedUrl)) ||
    (article.length > 0 && article.every(address => isAnotherPage(address, url)))
  )
}

/**
 * Returns what identifies a page: an address of its own site, where it was seen. A canonical address of another site or of
 * a folder above the page, and one of a head that stayed when scripts moved the page on, identify nothing.
 * @param titleDiffers whether the page's title is not that of its head's other data, or not its article's heading
 */
export const identify = (place: Place, stated: Stated, titleDiffers: boolean): Identity => {
  const { url, loadedUrl } = place
  const { canonicals, ogUrl, mainEntity } = stated
  const plausible = canonicals.filter(address => isPlausible(address, place))
  const isOwnOgUrl = ogUrl !== undefined && isPlausible(ogUrl, place)
  const repeatsUrl = isOwnOgUrl && comparable(ogUrl) === comparable(url)
  const ownEntity =
    canonicals.length === 0 && mainEntity && isPlausible(mainEntity, place) && isOfPage(mainEntity, url)
      ? mainEntity
      : undefined
  // A canonical address may be copied from another article: `og:url` then names the page itself.
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
