import { parseUrl } from './parse-url.js'

const NAME = /^\w{4,32}$/
const HOSTS = /^(?:www\.|m\.)?(?:t\.me|telegram\.me|telegram\.dog|tx\.me)$/

/**
 * Returns a link of Telegram as a URL of the host `t.me`: of an alias host, `name.t.me`, or the app's `tg://resolve`.
 * Returns undefined for any other text.
 */
export const telegramUrl = (address: string): URL | undefined => {
  const [, channel, post] = /^tg:\/\/resolve\/?\?domain=(\w+)&post=(\d+)/i.exec(address) ?? []
  if (channel) return new URL(`https://t.me/${channel}/${post}`)
  const url = parseUrl(address)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  const host = url.host.replace(/\.$/, '')
  const [, name] = /^(\w{4,32})\.t\.me$/.exec(host) ?? []
  if (!name && !HOSTS.test(host)) return undefined
  url.host = 't.me'
  // `name.t.me/12` is `t.me/name/12`.
  if (name) url.pathname = `/${name}${url.pathname}`
  return url
}

/**
 * Returns the path that identifies a post of Telegram: its channel's name in lower case, or `c` and its channel's
 * number, and the post's number. Ignores the preview (`s/`) and the number of a topic. Returns undefined for any other
 * path.
 */
export const telegramPost = (segments: readonly string[]): string | undefined => {
  const [first = '', ...rest] = segments[0] === 's' && segments.length > 1 ? segments.slice(1) : segments
  const post = rest.at(-1) ?? ''
  if (!/^\d+$/.test(post)) return undefined
  if (first === 'c') return rest.length > 1 ? `c/${rest[0]?.replace(/^(-100)+/, '')}/${post}` : undefined
  return NAME.test(first) ? `${first.toLowerCase()}/${post}` : undefined
}

/** Returns the URL without a scheme that identifies a post of Telegram, such as `t.me/name/12`; any other text unchanged. */
export const telegramAddress = (address: string): string => {
  const path = telegramPost(telegramUrl(address)?.pathname.split('/').filter(Boolean) ?? [])
  return path ? `t.me/${path}` : address
}
