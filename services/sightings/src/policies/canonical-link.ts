import { isRoute, isTrackingParameter } from '@iodine/contracts'

const LENGTH_MAX = 500

/**
 * One form for the addresses of one thing: without scheme, `www.`, tracking parameters, fragment that is no route, default
 * port and closing slash, parameters in order; messaging channels' previews as the posts themselves. Null for anything but a web
 * address of at most 500 characters.
 */
export const canonicalLink = (address: string | null | undefined): string | null => {
  const given = address?.trim() ?? ''
  if (!URL.canParse(given)) return null
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  const host = url.host.replace(/^(www|m|mobile)\./, '').replace(/^telegram\.me$/, 't.me')
  const path = host === 't.me' ? url.pathname.replace(/^\/s\//, '/') : url.pathname
  const query = [...url.searchParams].filter(([name]) => !isTrackingParameter(name))
  // A post's address below t.me says by its parameters only how it is shown.
  const shown = host === 't.me' ? [] : query
  const search = new URLSearchParams(shown.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString()
  const route = isRoute(url.hash) ? url.hash : ''
  const link = `${host}${path.replace(/\/+$/, '')}${search && `?${search}`}${route}`
  return link.length <= LENGTH_MAX ? link : null
}
