/** Parameters that say who passed a link on, not what it leads to. */
const TRACKING =
  /^(utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|ttclid|yclid|igshid|igsh|mc_[ce]id|mkt_tok|_hs(enc|mi)|vero_id|oly_(anon|enc)_id|_openstat|wt_\w+|ref_src|ref_url|share_id|is_from_webapp|sender_device|is_copy_url)$/i
const LENGTH_MAX = 500

/**
 * One form for the addresses of one thing: without scheme, `www.`, tracking parameters, fragment, default port and
 * closing slash, parameters in order; messaging channels' previews as the posts themselves. Null for anything but a web
 * address of at most 500 characters.
 */
export const canonicalLink = (address: string | null | undefined): string | null => {
  const given = address?.trim() ?? ''
  if (!URL.canParse(given)) return null
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  const host = url.host.replace(/^(www|m|mobile)\./, '').replace(/^telegram\.me$/, 't.me')
  const path = host === 't.me' ? url.pathname.replace(/^\/s\//, '/') : url.pathname
  const query = [...url.searchParams].filter(([name]) => !TRACKING.test(name))
  // A post's address below t.me says by its parameters only how it is shown.
  const shown = host === 't.me' ? [] : query
  const search = new URLSearchParams(shown.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString()
  const link = `${host}${path.replace(/\/+$/, '')}${search && `?${search}`}`
  return link.length <= LENGTH_MAX ? link : null
}
