import { isRoute, isTrackingParameter } from './page-address.js'
import { parseUrl } from './parse-url.js'
import { refang } from './refang.js'
import { telegramPost, telegramUrl } from './telegram-address.js'

const LENGTH_MAX = 500
/** Maximum depth of nested redirect links. */
const UNWRAPPED_MAX = 3

/** Alias hosts and their canonical host. */
const HOSTS: Record<string, string> = {
  'twitter.com': 'x.com',
  'fxtwitter.com': 'x.com',
  'vxtwitter.com': 'x.com',
  'fixupx.com': 'x.com',
  'fixvx.com': 'x.com',
  'music.youtube.com': 'youtube.com',
  'youtube-nocookie.com': 'youtube.com',
  'mbasic.facebook.com': 'facebook.com',
  'web.facebook.com': 'facebook.com',
  'touch.facebook.com': 'facebook.com',
  'fb.com': 'facebook.com',
  'threads.net': 'threads.com',
  'old.reddit.com': 'reddit.com',
  'new.reddit.com': 'reddit.com',
  'np.reddit.com': 'reddit.com',
  'sh.reddit.com': 'reddit.com',
  'vk.ru': 'vk.com',
}

/** Redirect links: the target URL is in a parameter. */
const WRAPPERS: readonly (readonly [host: RegExp, path: RegExp, parameters: readonly string[]])[] = [
  [/^lm?\.(facebook|instagram)\.com$/, /^\//, ['u']],
  [/^l\.threads\.(com|net)$/, /^\//, ['u']],
  [/^youtube\.com$/, /^\/redirect$/, ['q']],
  [/^google(\.\w+)+$/, /^\/url$/, ['url', 'q']],
  [/^vk\.com$/, /^\/away(\.php)?$/, ['to']],
  [/^out\.reddit\.com$/, /^\//, ['url']],
  [/^t\.me$/, /^\/iv$/, ['url']],
]

/** The parts of a URL: host without `www.` and similar prefixes, and path segments. */
interface UrlParts {
  host: string
  parts: readonly string[]
  params: URLSearchParams
}
/** Returns the canonical form of a platform's URL, or undefined if the general rules apply. */
type Platform = (address: UrlParts) => string | undefined

/** Keeps short links (`vm.`, `vt.`, `/t/`): only the platform can resolve them. */
const tiktok: Platform = ({ host, parts }) => {
  if (host !== 'tiktok.com') return `${host}/${parts.join('/')}`
  const path = parts.join('/')
  const [, video] =
    /^(?:@[^/]*\/(?:video|photo)|v|embed(?:\/v2)?|player\/v1|share\/(?:video|photo|item))\/(\d+)(?:\.html)?(?:\/|$)/.exec(
      path,
    ) ?? []
  // The number identifies a video: the platform ignores the account, which may be renamed.
  if (video) return `${host}/@_/video/${video}`
  const [first = ''] = parts
  return first.startsWith('@') && parts.length === 1 ? `${host}/${first.toLowerCase()}` : undefined
}

/** Ignores parameters of posts: they select how a post is shown (`single`, `embed`), or a comment on it. */
const telegram: Platform = ({ host, parts: segments, params }) => {
  const [first = '', ...rest] = segments[0] === 's' && segments.length > 1 ? segments.slice(1) : segments
  if (first === 'share' || first === 'iv' || first === 'proxy' || first === 'socks') return undefined
  const post = telegramPost(segments)
  if (post) return `${host}/${post}`
  if (/^(joinchat|addstickers|addemoji|addlist|boost|setlanguage|bg|c)$/.test(first) || first.startsWith('+'))
    return `${host}/${[first, ...rest].join('/')}`
  if (!/^\w{4,32}$/.test(first)) return undefined
  const name = first.toLowerCase()
  // A bot's start parameter selects its content.
  if (rest.length === 0) return params.has('start') ? undefined : `${host}/${name}`
  return `${host}/${name}/${rest.join('/')}`
}

const x: Platform = ({ host, parts }) => {
  const [, post] = /^(?:\w+|i\/web)\/status(?:es)?\/(\d+)(?:\/|$)/.exec(parts.join('/')) ?? []
  // The number identifies a post, as for videos of TikTok.
  if (post) return `${host}/i/status/${post}`
  const [first = ''] = parts
  if (parts.length !== 1 || !/^\w{1,15}$/.test(first)) return undefined
  return /^(search|home|explore|hashtag|i|intent|share)$/.test(first)
    ? undefined
    : `${host}/${first.toLowerCase()}`
}

const YOUTUBE_ID = /^[\w-]{11}$/
const youtube: Platform = ({ host, parts, params }) => {
  const [first = '', second = ''] = parts
  const video =
    host === 'youtu.be'
      ? first
      : first === 'watch'
        ? (params.get('v') ?? second)
        : /^(shorts|live|embed|v|e)$/.test(first)
          ? second
          : ''
  if (YOUTUBE_ID.test(video)) return `youtube.com/watch?v=${video}`
  const list = params.get('list')
  if (first === 'playlist' && list) return `youtube.com/playlist?list=${list}`
  return first.startsWith('@') ? `${host}/${[first.toLowerCase(), ...parts.slice(1)].join('/')}` : undefined
}

const facebook: Platform = ({ host, parts, params }) => {
  if (host !== 'facebook.com') return `${host}/${parts.join('/')}`
  const path = parts.join('/')
  const video = /^(?:watch|video\.php|watch\/live)$/.test(path)
    ? params.get('v')
    : /^(?:reel|reels|[^/]+\/videos(?:\/[^/]+)?)\/(\d+)$/.exec(path)?.[1]
  if (video) return `${host}/watch?v=${video}`
  const [story, owner] = [params.get('story_fbid'), params.get('id')]
  if (/^(permalink|story)\.php$/.test(path) && story && owner) return `${host}/${owner}/posts/${story}`
  const photo = /^photo(\.php)?$/.test(path)
    ? params.get('fbid')
    : /^[^/]+\/photos\/(?:[^/]+\/)?(\d+)$/.exec(path)?.[1]
  if (photo) return `${host}/photo?fbid=${photo}`
  const [, group, inGroup = params.get('multi_permalinks')] =
    /^groups\/([^/]+)(?:\/(?:posts|permalink)\/(\d+))?$/.exec(path) ?? []
  if (group) return `${host}/groups/${group.toLowerCase()}${inGroup ? `/posts/${inGroup}` : ''}`
  const [, page, post] = /^([^/]+)\/posts\/(?:[^/]+\/)?([^/]+)$/.exec(path) ?? []
  if (page) return `${host}/${page.toLowerCase()}/posts/${post}`
  if (parts[0] === 'share') return `${host}/${path}`
  const isAccount = parts.length === 1 && /^[\w.-]+$/.test(path) && !path.endsWith('.php')
  return isAccount && !/^(watch|search|hashtag|sharer|groups|events)$/.test(path)
    ? `${host}/${path.toLowerCase()}`
    : undefined
}

const instagram: Platform = ({ host, parts }) => {
  const [, post] = /^(?:[\w.]+\/)?(?:p|reels?|tv)\/([\w-]+)(?:\/|$)/.exec(parts.join('/')) ?? []
  if (post) return `${host}/p/${post}`
  const [first = ''] = parts
  return parts.length === 1 && /^[\w.]+$/.test(first) ? `${host}/${first.toLowerCase()}` : undefined
}

const threads: Platform = ({ host, parts }) => {
  const [, post] = /^(?:@[\w.]+\/post|t)\/([\w-]+)(?:\/|$)/.exec(parts.join('/')) ?? []
  if (post) return `${host}/t/${post}`
  const [first = ''] = parts
  return parts.length === 1 && first.startsWith('@') ? `${host}/${first.toLowerCase()}` : undefined
}

const bluesky: Platform = ({ host, parts }) => {
  const [kind, account = '', ...rest] = parts
  return kind === 'profile' ? `${host}/${[kind, account.toLowerCase(), ...rest].join('/')}` : undefined
}

const reddit: Platform = ({ host, parts }) => {
  const [, post] =
    /^(?:(?:r|user|u)\/\w+\/)?comments\/(\w+)(?:\/|$)/.exec(parts.join('/')) ??
    (host === 'redd.it' ? /^(\w+)$/.exec(parts.join('/')) : null) ??
    []
  if (post) return `reddit.com/comments/${post.toLowerCase()}`
  const [kind, name = ''] = parts
  return kind === 'r' && parts.length === 2 ? `${host}/r/${name.toLowerCase()}` : undefined
}

const vk: Platform = ({ host, parts, params }) => {
  const wall = /^(?:wall|photo|video|clip)-?\d+_\d+$/
  const shown = [params.get('w') ?? '', params.get('z')?.split('/')[0] ?? '', parts[0] ?? ''].find(each =>
    wall.test(each),
  )
  if (shown) return `${host}/${shown}`
  const [first = ''] = parts
  return parts.length === 1 && /^[\w.]+$/.test(first) && !first.endsWith('.php')
    ? `${host}/${first.toLowerCase()}`
    : undefined
}

const PLATFORMS: Record<string, Platform> = {
  'tiktok.com': tiktok,
  'vm.tiktok.com': tiktok,
  'vt.tiktok.com': tiktok,
  't.me': telegram,
  'x.com': x,
  'youtube.com': youtube,
  'youtu.be': youtube,
  'facebook.com': facebook,
  'fb.watch': facebook,
  'instagram.com': instagram,
  'threads.com': threads,
  'bsky.app': bluesky,
  'reddit.com': reddit,
  'redd.it': reddit,
  'vk.com': vk,
  'open.spotify.com': ({ host, parts }) => [host, ...parts].join('/'),
}

/** Applies the rules for all URLs. */
const general = (host: string, path: string, params: URLSearchParams, fragment: string): string => {
  const query = [...params].filter(([name]) => !isTrackingParameter(name))
  const search = new URLSearchParams(query.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString()
  return `${host}${path.replace(/\/+$/, '')}${search && `?${search}`}${isRoute(fragment) ? fragment : ''}`
}

const hostOf = ({ host }: URL): string => {
  const bare = host
    .replace(/\.(?=:|$)/, '')
    .replace(/^(www|m|mobile|amp|[a-z]{2}-[a-z]{2}(?=\.facebook\.))\./, '')
  return HOSTS[bare] ?? bare
}

/** Returns the target of a platform's redirect link, or undefined for any other URL. */
export const redirectTarget = (url: URL): string | undefined => {
  const host = hostOf(url)
  const [, , parameters = []] =
    WRAPPERS.find(([hosts, paths]) => hosts.test(host) && paths.test(url.pathname)) ?? []
  return parameters.map(each => url.searchParams.get(each)).find(each => each) ?? undefined
}

/**
 * Returns the canonical form of a URL, or null for anything but a web URL of at most 500 characters.
 * - `PLATFORMS`: the post's identifier, whichever link shared it, and account names in lower case.
 * - Other sites: no scheme, `www.`, tracking parameters, non-route fragment, default port and trailing slash; sorted
 *   parameters.
 * - Redirect links of a platform: the canonical form of their target.
 * - Short links: unchanged, because only their platform can resolve them.
 *
 * Idempotent if a scheme is prepended.
 */
export const canonicalLink = (address: string | null | undefined, depth = 0): string | null => {
  const written = address?.trim() ?? ''
  const url = telegramUrl(written) ?? parseUrl(written)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const { pathname: path, searchParams: params, hash } = url
  const host = hostOf(url)
  const to = depth < UNWRAPPED_MAX && redirectTarget(url)
  const unwrapped = to && canonicalLink(to, depth + 1)
  if (unwrapped) return unwrapped
  const parts = path.split('/').filter(Boolean)
  const link =
    PLATFORMS[host]?.({ host, parts, params })?.replace(/\/+$/, '') ?? general(host, path, params, hash)
  return link.length <= LENGTH_MAX ? link : null
}

/** Returns the canonical form of a URL as people write it: defanged, or without a scheme. */
export const canonicalLinkOf = (written: string): string | null => {
  const address = refang(written.trim())
  return canonicalLink(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`)
}
