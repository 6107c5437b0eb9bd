/** @module-tag long */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, profileApi } from '@iodine/contracts'
import { ConfigError, connectMongo, keyringOf, sealedWith, unseal } from '@iodine/service-kit'
import {
  apiClient,
  signUp,
  startMailCatcher,
  startTestMongo,
  startTestRedis,
  temporaryFolder,
} from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../src/commands.js'
import { startStack as start } from '../src/index.js'
import { replaceSecret } from '../src/secrets.js'

const folder = temporaryFolder()
let mail: Awaited<ReturnType<typeof startMailCatcher>>
let mongo: Awaited<ReturnType<typeof startTestMongo>>
let redis: Awaited<ReturnType<typeof startTestRedis>>
let env: Record<string, string>
beforeAll(async () => {
  ;[mail, mongo, redis] = await Promise.all([startMailCatcher(), startTestMongo(), startTestRedis()])
  env = {
    PORT: '0',
    DATA_DIR: folder.path,
    SMTP_URL: mail.url,
    MONGODB_URI: mongo.url,
    REDIS_URL: redis.url,
    RATE_LIMITS: 'off',
  }
})
afterAll(async () => {
  await Promise.all([mail?.stop(), mongo?.stop(), redis?.stop()])
  folder.remove()
})

/** Running stacks, which are stopped after a failed test. */
const stacks: { stop(): Promise<void> }[] = []
const startStack: typeof start = async options => {
  const stack = await start(options)
  stacks.push(stack)
  return stack
}
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.stop()
})

const signerOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
const fileOf = (name: string) => join(folder.path, name)
const contentOf = (name: string) => readFileSync(fileOf(name), 'utf8')
const keysIn = (name: string) => contentOf(name).match(name === 'secrets-key' ? /[^,\s]+/g : /BEGIN/g)?.length
const command = async (...args: string[]) => {
  const output: string[] = []
  const io = { say: (line: string) => void output.push(line), stdout: process.stdout, folder: folder.path }
  const code = await account(args, env, io)
  return { code, output: output.join('\n') }
}
const HOUR_MS = 3_600_000
const statusOf = async (url: string, token: string) =>
  (await apiClient(url, token).send('GET', '/profile/me')).status

describe('npm run account -- rotate-keys', () => {
  test('uses new keys from the next start, keeps sessions, and removes unneeded old keys', {
    timeout: 240_000,
  }, async () => {
    let stack = await startStack({ env })
    const ana = await signUp({ url: stack.url, mail }, 'ana@example.org', 'ana')
    await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-test' } })
    const [secretsBefore, jwtBefore] = [contentOf('secrets-key'), contentOf('jwt-private-key')]
    expect(await command('rotate-keys')).toMatchObject({ code: 0 })
    const [secrets, jwt] = [contentOf('secrets-key'), contentOf('jwt-private-key')]
    expect([keysIn('secrets-key'), keysIn('jwt-private-key')]).toEqual([2, 2])
    expect([secrets.endsWith(secretsBefore), jwt.trim().endsWith(jwtBefore.trim())]).toEqual([true, true])
    for (const name of ['secrets-key', 'jwt-private-key']) {
      expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600)
      expect(existsSync(`${fileOf(name)}.new`)).toBe(false)
    }
    expect((await command('keys')).output).toMatch(/SECRETS_KEY: \w+ becomes active at the next start/)
    // A second new key waits until the first is in use.
    expect((await command('rotate-keys')).output).toContain('becomes active once all parts have restarted')
    expect([contentOf('secrets-key'), contentOf('jwt-private-key')]).toEqual([secrets, jwt])
    expect(await statusOf(stack.url, ana.token)).toBe(200)
    await stack.stop()

    stack = await startStack({ env })
    expect(await statusOf(stack.url, ana.token)).toBe(200)
    const bo = await signUp({ url: stack.url, mail }, 'bo@example.org', 'bob')
    expect(signerOf(bo.token)).not.toBe(signerOf(ana.token))
    expect([keysIn('secrets-key'), keysIn('jwt-private-key')]).toEqual([2, 2])
    const auth = await connectMongo(mongo.url, 'iodine_auth')
    const newKey = secrets.split(',')[0] ?? ''
    const storedKey = async () =>
      (await auth.collection('users').findOne({ email: 'ana@example.org' }))?.sealed_ai_key
    // Auth reseals at its start.
    await expect.poll(async () => sealedWith(await storedKey())).toBe(keyringOf(newKey).id)
    expect(unseal(newKey, `ai-key:${ana.id}`, await storedKey())).toBe('sk-test')

    // Simulates one hour for the one key, and thirty days for the other.
    await auth.collection('outbox').deleteMany({ kind: 'mail' })
    const longAgo = (ms: number) => ({ $set: { used_at: new Date(Date.now() - ms) } })
    const uses = auth.collection<{ _id: string }>('key_uses')
    await uses.updateOne({ _id: keyringOf(secretsBefore).id }, longAgo(HOUR_MS))
    expect((await command('keys')).output).toMatch(/not needed/)
    await stack.stop()
    const told: string[] = []
    stack = await startStack({ env, progress: line => told.push(line) })
    expect(told.join('\n')).toMatch(/SECRETS_KEY: \w+ is removed/)
    expect([contentOf('secrets-key'), keysIn('jwt-private-key')]).toEqual([newKey, 2])
    await stack.stop()
    await uses.updateOne({ _id: signerOf(ana.token) }, longAgo(LIMITS.sessionMs + HOUR_MS))
    await auth.close()
    stack = await startStack({ env })
    expect(keysIn('jwt-private-key')).toBe(1)
    await stack.stop()
    stack = await startStack({ env })
    expect([await statusOf(stack.url, bo.token), await statusOf(stack.url, ana.token)]).toEqual([200, 401])
    await stack.stop()
  })

  test('a start fails with the reason if a needed key is missing or invalid, without losing data', async () => {
    const kept = contentOf('secrets-key')
    writeFileSync(fileOf('secrets-key'), Buffer.alloc(32, 7).toString('base64'))
    const refused = await startStack({ env }).catch(error => error)
    expect(refused).toBeInstanceOf(ConfigError)
    expect(refused.message).toContain(`lacks the key ${keyringOf(kept).id}, which seals 1 AI keys`)
    writeFileSync(fileOf('secrets-key'), `${kept},${kept}`)
    await expect(startStack({ env })).rejects.toThrow('SECRETS_KEY: has the same key twice')
    writeFileSync(fileOf('secrets-key'), `${kept},`)
    await expect(startStack({ env })).rejects.toThrow('SECRETS_KEY: key 2 must be 32 bytes')
    replaceSecret(fileOf('secrets-key'), kept)
    const stack = await startStack({ env })
    expect((await command('keys')).output).toMatch(/SECRETS_KEY\n.*seals, 1 value/)
    await stack.stop()
  })
})
