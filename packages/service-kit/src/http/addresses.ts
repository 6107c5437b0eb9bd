import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A port, or what hides one (RFC 7239, 6). */
const PORT = /:(\d{1,5}|_[\w.-]+)$/

/**
 * Parses an address as proxies write it: with a port, brackets, a zone, or mapped from IPv4. Without brackets, digits
 * at the end of an IPv6 address belong to the address where that makes one. Undefined for anything else.
 */
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const given = text.trim()
  const plain = [given, given.replace(PORT, '')]
    .map(each => each.replace(/^\[(.*)\]$/, '$1'))
    .find(each => isIP(each) > 0)
  return plain === undefined ? undefined : ipaddr.process(plain.split('%', 1)[0] as string)
}

/** The network of an IPv6 address: its first groups. */
const networkOf6 = (address: ipaddr.IPv6, groups: number): string =>
  `${address.parts
    .slice(0, groups)
    .map(part => part.toString(16))
    .join(':')}::/${groups * 16}`

/**
 * Rate-limit key of a client address: for IPv6 its /64 network, as one client controls all addresses in it.
 */
export const addressKey = (text: string): string => {
  const address = parseAddress(text)
  if (!address) return text
  return address instanceof ipaddr.IPv6 ? networkOf6(address, 4) : address.toString()
}

/** The network of an address, for the audit log: /24 of IPv4, /48 of IPv6. Null for anything else. */
export const networkOf = (text: string): string | null => {
  const address = parseAddress(text)
  if (!address) return null
  return address instanceof ipaddr.IPv6
    ? networkOf6(address, 3)
    : `${address.octets.slice(0, 3).join('.')}.0/24`
}

/** A longer `Forwarded` names no address: its expressions take quadratic time. */
const MAX_FORWARDED = 2_000
const QUOTED = String.raw`"(?:\\.|[^"\\])*"`
const PAIR = String.raw`([\w-]+)=(${QUOTED}|[^\s;,"]*)`
const ELEMENTS = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g')
const ELEMENT = new RegExp(String.raw`^\s*${PAIR}(?:\s*;\s*${PAIR})*\s*$`)

/**
 * The nodes that `Forwarded` names by `for` (RFC 7239, 4), one for each of its elements; empty for an element that is
 * malformed, as an open quote of the client's makes that of the proxy.
 */
const nodesOf = (header: string): string[] =>
  ((header.length <= MAX_FORWARDED && header.match(ELEMENTS)) || []).map(element => {
    const pairs = ELEMENT.test(element) ? [...element.matchAll(new RegExp(PAIR, 'g'))] : []
    const value = pairs.find(([, name]) => name?.toLowerCase() === 'for')?.[2] ?? ''
    return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  })

/**
 * Rewrites `X-Forwarded-For` to plain addresses, separated by commas: its own, or without one those of `Forwarded`.
 * An entry that names no address hides the client: it and the entries before it are left out, so that the proxy that
 * reported it counts as the client.
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
