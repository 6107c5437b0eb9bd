import { createCipheriv, createDecipheriv, createHash, generateKeyPairSync, randomBytes } from 'node:crypto'

/** A new Ed25519 private key: PKCS#8 in PEM. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** SHA-256 of a text, in base64url. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D), a fresh 96-bit nonce, and the context as additional data: a
 * text sealed for one context cannot be unsealed in another.
 * @param key 32 bytes, base64
 * @returns base64url of version byte, nonce, tag, ciphertext
 */
export const seal = (key: string, context: string, plain: string): string => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Decrypts the output of `seal`. Throws an Error that reveals nothing of the content. */
export const unseal = (key: string, context: string, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < 29 || bytes[0] !== 1) throw new Error('not a sealed text')
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), bytes.subarray(1, 13))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(13, 29))
  return decipher.update(bytes.subarray(29), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * Context of what a subscription signs in with: sealed by auth, unsealed by a worker, and of no use for another
 * subscription or another address.
 */
export const feedSecretContext = (id: string, url: string): string => `feed-secret:${id}:${url}`
