import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A port or an obfuscated port (RFC 7239, 6). */
const PORT = /:(\d{1,5}|_[\w.-]+)$/

/**
 * Parses an IP address as proxies write it: with a port, brackets, a zone, or mapped from IPv4. Digits at the end of an
 * IPv6 address without brackets are a port only if the address is invalid with them. Returns undefined for anything
 * else.
 */
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const given = text.trim()
  const plain = [given, given.replace(PORT, '')]
    .map(each => each.replace(/^\[(.*)\]$/, '$1'))
    .find(each => isIP(each) > 0)
  return plain === undefined ? undefined : ipaddr.process(plain.split('%', 1)[0] as string)
}

/** Returns the network of an IPv6 address: its first `groups` groups. */
const networkOf6 = (address: ipaddr.IPv6, groups: number): string =>
  `${address.parts
    .slice(0, groups)
    .map(part => part.toString(16))
    .join(':')}::/${groups * 16}`

/**
 * Returns the rate-limit key of a client address: for IPv6 its /64 network, as one client controls all addresses in it.
 */
export const addressKey = (text: string): string => {
  // The usual form, without the cost of parsing it.
  if (isIP(text) === 4) return text
  const address = parseAddress(text)
  if (!address) return text
  return address instanceof ipaddr.IPv6 ? networkOf6(address, 4) : address.toString()
}

/** Returns the network of an address, for the audit log: /24 of IPv4, /48 of IPv6; null for anything else. */
export const networkOf = (text: string): string | null => {
  const address = parseAddress(text)
  if (!address) return null
  return address instanceof ipaddr.IPv6
    ? networkOf6(address, 3)
    : `${address.octets.slice(0, 3).join('.')}.0/24`
}

/** Maximum length of a `Forwarded` header that is parsed: the expressions take quadratic time. */
const MAX_FORWARDED = 2_000
const QUOTED = String.raw`"(?:\\.|[^"\\])*"`
const PAIR = String.raw`([\w-]+)=(${QUOTED}|[^\s;,"]*)`
const ELEMENTS = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g')
const ELEMENT = new RegExp(String.raw`^\s*${PAIR}(?:\s*;\s*${PAIR})*\s*$`)

/**
 * Returns the `for` node of each element of `Forwarded` (RFC 7239, 4); empty for a malformed element. A client's
 * unclosed quote also makes the proxy's element malformed.
 */
const nodesOf = (header: string): string[] =>
  ((header.length <= MAX_FORWARDED && header.match(ELEMENTS)) || []).map(element => {
    const pairs = ELEMENT.test(element) ? [...element.matchAll(new RegExp(PAIR, 'g'))] : []
    const value = pairs.find(([, name]) => name?.toLowerCase() === 'for')?.[2] ?? ''
    return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  })

/**
 * Rewrites `X-Forwarded-For` to plain IP addresses, separated by commas. Without that header it reads `Forwarded`.
 * Removes an entry without an address and the entries before it: the proxy that reported it then counts as the client.
 */
export const readForwarded = (headers: IncomingHttpHeaders): void => {
  const { 'x-forwarded-for': list, forwarded } = headers
  if (list === undefined && forwarded === undefined) return
  const entries = list === undefined ? nodesOf(forwarded ?? '') : String(list).split(',')
  const named = entries.filter(entry => entry.trim() !== '' || list === undefined).map(parseAddress)
  const known = named.slice(named.lastIndexOf(undefined) + 1)
  if (known.length > 0) headers['x-forwarded-for'] = known.join(', ')
  else delete headers['x-forwarded-for']
}
