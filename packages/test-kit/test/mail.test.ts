import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn, type MailCatcher, startMailCatcher } from '../src/mail.js'

let catcher: MailCatcher
beforeAll(async () => {
  catcher = await startMailCatcher()
})
afterAll(() => catcher.stop())

/** Sends a message by plain SMTP; resolves to the server's reply. */
const send = (to: string, message: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(catcher.url).port), '127.0.0.1').setEncoding('utf8')
    const steps = ['EHLO test', 'MAIL FROM:<from@example.org>', `RCPT TO:<${to}>`, 'DATA', `${message}\r\n.`]
    let last = ''
    socket.on('error', reject).on('data', answer => {
      if (!/^\d{3} /m.test(String(answer))) return
      last = String(answer).trim()
      const step = steps.shift()
      if (step) return socket.write(`${step}\r\n`)
      resolve(last)
      socket.end('QUIT\r\n')
    })
  })

test('returns mails one by one, by recipient, with their link', async () => {
  const early = catcher.waitForMail('ana@example.org')
  await send('ana@example.org', 'Subject: =?utf-8?q?H=C3=A9llo?=\r\n\r\nFollow https://a.example/x?token=1')
  await send(
    'bo@example.org',
    'Subject: other\r\nContent-Type: text/html\r\n\r\n<a href="https://b.example/?a=1&amp;b=2">b</a>',
  )
  await send('ana@example.org', 'Subject: second\r\n\r\nno link')
  expect(await early).toMatchObject({ subject: 'Héllo', from: '', to: ['ana@example.org'] })
  expect(linkIn(await early)).toBe('https://a.example/x?token=1')
  const second = await catcher.waitForMail('ana@example.org')
  expect(second.subject).toBe('second')
  expect(() => linkIn(second)).toThrow('no link')
  expect(linkIn(await catcher.waitForMail('bo@example.org'))).toBe('https://b.example/?a=1&b=2')
  await expect(catcher.waitForMail('ana@example.org', 50)).rejects.toThrow(
    'no mail to ana@example.org within 50 ms',
  )
})

test('refuses mails with a temporary failure, and does not store them', async () => {
  catcher.refuse(1)
  const before = catcher.mails.length
  expect(await send('cy@example.org', 'Subject: x\r\n\r\nx')).toMatch(/^451 /)
  expect(catcher.mails.length).toBe(before)
  expect(await send('cy@example.org', 'Subject: x\r\n\r\nx')).toMatch(/^250 /)
})
