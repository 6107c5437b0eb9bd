import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ConfigError,
  createTokenVerifier,
  KEYS_MAX,
  keyringOf,
  newSecretsKey,
  newSigningKey,
  readConfig,
  remoteKeys,
  reseal,
  type SigningKey,
  seal,
  sealedWith,
  secretsKeySetting,
  signingKeysOf,
  signingKeysSetting,
  signToken,
  UnknownKeyError,
  unseal,
} from '../src/index.js'

const faultOf = (schema: z.ZodType, value: string): string => {
  try {
    readConfig(z.object({ KEY: schema }), { KEY: value })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.join()
  }
  return 'none'
}

describe('SECRETS_KEY', () => {
  const [a, b, c] = [newSecretsKey(), newSecretsKey(), newSecretsKey()]

  it('accepts one key or several, in base64 or base64url', () => {
    const urlSafe = Buffer.from(a, 'base64').toString('base64url')
    expect(secretsKeySetting.parse(a)).toBe(a)
    expect(secretsKeySetting.parse(` ${urlSafe}, ${b} `)).toBe(`${a},${b}`)
    const lost = keyringOf(c).id
    expect(keyringOf(secretsKeySetting.parse(`${a},lost:${lost},${b}`))).toMatchObject({
      id: keyringOf(a).id,
      ids: [keyringOf(a).id, keyringOf(b).id],
      lost: [lost],
    })
  })

  it.each([
    ['a short key', Buffer.alloc(31).toString('base64'), 'must be 32 bytes'],
    ['an invalid key after a valid one', `${a},x`, 'key 2 must be 32 bytes'],
    ['a trailing comma', `${a},`, 'key 2 must be 32 bytes'],
    ['the same key twice', `${a},${b},${Buffer.from(a, 'base64').toString('base64url')}`, 'same key twice'],
    ['no key to seal with', `lost:${keyringOf(a).id},${b}`, 'first key encrypts'],
    ['a lost key without a name', `${a},lost:me`, '10 digits'],
    ['a lost key that is present', `${a},${b},lost:${keyringOf(b).id}`, 'also lists as lost'],
    ['too many keys', Array.from({ length: KEYS_MAX + 1 }, newSecretsKey).join(), `more than ${KEYS_MAX}`],
  ])('refuses %s, and does not repeat the value', (_what, value, fault) => {
    const message = faultOf(secretsKeySetting, value)
    expect(message).toContain(fault)
    for (const part of value.split(',').filter(part => part.length > 12)) expect(message).not.toContain(part)
  })

  it('seals with the first key, unseals with each; a sealed text names its key', () => {
    const [before, during, after] = [a, `${b},${a}`, b]
    const old = seal(before, 'x', 'secret')
    expect(sealedWith(old)).toBe(keyringOf(a).id)
    expect(unseal(during, 'x', old)).toBe('secret')
    expect(() => unseal(after, 'x', old)).toThrow(UnknownKeyError)
    expect(() => unseal(during, 'y', old)).toThrow()
    const renewed = reseal(during, 'x', old)
    expect(unseal(after, 'x', renewed)).toBe('secret')
    expect(reseal(during, 'x', renewed)).toBe(renewed)
    expect(() => reseal(after, 'x', old)).toThrow(UnknownKeyError)
    // A text under the name of another key cannot be unsealed.
    expect(() => unseal(during, 'x', old.replace(keyringOf(a).id, keyringOf(b).id))).toThrow()
  })

  it('rejects a text without the name of a key', () => {
    const [, unnamed = ''] = seal(a, 'x', 'secret').split('.')
    expect(sealedWith(unnamed)).toBeUndefined()
    for (const text of [unnamed, `.${unnamed}`]) {
      expect(() => unseal(a, 'x', text)).toThrow('not a sealed text')
      expect(() => reseal(a, 'x', text)).toThrow('not a sealed text')
    }
  })
})

describe('JWT_PRIVATE_KEY', () => {
  const [a, b] = [newSigningKey(), newSigningKey()]
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

  it('accepts one key or several, with line breaks or \\n', () => {
    expect(signingKeysOf(signingKeysSetting.parse(a))).toEqual([a.trim()])
    const escaped = `${a}${b}`.replaceAll('\n', '\\n')
    for (const value of [`${a}${b}`, `${a}\n\n${b}`, escaped, `${a.trim()},\n${b}`])
      expect(signingKeysOf(signingKeysSetting.parse(value))).toEqual([a.trim(), b.trim()])
  })

  it.each([
    ['no key', 'x', 'must be an Ed25519'],
    ['another kind of key', rsa, 'must be an Ed25519'],
    ['an invalid key after a valid one', `${a}${b.replace(/\n.{8}/, '\n')}`, 'key 2 must be an Ed25519'],
    ['a truncated key', `${a}${b.slice(0, 60)}`, 'text other than keys'],
    ['the same key twice', `${a}${b}${a.replaceAll('\n', '\r\n')}`, 'same key twice'],
  ])('refuses %s, and does not repeat the value', (_what, value, fault) => {
    const message = faultOf(signingKeysSetting, value)
    expect(message).toContain(fault)
    for (const line of value.split('\n').filter(line => /^[\w+/=]{20,}$/.test(line)))
      expect(message).not.toContain(line)
  })
})

describe('remote keys of auth', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  const newKey = async () => {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
    const jwk = await exportJWK(pair.publicKey)
    const kid = await calculateJwkThumbprint(jwk)
    const signer: SigningKey = { kid, key: pair.privateKey }
    return { kid, signer, jwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } }
  }
  const caller = { id: 'u1', sid: 's1', scope: 'full' } as const
  const start = async () => {
    const state = { keys: [] as object[], fetched: 0, isDown: false }
    server = createServer((_request, response) => {
      state.fetched++
      if (state.isDown) return void response.writeHead(503).end()
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: state.keys }))
    })
    await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return Object.assign(state, { verify: createTokenVerifier(remoteKeys(`http://127.0.0.1:${port}`)) })
  }

  it('accept only tokens that name their signing key', async () => {
    const auth = await start()
    const [one, two, foreign] = [await newKey(), await newKey(), await newKey()]
    const unnamed = await new SignJWT({ sid: caller.sid, scope: caller.scope })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
      .setIssuer('iodine')
      .setSubject(caller.id)
      .setExpirationTime('1 minute')
      .sign(one.signer.key)
    for (const keys of [[one.jwk], [one.jwk, two.jwk]]) {
      auth.keys = keys
      expect(await auth.verify(unnamed)).toBeUndefined()
    }
    for (const { signer } of [one, two])
      expect(await auth.verify(await signToken(signer, caller, 60_000))).toEqual(caller)
    expect(await auth.verify(await signToken(foreign.signer, caller, 60_000))).toBeUndefined()
    expect(await auth.verify(await signToken(two.signer, caller, -60_000))).toBeUndefined()
    // A foreign key under a known id is rejected.
    const stolen = { kid: one.kid, key: foreign.signer.key }
    expect(await auth.verify(await signToken(stolen, caller, 60_000))).toBeUndefined()
  })

  it('accept a new key at once, also right after a fetch', async () => {
    const auth = await start()
    const [one, two] = [await newKey(), await newKey()]
    auth.keys = [one.jwk]
    expect(await auth.verify(await signToken(one.signer, caller, 60_000))).toEqual(caller)
    auth.keys = [one.jwk, two.jwk]
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, n) => signToken(two.signer, { ...caller, sid: `s${n}` }, 60_000)),
    )
    const taken = await Promise.all(tokens.map(token => auth.verify(token)))
    expect(taken.every(Boolean)).toBe(true)
    expect(auth.fetched).toBe(2)
  })

  it('are not fetched for each token with an unknown key id', { tags: 'long' }, async () => {
    const auth = await start()
    const [one, foreign] = [await newKey(), await newKey()]
    auth.keys = [one.jwk]
    const began = performance.now()
    for (let round = 0; round < 3; round++) {
      const forged = await Promise.all(
        Array.from({ length: 100 }, () =>
          signToken({ kid: randomBytes(8).toString('hex'), key: foreign.signer.key }, caller, 60_000),
        ),
      )
      expect(new Set(await Promise.all(forged.map(token => auth.verify(token))))).toEqual(
        new Set([undefined]),
      )
    }
    // One fetch at first, then one a second.
    expect(auth.fetched).toBeLessThanOrEqual(3 + (performance.now() - began) / 1_000)
    expect(await auth.verify(await signToken(one.signer, caller, 60_000))).toEqual(caller)
  })

  it('reject the verification of a token with an unknown key id while auth is down', async () => {
    const auth = await start()
    const [one, two] = [await newKey(), await newKey()]
    auth.keys = [one.jwk]
    expect(await auth.verify(await signToken(one.signer, caller, 60_000))).toEqual(caller)
    auth.isDown = true
    const unknown = await signToken(two.signer, caller, 60_000)
    await expect(auth.verify(unknown)).rejects.toThrow()
    expect(await auth.verify(await signToken(one.signer, { ...caller, sid: 's2' }, 60_000))).toMatchObject({
      sid: 's2',
    })
    auth.isDown = false
    auth.keys = [two.jwk]
    expect(await auth.verify(unknown)).toEqual(caller)
  })
})
