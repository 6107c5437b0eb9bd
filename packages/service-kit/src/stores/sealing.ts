import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  hash,
  randomBytes,
} from 'node:crypto'

/** Creates an Ed25519 private key: PKCS#8 in PEM. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Creates a key for `SECRETS_KEY`: 32 bytes in base64. */
export const newSecretsKey = (): string => randomBytes(32).toString('base64')

/** Returns the SHA-256 of a text, in base64url. */
export const hashOf = (text: string): string => hash('sha256', text, 'base64url')

/** The keys of `SECRETS_KEY`. */
export interface Keyring {
  /** Name of the key that seals. */
  id: string
  /** Names of all keys that open. */
  ids: readonly string[]
  /** Names of lost keys: texts sealed with them are unrecoverable. */
  lost: readonly string[]
  /** The keys themselves, 32 bytes each; the first one seals. */
  keys: readonly Buffer[]
}

/** Entry of `SECRETS_KEY` that names a lost key. */
const LOST = /^lost:([0-9a-f]{10})$/

/** Returns a key's name: a keyed hash, which does not reveal the key. */
const idOf = (key: Buffer): string =>
  createHmac('sha256', key).update('iodine secrets key').digest('hex').slice(0, 10)

/** Keyrings by setting, of which a process has one. */
const rings = new Map<string, Keyring>()
const RINGS_MAX = 100

/** Reads `SECRETS_KEY` as `secretsKeySetting` has checked it. */
export const keyringOf = (setting: string): Keyring => {
  const known = rings.get(setting)
  if (known) return known
  const entries = setting.split(',')
  const keys = entries.filter(entry => !LOST.test(entry)).map(entry => Buffer.from(entry, 'base64'))
  const ids = keys.map(idOf)
  const [id] = ids
  if (id === undefined) throw new Error('no key to seal with')
  const lost = entries.flatMap(entry => LOST.exec(entry)?.[1] ?? [])
  const ring = { id, ids, lost, keys }
  if (rings.size >= RINGS_MAX) rings.clear()
  rings.set(setting, ring)
  return ring
}

/** Returns the name of the key that a text is sealed with; undefined for a text that is not sealed. */
export const sealedWith = (sealed: string): string | undefined => /^([0-9a-f]{10})\./.exec(sealed)?.[1]

/** The text names a key that this process lacks: another process may have it. */
export class UnknownKeyError extends Error {
  override name = 'UnknownKeyError'
  readonly keyId: string
  constructor(keyId: string) {
    super(`sealed with the key ${keyId}, which SECRETS_KEY lacks`)
    this.keyId = keyId
  }
}

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D), a fresh 96-bit nonce, and the context as additional data: a
 * text sealed for one context cannot be unsealed in another.
 * @param setting `SECRETS_KEY`, whose first key seals
 * @returns the key's name, a dot, and base64url of version byte, nonce, tag, ciphertext
 */
export const seal = (setting: string, context: string, plain: string): string => {
  const { id, keys } = keyringOf(setting)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keys[0] as Buffer, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `${id}.${Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body]).toString('base64url')}`
}

/**
 * Decrypts the output of `seal` with the key that it names.
 * @param setting `SECRETS_KEY`
 * @throws UnknownKeyError, or an Error that reveals nothing of the content
 */
export const unseal = (setting: string, context: string, sealed: string): string => {
  const { ids, keys } = keyringOf(setting)
  const name = sealedWith(sealed)
  const bytes = Buffer.from(sealed.slice((name?.length ?? 0) + 1), 'base64url')
  if (name === undefined || bytes.length < 29 || bytes[0] !== 1) throw new Error('not a sealed text')
  const key = keys[ids.indexOf(name)]
  if (!key) throw new UnknownKeyError(name)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(13, 29))
  return decipher.update(bytes.subarray(29), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * Seals a text with the first key, if another key sealed it. Throws like `unseal`.
 * @returns the same text if the first key sealed it
 */
export const reseal = (setting: string, context: string, sealed: string): string =>
  sealedWith(sealed) === keyringOf(setting).id
    ? sealed
    : seal(setting, context, unseal(setting, context, sealed))

/**
 * Returns the sealing context of a subscription's credentials, bound to the subscription and its URL. Auth seals them,
 * a worker unseals them.
 */
export const feedSecretContext = (id: string, url: string): string => `feed-secret:${id}:${url}`
