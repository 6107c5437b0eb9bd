import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

/** The key that signs checkpoints. */
export interface SealKey {
  id: string
  /** SubjectPublicKeyInfo in PEM. */
  publicKey: string
  /** Returns the signature in base64url. */
  sign(text: string): string
  signBytes(bytes: Uint8Array): Buffer
}

/** Reads an Ed25519 private key (PKCS#8, PEM). The key's id is a prefix of the SHA-256 of its public key. */
export const readSealKey = (pem: string): SealKey => {
  const privateKey = createPrivateKey(pem)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return {
    id: createHash('sha256').update(der).digest('hex').slice(0, 16),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: text => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    signBytes: bytes => sign(null, bytes, privateKey),
  }
}
