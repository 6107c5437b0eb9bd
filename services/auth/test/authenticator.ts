import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, webcrypto } from 'node:crypto'
import { androidKeyChain } from '@iodine/test-kit/attestation'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Flags of authenticator data (Web Authentication Level 3, 6.1): user present, user verified, attested data. */
const [PRESENT, VERIFIED, ATTACHED] = [1, 4, 64]

/** A software authenticator with one key (ES256), with the responses that browsers send for it. */
export class Authenticator {
  readonly id = randomBytes(32)
  counter = 0
  readonly origin: string
  readonly #privateKey: KeyObject
  readonly #jwk: webcrypto.JsonWebKey
  readonly #publicKey: Buffer

  /** @param origin of the requesting page; its host is the relying party */
  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = privateKey
    this.#jwk = publicKey.export({ format: 'jwk' }) as webcrypto.JsonWebKey
    const { x = '', y = '' } = this.#jwk
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    this.#publicKey = Buffer.from(isoCBOR.encode(cose))
  }

  #data(flags: number, rpId = new URL(this.origin).hostname): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter])
  }

  #client(type: string, challenge: string, origin = this.origin) {
    return json({ type, challenge, origin, crossOrigin: false })
  }

  /** Answers a challenge for a new passkey. */
  create(challenge: string) {
    return this.#created(this.#client('webauthn.create', challenge), 'none', new Map())
  }

  /** Answers a challenge for a new passkey with a certificate chain that contains the URL `crl`. */
  async createAttested(challenge: string, crl: string) {
    const client = this.#client('webauthn.create', challenge)
    const key = await webcrypto.subtle.importKey(
      'jwk',
      this.#jwk,
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['verify'],
    )
    const hash = new Uint8Array(sha256(Buffer.from(client, 'base64url')))
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(64)],
      ['x5c', await androidKeyChain(key, { challenge: hash, crl })],
    ])
    return this.#created(client, 'android-key', statement)
  }

  #created(clientDataJSON: string, format: string, statement: Map<string, unknown>) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const attached = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey])
    const authData = Buffer.concat([this.#data(PRESENT | VERIFIED | ATTACHED), attached])
    const attestation = new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Answers a challenge to sign in and increments the counter. @param changes values of a forgery */
  get(
    challenge: string,
    { origin = this.origin, rpId = undefined as string | undefined, verified = true } = {},
  ) {
    this.counter++
    const clientDataJSON = this.#client('webauthn.get', challenge, origin)
    const data = this.#data(verified ? PRESENT | VERIFIED : PRESENT, rpId)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
      },
    }
  }

  #credential() {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} }
  }
}
