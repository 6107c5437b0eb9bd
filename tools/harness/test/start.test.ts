/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../src/index.js'

/** Requests a page as a browser does. Resolves to its status and text. */
const open = async (url: string) => {
  const answer = await fetch(url, { headers: { accept: 'text/html' } })
  return { status: answer.status, text: await answer.text() }
}

test('npm start serves the app, the API reference and the inbox, before and after a power cut', {
  timeout: 300_000,
}, async () => {
  const app = await startApp({ RATE_LIMITS: 'off' })
  onTestFinished(() => void app.stop())
  const { url, inboxUrl } = app
  const served = async () => {
    const reference = `${url}/api/v1/docs/static`
    const pages = [`${url}/login`, `${reference}/index.html`, `${reference}/swagger-ui-bundle.js`, inboxUrl]
    const answers = await Promise.all(pages.map(open))
    return answers.map(({ status }) => status)
  }
  expect(await served()).toEqual([200, 200, 200, 200])

  const email = 'bundle@example.org'
  const asked = await fetch(`${url}/api/v1/auth/request-magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  expect(asked.ok).toBe(true)
  const link = await app.mailedLink(email)
  expect((await open(link)).status).toBe(200)

  await app.cutPower()
  await app.start()
  expect(await served()).toEqual([200, 200, 200, 200])
  // The mail is read from disk. The sanitizer of its HTML is loaded lazily.
  expect(await app.mailedLink(email)).toBe(link)
  const [mail] = (await (await fetch(`${inboxUrl}/api/email`)).json()) as { id: string }[]
  const { status, text } = await open(`${inboxUrl}/api/email/${mail?.id}/html`)
  expect(status).toBe(200)
  expect(text).toContain('magic-login?token=')
  expect(app.log()).not.toContain('"level":50')
  expect(await app.stop()).toBe(0)
})
