import { parseUrl } from './parse-url.js'

/** Tracking and presentation parameters, which do not change the linked page. */
const TRACKING = new RegExp(
  `^(?:${[
    // Campaigns: Urchin, AT Internet, Matomo, mails.
    'utm_\\w+|at_(?:medium|campaign|creation|format|variant|send_date|(?:link|ptr|recipient)\\w*)|xtor|(?:pk|mtm|piwik)_\\w+',
    'mc_[ce]id|mkt_tok|_hs(?:enc|mi)|hsctatracking|vero_id|oly_(?:anon|enc)_id|_openstat|wt_\\w+|cmpid|smid|ncid',
    // Clicks on advertisements.
    'fbclid|gclid|dclid|gbraid|wbraid|gad_source|gad_campaignid|srsltid|msclkid|twclid|ttclid|yclid|sccid|li_fat_id',
    '_g[al]|guccounter|guce_referrer(?:_sig)?',
    // Who shared it, and by which app.
    'igsh(?:id)?|mibextid|sfnsn|rdid|__cft__.*|__tn__|ref_src|ref_url|__twitter_impression|share_(?:id|item_id|link_id|app_id)',
    'u_code|social_sharing|is_from_webapp|sender_(?:device|web_id)|is_copy_url',
  ].join('|')})$`,
  'i',
)

export const isTrackingParameter = (name: string): boolean => TRACKING.test(name)

/** Returns whether a fragment (`#…`) is a route of a single-page site: it names a page, not a position on one. */
export const isRoute = (fragment: string): boolean => /^#!?\/|^#!./.test(fragment)

const nameOf = (parameter: string): string => {
  const name = parameter.replace(/=.*$/s, '')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/**
 * Returns the URL that identifies a web page: without user name, password and tracking parameters, and without a
 * fragment that is not a route (`#/…`, `#!…`). Returns any other text unchanged.
 */
export const pageAddress = (address: string): string => {
  const url = parseUrl(address)
  if (!url) return address
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return address
  url.username = url.password = ''
  if (!isRoute(url.hash)) url.hash = ''
  // Manually, as URLSearchParams would re-encode the other parameters.
  const parameters = url.search.slice(1).split('&')
  const kept = parameters.filter(parameter => !isTrackingParameter(nameOf(parameter)))
  if (kept.length < parameters.length) url.search = kept.join('&')
  return url.href
}

const PRESENTATION = /^(www|m|mobile|amp)\./

/** Returns the host of a URL as a site's name, such as `paper.example.com`; null for any other text. */
export const siteOf = (address: string | null | undefined): string | null => {
  const url = parseUrl(address ?? '')
  if (!url) return null
  const { protocol, hostname } = url
  return protocol === 'http:' || protocol === 'https:' ? hostname.replace(PRESENTATION, '') : null
}

/**
 * Returns whether two URLs are of one site: of one host, ignoring `www.`, `m.`, `mobile.` and `amp.`. Other subdomains
 * may have other owners, as on hosting platforms.
 */
export const isSameSite = (a: string, b: string): boolean => {
  const site = siteOf(a)
  if (site === null || site !== siteOf(b)) return false
  const [one, other] = [new URL(a).port, new URL(b).port]
  return one === '' || other === '' || one === other
}
