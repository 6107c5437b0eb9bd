import type { Checkpoint } from '@iodine/contracts'
import { canonicalJson } from './hash.js'

/** The text that a checkpoint's signature covers: canonical JSON of its four fields. */
export const checkpointText = ({
  at,
  key_id,
  root,
  size,
}: Pick<Checkpoint, 'at' | 'key_id' | 'root' | 'size'>): string => canonicalJson({ at, key_id, root, size })

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), unit => unit.charCodeAt(0))

/** Bytes of a PEM block (RFC 7468). Throws where there is none. */
const fromPem = (pem: string): Uint8Array<ArrayBuffer> => {
  const [, body] = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----/.exec(pem) ?? []
  if (body === undefined) throw new TypeError('not a public key in PEM')
  return fromBase64(body.replace(/\s/g, ''))
}

/**
 * Checks a checkpoint's Ed25519 signature (RFC 8032) by WebCrypto.
 * @param publicKey SubjectPublicKeyInfo in PEM; throws a TypeError or DataError for anything else
 */
export const verifyCheckpoint = async (checkpoint: Checkpoint, publicKey: string): Promise<boolean> => {
  const key = await crypto.subtle.importKey('spki', fromPem(publicKey), 'Ed25519', false, ['verify'])
  try {
    const signed = new TextEncoder().encode(checkpointText(checkpoint))
    return await crypto.subtle.verify('Ed25519', key, fromBase64(checkpoint.sig), signed)
  } catch {
    // A signature that is no base64.
    return false
  }
}
