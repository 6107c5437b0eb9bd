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

/** Paths of a site's home, or of its home in one language. */
const HOME = /^\/(?:index\.\w+|home|[a-z]{2}(?:-[a-z]{2})?)?\/?$/i
/** Whether an address is the home of the site that another page of it is below. */
const isHomeOf = ({ pathname, search, hash }: URL, page: URL): boolean => {
  const language = /^\/[a-z]{2}(?:-[a-z]{2})?\/?$/i.test(pathname)
  if (!HOME.test(pathname) || search !== '' || hash !== '') return false
  if (language)
    return page.pathname.startsWith(`${pathname.replace(/\/$/, '')}/`) && page.pathname !== pathname
  return !HOME.test(page.pathname) || page.search !== '' || page.hash !== ''
}
/** Parameters that tell the pages of one path apart. */
const IDS = /^(?:id|[anpt]id|(?:news|article|story|post|topic)[_-]?(?:id)?|[pvt]|doc)$/i

/** An address as it is compared: without what differs between the addresses of one page. */
const comparable = (address: string): string =>
  pageAddress(address)
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/(?=$|[?#])/, '')

/** Whether a page may be known by an address that its head states. */
const isPlausible = (stated: string, { url, loadedUrl }: Place): boolean => {
  if (!isSameSite(stated, url)) return false
  const [there, here] = [new URL(pageAddress(stated)), new URL(pageAddress(url))]
  // One head serves all routes of a single-page site.
  if (isRoute(here.hash) && there.hash !== here.hash) return false
  if (isHomeOf(there, here)) return false
  const lacksId = [...here.searchParams.keys()].some(name => IDS.test(name) && !there.searchParams.has(name))
  if (lacksId && there.pathname === here.pathname) return false
  const wasMoved = loadedUrl !== undefined && comparable(loadedUrl) !== comparable(url)
  return !wasMoved || comparable(stated) === comparable(url)
}

/**
 * Returns what identifies a page: an address of its own site, where it was seen. A canonical address of another site or of
 * the site's home, and one of a head that stayed when scripts moved the page on, identify nothing.
 * @param titleDiffers whether the page's title is another one than its head's other data states
 */
export const identify = (place: Place, { canonicals, ogUrl }: Stated, titleDiffers: boolean): Identity => {
  const { url, loadedUrl } = place
  const own = canonicals.find(address => isPlausible(address, place))
  const isOwnOgUrl = ogUrl !== undefined && isPlausible(ogUrl, place)
  const all = [...canonicals, ...(ogUrl === undefined ? [] : [ogUrl])]
  const wasMoved = loadedUrl !== undefined && comparable(loadedUrl) !== comparable(url)
  const isOfLoaded = all.some(
    address => loadedUrl !== undefined && isPlausible(address, { url: loadedUrl, loadedUrl }),
  )
  return {
    canonical: own ?? (isOwnOgUrl ? undefined : pageAddress(url)),
    stated: canonicals.find(address => address !== own),
    isHeadStale:
      wasMoved && all.length > 0 && own === undefined && !isOwnOgUrl && (isOfLoaded || titleDiffers),
  }
}
