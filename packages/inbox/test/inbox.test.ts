import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Inbox, startInbox } from '../src/inbox.js'

const urlOf = ({ port }: Inbox) => `http://127.0.0.1:${port}`

/** Sends a mail by plain SMTP and waits until the server closes the session. */
const send = (smtpUrl: string, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(smtpUrl).port), '127.0.0.1').setEncoding('utf8')
    const steps = [
      'EHLO test',
      'MAIL FROM:<a@example.org>',
      'RCPT TO:<b@example.org>',
      'DATA',
      `Subject: s\r\n\r\n${text}\r\n.`,
      'QUIT',
    ]
    socket.on('error', reject).on('close', () => resolve())
    socket.on(
      'data',
      answer => /^\d{3} /m.test(String(answer)) && steps.length > 0 && socket.write(`${steps.shift()}\r\n`),
    )
  })

/** Returns the status of a request with this Host header. */
const statusFor = (host: string, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${url}/api/email`, { headers: { host } }, answer => resolve(answer.resume().statusCode)).on(
      'error',
      reject,
    )
  })

test('serves stored mails by API and web page, also after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'iodine-inbox-'))
  const options = { folder, host: '127.0.0.1', port: 0 }
  const first = await startInbox(options)
  await send(first.smtpUrl, 'https://example.org/?token=1')
  const texts = async (url: string) =>
    ((await (await fetch(`${url}/api/email`)).json()) as { text: string }[]).map(mail => mail.text.trim())
  expect(await texts(urlOf(first))).toEqual(['https://example.org/?token=1'])
  for (const accept of ['text/html', '*/*', 'application/json'])
    for (const path of ['', '/', '/?x=1']) {
      const page = await fetch(urlOf(first) + path, { headers: { accept } })
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
    }
  expect((await fetch(`${urlOf(first)}/nothing`)).status).toBe(404)
  const foreign = await fetch(`${urlOf(first)}/api/email`, { headers: { origin: 'https://evil.example' } })
  expect(foreign.headers.get('access-control-allow-origin')).toBe(null)
  expect(await statusFor('evil.example', urlOf(first))).toBe(403)
  expect((await fetch(`${urlOf(first)}/healthz`)).status).toBe(200)
  await first.stop()
  const second = await startInbox(options)
  expect(await texts(urlOf(second))).toEqual(['https://example.org/?token=1'])
  await second.stop()
  rmSync(folder, { recursive: true })
})
