import { type Category, type Iod, isHttpUrl, parseUrl } from '@iodine/contracts'

/** Kind of an IOD's value. A value that is invalid for its category is `text`: other tools reject invalid addresses. */
export type Kind =
  | { kind: 'url' | 'domain' | 'ipv4' | 'ipv6' | 'username' | 'person' | 'organization' | 'text' }
  | { kind: 'hash'; algorithm: 'MD5' | 'SHA-1' | 'SHA-256' | 'SHA-512' }
  | { kind: 'triplet' }

const HASHES = { 32: 'MD5', 40: 'SHA-1', 64: 'SHA-256', 128: 'SHA-512' } as const
const DOMAIN = /^(?=.{1,253}$)(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?\.)+[\p{L}\p{N}-]{2,63}$/u
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

const isIpv6 = (value: string): boolean =>
  /^[0-9a-f:.]+$/i.test(value) && parseUrl(`http://[${value}]/`) !== undefined

/** Returns the kind of an IP address or a network in CIDR notation (RFC 4632, RFC 4291). */
const kindOfAddress = (value: string): 'ipv4' | 'ipv6' | undefined => {
  const [, address = value, length] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(value) ?? []
  if (IPV4.test(address)) return Number(length ?? 0) <= 32 ? 'ipv4' : undefined
  return isIpv6(address) && Number(length ?? 0) <= 128 ? 'ipv6' : undefined
}

const BY_CATEGORY: Partial<Record<Category, (value: string) => Kind | undefined>> = {
  URL: value => (isHttpUrl(value) ? { kind: 'url' } : undefined),
  DOMAIN: value => (DOMAIN.test(value) && !IPV4.test(value) ? { kind: 'domain' } : undefined),
  IP_ADDRESS: value => {
    const kind = kindOfAddress(value)
    return kind && { kind }
  },
  HASH: value => {
    const algorithm = HASHES[value.length as keyof typeof HASHES]
    return algorithm && /^[0-9a-f]+$/i.test(value) ? { kind: 'hash', algorithm } : undefined
  },
  USERNAME: () => ({ kind: 'username' }),
  FULL_NAME: () => ({ kind: 'person' }),
  COMPANY: () => ({ kind: 'organization' }),
  NARRATIVE_TRIPLET: () => ({ kind: 'triplet' }),
}

/** Returns the kind of an IOD's value. */
export const classify = ({ category, value }: Pick<Iod, 'category' | 'value'>): Kind =>
  BY_CATEGORY[category]?.(value.trim()) ?? { kind: 'text' }
