import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { campaignsApi, iodsApi } from '@iodine/contracts'
import { rebuild, startStack } from '@iodine/dev-stack'
import { ConfigError } from '@iodine/service-kit'
import { iodInput, linkIn, signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

/** Returns whether the process is a child of this one that runs the embedded database. */
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

  test('run beside another instance, keep their secrets, and reject a second run on the same data', {
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
    const restarted = await startStack({ env })
    expect([await rebuild('narratives', env), await rebuild('community', env)]).toEqual([true, true])
    expect(secrets.map(file => readFileSync(file, 'utf8'))).toEqual(before)
    await restarted.stop()
    await restarted.stop()
    other.remove()
  })

  test('HOST opens the app to other machines, but the inbox only with INBOX_HOST', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const { address } = Object.values(networkInterfaces())
      .flat()
      .find(each => each?.family === 'IPv4' && !each.internal) ?? { address: '127.0.0.2' }
    const at = (url: string | undefined) => String(url).replace('localhost', address)
    const open = { ...env, HOST: '0.0.0.0' }
    const lines: string[] = []
    const start = async (more: Record<string, string> = {}) =>
      startStack({ env: { ...open, ...more }, progress: line => lines.push(line) })
    const closed = await start()
    expect(await status(`${at(closed.url)}/healthz`)).toBe(200)
    await expect(fetch(`${at(closed.inboxUrl)}/api/email`)).rejects.toThrow()
    expect(await status(`${closed.inboxUrl}/api/email`)).toBe(200)
    expect(lines.join('\n')).not.toContain('INBOX_HOST')
    await closed.stop()
    const shared = await start({ INBOX_HOST: '0.0.0.0' })
    expect(await status(`${at(shared.inboxUrl)}/api/email`)).toBe(200)
    expect(lines.join('\n')).toContain('can read every sign-in link')
    await shared.stop()
  })

  test('a killed database restarts at the same address with its data', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    const mail = await startMailCatcher()
    const app = await startStack({ env: { ...env, SMTP_URL: mail.url, RATE_LIMITS: 'off' } })
    const { api } = await signUp({ url: app.url, mail })
    const { id } = await api.call(iodsApi.createIod, { body: iodInput() })
    const database = readdirSync('/proc').find(pid => isDatabaseOfOurs(pid))
    process.kill(Number(database), 'SIGKILL')
    process.kill(JSON.parse(readFileSync(join(folder.path, 'redis/process.json'), 'utf8')).pid, 'SIGKILL')
    const back = async () =>
      (await api.send('GET', '/iods')).body[0]?.id === id && (await status(`${app.url}/readyz`)) === 200
    await vi.waitFor(async () => expect(await back()).toBe(true), { timeout: 120_000, interval: 100 })
    await api.call(iodsApi.createIod, { body: iodInput() })
    await app.stop()
    await mail.stop()
  })

  test('ports in use are all reported, and no process is left running', async () => {
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
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.stop())

  test('signs users in by a mailed link with its URL', async () => {
    const { api, username } = await app.signUp('ana@example.org', 'ana')
    expect(username).toBe('ana')
    expect(new URL(linkIn(app.mail.mails[0]!)).origin).toBe(app.url)
    expect((await api.send('GET', '/profile/me')).body).toMatchObject({
      email: 'ana@example.org',
      username: 'ana',
    })
  })

  test('a stopped service does not affect the others, and works again after its start', async () => {
    const { api } = await app.signUp()
    await api.call(iodsApi.createIod, { body: iodInput({ value: 'kept' }) })
    await app.parts.iods.stop()
    const started = Date.now()
    const answer = await api.send('GET', '/iods')
    expect(answer.status).toBe(503)
    expect(answer.body).toEqual({ detail: expect.any(String) })
    // Well below the 30 s timeout for an unresponsive service.
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(await status(`${app.url}/readyz`)).toBe(503)
    expect(await api.call(campaignsApi.listCampaigns)).toEqual([])
    await app.parts.iods.start()
    expect((await api.call(iodsApi.listIods)).map(iod => iod.value)).toEqual(['kept'])
    await expect.poll(() => status(`${app.url}/readyz`)).toBe(200)
  })
})
