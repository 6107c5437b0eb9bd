import {
  canonicalLink,
  canonicalLinkOf,
  pageAddress,
  parseUrl,
  redirectTarget,
  refang,
} from '@iodine/contracts'

/** The kind of record that a URL identifies, with the identifiers that the URL contains. */
export type Address =
  | { source: 'tiktok'; id: string; handle?: string }
  | { source: 'telegram'; id: string; username?: string; url: string }
  | {
      source: 'post'
      platform: string
      id: string
      type: 'post' | 'video' | 'comment'
      handle?: string
      url: string
    }
  | { source: 'blog'; url: string }

/** Why a text identifies no record. */
export interface NoAddress {
  skipped: 'no-address' | 'short-address' | 'not-a-post'
}

const URL_MAX = 2_000
const REDIRECTS_MAX = 3

/** Hosts whose links only their owner can resolve, as canonical links. */
const SHORT =
  /^(?:v[mt]\.tiktok\.com|t\.co|bit\.ly|j\.mp|tinyurl\.com|goo\.gl|ow\.ly|buff\.ly|is\.gd|cutt\.ly|dlvr\.it|trib\.al|fb\.me|fb\.watch|lnkd\.in|pin\.it|v\.douyin\.com|xhslink\.com|vk\.cc|clck\.ru|tiktok\.com\/t|facebook\.com\/share|instagram\.com\/share|reddit\.com\/r\/[^/]+\/s)(?:\/|$)/i

interface Rule {
  platform: string
  /** Canonical link of a post; its first group is the post's id. */
  link: RegExp
  type?: 'video'
  /** Path that contains the author's handle in its first group. */
  handle?: RegExp
  /** Turns the link's first group into the record's id. */
  id?: (found: string) => string
  /** Canonical URL. Without it, the URL without tracking parameters. */
  url?: (id: string, handle: string | undefined) => string
}

/** Returns the URL of a post on X; without a handle the form that X itself uses. */
export const xUrl = (id: string, handle?: string): string => `https://x.com/${handle ?? 'i/web'}/status/${id}`
/** Returns the URL of a video on YouTube, or of a comment on it. */
export const youtubeUrl = (video: string, comment?: string): string =>
  `https://www.youtube.com/watch?v=${video}${comment ? `&lc=${comment}` : ''}`

const RULES: readonly Rule[] = [
  {
    platform: 'x',
    link: /^x\.com\/i\/status\/(\d+)$/,
    handle: /^\/(?!i\/)(\w{1,15})\/status/,
    url: xUrl,
  },
  {
    platform: 'youtube',
    link: /^youtube\.com\/watch\?v=([\w-]+)$/,
    type: 'video',
    url: id => youtubeUrl(id),
  },
  { platform: 'youtube', link: /^youtube\.com\/post\/([\w-]+)$/ },
  {
    platform: 'instagram',
    link: /^instagram\.com\/p\/([\w-]+)$/,
    handle: /^\/([\w.]+)\/(?:p|reels?|tv)\/[\w-]+/,
    url: id => `https://www.instagram.com/p/${id}/`,
  },
  {
    platform: 'threads',
    link: /^threads\.com\/t\/([\w-]+)$/,
    handle: /^\/@([\w.]+)/,
    url: (id, handle) => `https://www.threads.com/${handle ? `@${handle}/post` : 't'}/${id}`,
  },
  { platform: 'facebook', link: /^facebook\.com\/(?:watch\?v=|photo\?fbid=)(\d+)$/ },
  { platform: 'facebook', link: /^facebook\.com\/(?:groups\/)?[^/]+\/posts\/([^/]+)$/ },
  {
    platform: 'facebook',
    link: /^facebook\.com\/transparency-tools\/content-library\?id=(\d+)$/,
    id: found => `mcl:${found}`,
  },
  {
    platform: 'linkedin',
    link: /^linkedin\.com\/(?:feed\/update\/urn(?::|%3A)li(?::|%3A)(?:activity|share|ugcPost)(?::|%3A)|(?:embed\/)?posts\/.*-(?:activity|share|ugcPost)-)(\d+)/i,
    url: id => `https://www.linkedin.com/feed/update/urn:li:activity:${id}`,
  },
  {
    platform: 'bluesky',
    link: /^bsky\.app\/profile\/([^/]+\/post\/\w+)$/,
    handle: /^\/profile\/(?!did:)([^/]+)/,
    id: found => `at://${found.replace('/post/', '/app.bsky.feed.post/')}`,
  },
  { platform: 'reddit', link: /^reddit\.com\/comments\/(\w+)$/, id: found => `t3_${found}` },
  { platform: 'vk', link: /^vk\.com\/wall(-?\d+_\d+)$/, url: id => `https://vk.com/wall${id}` },
  {
    platform: 'vk',
    link: /^vk\.com\/(?:video|clip)(-?\d+_\d+)$/,
    type: 'video',
    url: id => `https://vk.com/video${id}`,
  },
  {
    platform: 'douyin',
    link: /^(?:ies)?douyin\.com\/(?:share\/)?(?:video|note)\/(\d+)/,
    type: 'video',
    url: id => `https://www.douyin.com/video/${id}`,
  },
  {
    platform: 'xiaohongshu',
    link: /^xiaohongshu\.com\/(?:explore|discovery\/item)\/([0-9a-f]+)/,
    url: id => `https://www.xiaohongshu.com/explore/${id}`,
  },
  {
    platform: 'pinterest',
    link: /^(?:[a-z]{2}\.)?pinterest(?:\.[a-z]{2,3})+\/pin\/(?:.*--)?(\d+)/,
    url: id => `https://www.pinterest.com/pin/${id}/`,
  },
  { platform: '9gag', link: /^9gag\.com\/gag\/(\w+)/, url: id => `https://9gag.com/gag/${id}` },
  {
    platform: 'imgur',
    link: /^(?:i\.)?imgur\.com\/(?:(?:a|gallery|t\/\w+)\/)?(?:[\w-]*-)?(\w{5,10})(?:\.\w+)?$/,
  },
  {
    platform: 'truthsocial',
    link: /^truthsocial\.com\/(?:@\w+\/(?:posts\/)?|users\/\w+\/statuses\/)(\d+)$/,
    handle: /^\/(?:@|users\/)(\w+)/,
    url: (id, handle) => `https://truthsocial.com/@${handle}/${id}`,
  },
  { platform: 'gab', link: /^gab\.com\/\w+\/posts\/(\d+)/, handle: /^\/(\w+)\/posts/ },
]

/** Hosts of platforms: their other pages, such as profiles and searches, are not posts. */
const PLATFORM_HOST =
  /^(?:(?:tiktok|tiktokv|x|youtube|instagram|threads|facebook|linkedin|reddit|vk|douyin|iesdouyin|xiaohongshu|9gag|imgur|truthsocial|gab)\.com|t\.me|bsky\.app|(?:[a-z]{2}\.)?pinterest(?:\.[a-z]{2,3})+)(?=[/?#]|$)/
/** Pages of platforms that are articles. */
const ARTICLE = /^(?:linkedin\.com\/pulse\/|vk\.com\/@)/

/** Names that tools give to a platform, in lower case without a domain's ending. */
const PLATFORM_NAMES: Record<string, string> = {
  twitter: 'x',
  rednote: 'xiaohongshu',
  'truth social': 'truthsocial',
  vkontakte: 'vk',
  bsky: 'bluesky',
  't.me': 'telegram',
}

/** Returns the name of a platform as records store it: `Twitter` and `twitter.com` are `x`. Undefined if invalid. */
export const platformOf = (written: string): string | undefined => {
  const bare = written
    .trim()
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/(?<=^[a-z0-9]+)\.(?:com|net|app|social)$/, '')
  const name = Object.hasOwn(PLATFORM_NAMES, bare) ? PLATFORM_NAMES[bare] : bare
  return name && /^[a-z0-9.-]{1,40}$/.test(name) ? name : undefined
}

/**
 * Returns the URL of a post on Telegram, by which its record is found: the channel's name is in lower case.
 * @param channel the name, or the number, with or without the `-100` of bots
 */
export const telegramUrl = (channel: string, id: string): string => {
  const [, number] = /^(?:-100|-)?(\d+)$/.exec(channel) ?? []
  return `https://t.me/${number ? `c/${number}` : channel.replace(/^@/, '').toLowerCase()}/${id}`
}

const telegram = (link: string, url: URL): Address | NoAddress => {
  const [, number, id, name, post] =
    /^t\.me\/(?:c\/(?:-100)?(\d+)\/(\d+)|(\w{4,32})\/(\d+))$/.exec(link) ?? []
  // `name/s/12` is a story.
  if (/^\/\w+\/s\/\d+/.test(url.pathname)) return { skipped: 'not-a-post' }
  if (number && id) return { source: 'telegram', id, url: telegramUrl(number, id) }
  if (!name || !post) return { skipped: 'not-a-post' }
  const username = new RegExp(`\\b${name}\\b`, 'i').exec(url.href)?.[0] ?? name
  return { source: 'telegram', id: post, username, url: telegramUrl(name, post) }
}

/** Returns the comment that a link to a post selects. */
const commentOf = (platform: string, url: URL): { id: string; url: string } | undefined => {
  const video = url.searchParams.get('v') ?? ''
  const lc = platform === 'youtube' && url.searchParams.get('lc')
  if (lc && video) return { id: lc, url: youtubeUrl(video, lc) }
  const [, reply] = /\/comments\/\w+\/[^/]+\/(\w+)\/?$/.exec(url.pathname) ?? []
  return platform === 'reddit' && reply ? { id: `t1_${reply}`, url: pageUrl(url) } : undefined
}

/** Returns a page's URL as records store it: `https`, on platforms the desktop's host, without tracking parameters. */
const pageUrl = (url: URL): string => {
  const page = new URL(pageAddress(url.href))
  const [, platform] =
    /^(?:(?:www|m|mobile|mbasic|web|touch|old|new|np|sh)\.)?((?:facebook|reddit|linkedin)\.com)$/.exec(
      page.hostname,
    ) ?? []
  if (!platform) return page.href
  page.protocol = 'https:'
  page.hostname = `www.${platform}`
  return page.href
}

/** A post of a server with Mastodon's paths. Names such as `@user/12` of other sites have fewer digits. */
const MASTODON = /^\/(?:users\/([^/]+)\/statuses\/(\d+)|@(\w+)\/(\d{15,20}))\/?$/
const mastodon = (url: URL): Address | undefined => {
  const [, of, status, at, number] = MASTODON.exec(url.pathname) ?? []
  const [user, id] = [of ?? at, status ?? number]
  if (!user || !id) return undefined
  const handle = `${user}@${url.host}`
  const key = `${url.origin}/users/${user}/statuses/${id}`
  return {
    source: 'post',
    platform: 'mastodon',
    id: key,
    type: 'post',
    handle,
    url: `${url.origin}/@${user}/${id}`,
  }
}

const classify = (link: string, url: URL): Address | NoAddress => {
  if (SHORT.test(link)) return { skipped: 'short-address' }
  const [, video] = /^(?:tiktok\.com\/@_|tiktokv\.com\/share)\/video\/(\d+)/.exec(link) ?? []
  if (video) {
    const [, handle] = /^\/@([^/]+)\//.exec(url.pathname) ?? []
    return { source: 'tiktok', id: video, ...(handle && { handle }) }
  }
  if (link.startsWith('t.me/') || link === 't.me') return telegram(link, url)
  for (const rule of RULES) {
    const [, found] = rule.link.exec(link) ?? []
    if (!found) continue
    const { platform, type = 'post' } = rule
    const comment = commentOf(platform, url)
    const [, handle] = rule.handle?.exec(url.pathname) ?? []
    const id = rule.id?.(found) ?? found
    const own = { id, url: rule.url?.(id, handle) ?? pageUrl(url) }
    if (comment) return { source: 'post', platform, type: 'comment', ...comment }
    return { source: 'post', platform, type, ...(handle && { handle }), ...own }
  }
  if (PLATFORM_HOST.test(link) && !ARTICLE.test(link)) return { skipped: 'not-a-post' }
  return mastodon(url) ?? { source: 'blog', url: pageUrl(url) }
}

const urlOf = (written: string): URL | undefined => {
  const text = refang(written.trim())
  const [, authority, record] = /^at:\/\/([^/]+)\/app\.bsky\.feed\.post\/(\w+)$/.exec(text) ?? []
  if (record) return new URL(`https://bsky.app/profile/${authority}/post/${record}`)
  if (/^tg:/i.test(text)) {
    const link = canonicalLinkOf(text)
    return link ? new URL(`https://${link}`) : undefined
  }
  const address = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
  if (/\s/.test(address) || address.length > URL_MAX) return undefined
  const url = parseUrl(address)
  if (!url) return undefined
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  // A single word is not a host.
  return isWeb && /[^.]\.[^.]/.test(url.hostname) && !url.username && !url.password ? url : undefined
}

/**
 * Returns the record that a URL identifies, or the reason why it identifies none. Defanged URLs and URLs without a
 * scheme are accepted.
 * - `no-address`: not a web URL, longer than 2,000 characters, or with a user name or password.
 * - `short-address`: only the link's owner can resolve it.
 * - `not-a-post`: an invitation, a channel, a profile or a search.
 */
export const addressOf = (written: string, depth = 0): Address | NoAddress => {
  const url = urlOf(written)
  if (!url) return { skipped: 'no-address' }
  const target = depth < REDIRECTS_MAX && redirectTarget(url)
  if (target) {
    const unwrapped = addressOf(target, depth + 1)
    if (!('skipped' in unwrapped) || unwrapped.skipped !== 'no-address') return unwrapped
  }
  return classify(canonicalLink(url.href) ?? '', url)
}

/** Returns whether only the link's owner can resolve it. */
export const isShortAddress = (written: string): boolean => {
  const address = addressOf(written)
  return 'skipped' in address && address.skipped === 'short-address'
}
