import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { campaignsApi, iodsApi } from '@iodine/contracts'
import { rebuild, startStack } from '@iodine/dev-stack'
import { ConfigError } from '@iodine/service-kit'
import { iodInput, linkIn, signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestStack, type TestStack } from '../src/index.js'

/** Whether the process is a child of this one that runs the embedded database. */
const isDatabaseOfOurs = (pid: string): boolean => {
  try {
    const parent = /^\d+ \(.*\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    return (
      parent === String(process.pid) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('embedded-mongo')
    )
  } catch {
    return false
  }
}

const status = async (url: string) => (await fetch(url)).status

describe('the embedded defaults', () => {
  const folder = temporaryFolder()
  const env = { PORT: '0', INBOX_PORT: '0', DATA_DIR: folder.path }
  afterAll(folder.remove)

  test('run side by side with another copy, keep their secrets, and refuse a second run on the same data', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const other = temporaryFolder()
    const [one, two] = await Promise.all([
      startStack({ env }),
      startStack({ env: { ...env, DATA_DIR: other.path } }),
    ])
    expect(one.url).not.toBe(two.url)
    for (const { url } of [one, two]) await expect.poll(() => status(`${url}/readyz`)).toBe(200)
    expect(await status(`${one.inboxUrl}/api/email`)).toBe(200)
    const secrets = ['secrets-key', 'jwt-private-key', 'seal-private-key'].map(name =>
      join(folder.path, name),
    )
    expect(secrets.map(file => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
    await expect(startStack({ env })).rejects.toThrow(`in use by process ${process.pid}`)
    const before = secrets.map(file => readFileSync(file, 'utf8'))
    await Promise.all([one.stop(), two.stop()])
    await expect(fetch(`${one.url}/healthz`)).rejects.toThrow()

    expect(await rebuild('narratives', env)).toBe(false)
    const again = await startStack({ env })
    expect([await rebuild('narratives', env), await rebuild('community', env)]).toEqual([true, true])
    expect(secrets.map(file => readFileSync(file, 'utf8'))).toEqual(before)
    await again.stop()
    await again.stop()
    other.remove()
  })

  test('HOST opens the app to other machines, and the inbox stays here unless INBOX_HOST says otherwise', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const { address } = Object.values(networkInterfaces())
      .flat()
      .find(each => each?.family === 'IPv4' && !each.internal) ?? { address: '127.0.0.2' }
    const at = (url: string | undefined) => String(url).replace('localhost', address)
    const open = { ...env, HOST: '0.0.0.0' }
    const told: string[] = []
    const start = async (more: Record<string, string> = {}) =>
      startStack({ env: { ...open, ...more }, progress: line => told.push(line) })
    const closed = await start()
    expect(await status(`${at(closed.url)}/healthz`)).toBe(200)
    await expect(fetch(`${at(closed.inboxUrl)}/api/email`)).rejects.toThrow()
    expect(await status(`${closed.inboxUrl}/api/email`)).toBe(200)
    expect(told.join('\n')).not.toContain('INBOX_HOST')
    await closed.stop()
    const shared = await start({ INBOX_HOST: '0.0.0.0' })
    expect(await status(`${at(shared.inboxUrl)}/api/email`)).toBe(200)
    expect(told.join('\n')).toContain('reads every sign-in link')
    await shared.stop()
  })

  test('a database that is killed comes back where it was, with what it had', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const mail = await startMailCatcher()
    const stack = await startStack({ env: { ...env, SMTP_URL: mail.url, RATE_LIMITS: 'off' } })
    const { api } = await signUp({ url: stack.url, mail })
    const { id } = await api.call(iodsApi.createIod, { body: iodInput() })
    const database = readdirSync('/proc').find(pid => isDatabaseOfOurs(pid))
    process.kill(Number(database), 'SIGKILL')
    process.kill(JSON.parse(readFileSync(join(folder.path, 'redis/process.json'), 'utf8')).pid, 'SIGKILL')
    const back = async () =>
      (await api.send('GET', '/iods')).body[0]?.id === id && (await status(`${stack.url}/readyz`)) === 200
    await vi.waitFor(async () => expect(await back()).toBe(true), { timeout: 120_000, interval: 100 })
    await api.call(iodsApi.createIod, { body: iodInput() })
    await stack.stop()
    await mail.stop()
  })

  test('taken ports are told at once, and nothing is left running', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const start = startStack({ env: { ...env, PORT: String(port), INBOX_PORT: String(port) } })
    const error = await start.catch(reason => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.faults).toHaveLength(3)
    expect(error.message).toContain(`PORT: port ${port} on 127.0.0.1 is in use`)
    taken.close()
  })
})

describe('a running stack', () => {
  let stack: TestStack
  beforeAll(async () => {
    stack = await startTestStack()
  })
  afterAll(() => stack.stop())

  test('signs people in by a mailed link that leads to it', async () => {
    const { api, username } = await stack.signUp('ana@example.org', 'ana')
    expect(username).toBe('ana')
    expect(new URL(linkIn(stack.mail.mails[0]!)).origin).toBe(stack.url)
    expect((await api.send('GET', '/profile/me')).body).toMatchObject({
      email: 'ana@example.org',
      username: 'ana',
    })
  })

  test('a stopped service leaves the others working, and works again when it is back', async () => {
    const { api } = await stack.signUp()
    await api.call(iodsApi.createIod, { body: iodInput({ value: 'kept' }) })
    await stack.parts.iods.stop()
    const started = Date.now()
    const answer = await api.send('GET', '/iods')
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({ detail: expect.any(String) })
    // Well below the 30 s timeout for an unresponsive service.
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(await status(`${stack.url}/readyz`)).toBe(503)
    expect(await api.call(campaignsApi.listCampaigns)).toEqual([])
    await stack.parts.iods.start()
    expect((await api.call(iodsApi.listIods)).map(iod => iod.value)).toEqual(['kept'])
    await expect.poll(() => status(`${stack.url}/readyz`)).toBe(200)
  })
})
