import { parseUrl } from '@iodine/contracts'
/**
 * Converts a URL to a URI, which STIX requires. Percent-encodes characters that its components do not allow, and
 * converts an international host name to punycode. A valid URI stays unchanged.
 * Source: RFC 3986, appendix B for the components, section 3 for their characters.
 */
export const toUri = (url: string): string => {
  const plain = COMPONENTS.test(url) ? url : new URL(url).href
  const [, scheme = '', authority = '', path = '', query, fragment] = COMPONENTS.exec(plain) ?? []
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? '' : `${encode(authority.slice(0, at), NOT_IN_USER)}@`
  return [
    `${scheme}://${user}${toHost(scheme, authority.slice(at + 1))}`,
    encode(path, NOT_IN_PATH),
    query === undefined ? '' : `?${encode(query, NOT_IN_QUERY)}`,
    fragment === undefined ? '' : `#${encode(fragment, NOT_IN_QUERY)}`,
  ].join('')
}

/** Returns whether a text is an http(s) URL and a valid URI. */
export const isUri = (text: string): boolean => isWebAddress(text) && toUri(text) === text

const isWebAddress = (text: string): boolean => /^https?:/i.test(text) && parseUrl(text) !== undefined

const COMPONENTS = /^(https?):\/\/([^/?#\\\s]+)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is
// Without `\w` and `i`: with `u` they also match two non-ASCII letters.
const OTHER = "A-Za-z0-9_\\-.~!$&'()*+,;=:"
const NOT_IN_USER = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%${OTHER}]`, 'gu')
const NOT_IN_PATH = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%/@${OTHER}]`, 'gu')
const NOT_IN_QUERY = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%/?@${OTHER}]`, 'gu')
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[0-9a-f]{2})+)(?::\d*)?$/i

const encode = (text: string, not: RegExp): string =>
  text.replace(not, character => encodeURIComponent(character.toWellFormed()))

/** Returns a host with its port; a host with other characters is converted by the URL standard. */
const toHost = (scheme: string, host: string): string => {
  if (HOST.test(host)) return host
  // `host` omits the scheme's default port.
  return new URL(`${scheme}://${host}`).host
}
