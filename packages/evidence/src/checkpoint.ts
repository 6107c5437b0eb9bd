import type { Checkpoint } from '@iodine/contracts'
import { canonicalJson, sha256Hex } from './hash.js'

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
 * Verifies an Ed25519 signature (RFC 8032) with WebCrypto.
 * @param sig base64url; false if it is not
 * @param publicKey SubjectPublicKeyInfo in PEM
 * @throws TypeError or DataError for an invalid key
 */
export const verifySignature = async (
  signed: Uint8Array<ArrayBuffer>,
  sig: string,
  publicKey: string,
): Promise<boolean> => {
  const key = await crypto.subtle.importKey('spki', fromPem(publicKey), 'Ed25519', false, ['verify'])
  try {
    return await crypto.subtle.verify('Ed25519', key, fromBase64(sig), signed)
  } catch {
    // The signature is not base64.
    return false
  }
}

/**
 * Verifies a checkpoint's signature.
 * @param publicKey SubjectPublicKeyInfo in PEM
 * @throws TypeError or DataError for an invalid key
 */
export const verifyCheckpoint = (
  checkpoint: Omit<Checkpoint, 'anchors'>,
  publicKey: string,
): Promise<boolean> =>
  verifySignature(new TextEncoder().encode(checkpointText(checkpoint)), checkpoint.sig, publicKey)

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Returns whether a text is base64url without padding and without unused bits: its bytes have no other text. */
export const isExactBase64url = (text: string): boolean => {
  const exact = toBase64(fromBase64(text)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return exact === text
}

/**
 * Returns the id of a public key as the log names it: a prefix of the SHA-256 of its DER.
 * @throws TypeError unless the text is the PEM that Iodine writes
 */
export const keyIdOf = async (pem: string): Promise<string> => {
  const der = fromPem(pem)
  if (pem !== `-----BEGIN PUBLIC KEY-----\n${toBase64(der)}\n-----END PUBLIC KEY-----\n`)
    throw new TypeError('not a public key as Iodine writes it')
  return (await sha256Hex(der)).slice(0, 16)
}
