import { isIP, isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The first groups of an IPv6 address. */
const groupsOf = (address: string, count: number): string => {
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':') ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right]
    .slice(0, count)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Rate-limit key of a client address: for IPv6 its /64 network, as one client controls all addresses in it.
 */
export const addressKey = (address: string): string => {
  if (!isIPv6(address)) return address
  return MAPPED.exec(address)?.[1] ?? `${groupsOf(address, 4)}::/64`
}

/** The network of an address, for the audit log: /24 of IPv4, /48 of IPv6. Null for anything else. */
export const networkOf = (address: string): string | null => {
  const plain = MAPPED.exec(address)?.[1] ?? address
  const version = isIP(plain)
  if (version === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  return version === 6 ? `${groupsOf(plain, 3)}::/48` : null
}
