import type { Manifest, Seal } from '@iodine/contracts'
import canonicalize from 'canonicalize'

const utf8 = new TextEncoder()

/** Encodes bytes as lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** Decodes hexadecimal, two digits per byte. */
export const fromHex = (hex: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16)
  return bytes
}

/** Concatenates byte strings. */
export const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Returns the SHA-256 (FIPS 180-4) of bytes, or of a text as UTF-8, in hexadecimal. */
export const sha256Hex = async (data: Uint8Array | string): Promise<string> => {
  const bytes = typeof data === 'string' ? utf8.encode(data) : data
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)))
}

/**
 * Returns canonical JSON (RFC 8785).
 * @throws for values that JSON lacks: undefined, NaN, infinity, lone surrogates
 */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not a value of JSON')
  return text
}

/** Returns a manifest's hash: SHA-256 of its canonical JSON. */
export const manifestHash = (manifest: Manifest): Promise<string> => sha256Hex(canonicalJson(manifest))

/** Returns the hash of a seal's leaf (RFC 9162, 2.1.1): SHA-256 of 0x00 and the canonical JSON of the three fields. */
export const leafHash = ({
  manifest_hash,
  received_at,
  salt,
}: Pick<Seal, 'manifest_hash' | 'received_at' | 'salt'>): Promise<string> =>
  sha256Hex(concat(Uint8Array.of(0), utf8.encode(canonicalJson({ manifest_hash, received_at, salt }))))
