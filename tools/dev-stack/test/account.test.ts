/** @module-tag long */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { afterAll, expect, test } from 'vitest'
import { account, evidence } from '../src/commands.js'
import { startStack } from '../src/index.js'

const folder = temporaryFolder()
const other = temporaryFolder()
afterAll(() => {
  folder.remove()
  other.remove()
})

test('the account command uses the running product, starts a stopped one, and reports why it can do neither', {
  timeout: 240_000,
}, async () => {
  const mail = await startMailCatcher()
  const env = { PORT: '0', DATA_DIR: folder.path, SMTP_URL: mail.url, RATE_LIMITS: 'off' }
  const command = async (args: string[], more: Record<string, string> = {}) => {
    const output: string[] = []
    const io = { say: (line: string) => void output.push(line), stdout: process.stdout, folder: other.path }
    const code = await account(args, { ...env, ...more }, io)
    return { code, output: output.join('\n') }
  }
  const services = join(folder.path, 'services.json')
  expect(await command(['delete'])).toMatchObject({ code: 2 })
  expect(await command(['delete', 'ana@example.org'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('holds no data'),
  })

  let stack = await startStack({ env })
  expect(statSync(services).mode & 0o777).toBe(0o600)
  const { token, id } = await signUp({ url: stack.url, mail }, 'ana@example.org', 'ana')
  const exported = await command(['export', 'Ana@example.org'])
  const file = join(other.path, `account-${id}.json`)
  expect([exported.code, exported.output]).toEqual([0, expect.stringContaining(file)])
  expect(JSON.parse(readFileSync(file, 'utf8')).auth[0].data.username).toBe('ana')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await stack.stop()
  expect(existsSync(services)).toBe(false)

  const redact = async (...args: string[]) => {
    const output: string[] = []
    const code = await evidence(args, env, line => void output.push(line))
    return { code, output: output.join('\n') }
  }
  expect(await redact('redact', 'a'.repeat(24))).toMatchObject({
    code: 2,
    output: expect.stringContaining('REASON'),
  })
  expect(await redact('redact', 'x', 'because')).toMatchObject({ code: 2 })
  expect(await redact('redact', 'a'.repeat(24), 'asked', 'for')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/starting it.*neither a capture nor evidence/s),
  })

  const suspended = await command(['suspend', 'ana@example.org'])
  expect([suspended.code, suspended.output]).toEqual([0, expect.stringMatching(/starting it.*is suspended/s)])
  expect(existsSync(services)).toBe(false)
  const foreign = { MONGODB_URI: 'mongodb://127.0.0.1:1', DATA_DIR: other.path }
  expect((await command(['delete', 'ana@example.org'], foreign)).output).toContain('SECRETS_KEY')

  stack = await startStack({ env })
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${stack.url}/api/v1/profile/me`, { headers })).status).toBe(401)
  const deleted = await command(['delete', 'ana@example.org'])
  expect([deleted.code, deleted.output]).toEqual([0, expect.stringContaining('its data is removed')])
  expect(await command(['delete', 'ana@example.org'])).toMatchObject({ code: 1 })
  await stack.stop()
  await mail.stop()
})
