/**
 * A web address as a URI, which STIX requires, while browsers and users accept other characters: what its component may not
 * have is percent-encoded, and a host in other scripts becomes its punycode. A URI stays as it is.
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

/** Whether a text is a web address and a URI. */
export const isUri = (text: string): boolean => isWebAddress(text) && toUri(text) === text

const isWebAddress = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text)

const COMPONENTS = /^(https?):\/\/([^/?#\\\s]+)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is
// Without `\w` and `i`: with `u` they take two letters of other scripts for ASCII ones.
const OTHER = "A-Za-z0-9_\\-.~!$&'()*+,;=:"
const NOT_IN_USER = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%${OTHER}]`, 'gu')
const NOT_IN_PATH = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%/@${OTHER}]`, 'gu')
const NOT_IN_QUERY = new RegExp(`%(?![0-9A-Fa-f]{2})|[^%/?@${OTHER}]`, 'gu')
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[0-9a-f]{2})+)(?::\d*)?$/i

const encode = (text: string, not: RegExp): string =>
  text.replace(not, character => encodeURIComponent(character.toWellFormed()))

/** A host with its port; by the rules of browsers if it has characters that hosts may not have. */
const toHost = (scheme: string, host: string): string => {
  if (HOST.test(host)) return host
  // `host` lacks the default port of the scheme.
  return new URL(`${scheme}://${host}`).host
}
