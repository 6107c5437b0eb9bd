import type { Checkpoint } from '@iodine/contracts'
import { canonicalJson } from './hash.js'

/** Returns the text that a checkpoint's signature covers: canonical JSON of its four fields. */
export const checkpointText = ({
  at,
  key_id,
  root,
  size,
}: Pick<Checkpoint, 'at' | 'key_id' | 'root' | 'size'>): string => canonicalJson({ at, key_id, root, size })

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), unit => unit.charCodeAt(0))

/**
 * Returns the bytes of a public key in PEM (RFC 7468).
 * @throws TypeError if the text contains none
 */
const fromPem = (pem: string): Uint8Array<ArrayBuffer> => {
  const [, body] = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----/.exec(pem) ?? []
  if (body === undefined) throw new TypeError('not a public key in PEM')
  return fromBase64(body.replace(/\s/g, ''))
}

/**
 * Verifies a checkpoint's Ed25519 signature (RFC 8032) with WebCrypto.
 * @param publicKey SubjectPublicKeyInfo in PEM
 * @throws TypeError or DataError for an invalid key
 */
export const verifyCheckpoint = async (checkpoint: Checkpoint, publicKey: string): Promise<boolean> => {
  const key = await crypto.subtle.importKey('spki', fromPem(publicKey), 'Ed25519', false, ['verify'])
  try {
    const signed = new TextEncoder().encode(checkpointText(checkpoint))
    return await crypto.subtle.verify('Ed25519', key, fromBase64(checkpoint.sig), signed)
  } catch {
    // The signature is not base64.
    return false
  }
}
