import { readFile } from 'node:fs/promises'
import { collectorApi, profileApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { linkIn, tiktokPost } from '@iodine/test-kit'
import { expect, type Page, test } from '@playwright/test'
import { MongoClient } from 'mongodb'
import { faultsOf } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'

let app: TestApp
test.beforeAll(async () => {
  app = await startTestApp()
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

/** Expects no fault in the page, after its animations. */
const expectFine = async (page: Page) => {
  await page.waitForFunction(() => document.getAnimations().every(each => each.playState !== 'running'))
  expect(await faultsOf(page, page.url())).toEqual([])
}
const openProfile = (page: Page, token: string, tab = '') =>
  openAs(page, app.url, token, `/dashboard/profile${tab}`)

test('a user exports all own data; the export waits for a service that is down', {
  tag: '@long',
}, async ({ page }) => {
  const { token, api } = await app.signUp('gatherer@example.org', 'gatherer')
  const records = [tiktokPost({ description: 'a clip of mine' })]
  await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
  await openProfile(page, token, '?tab=data')
  await app.parts.campaigns.stop()
  try {
    await page.getByRole('button', { name: 'Export my data' }).click()
    await expect(page.getByText('One service is not available right now')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('progressbar', { name: 'Export progress' })).toBeVisible()
    await expectFine(page)
  } finally {
    await app.parts.campaigns.start()
  }
  const button = page.getByRole('button', { name: /^Download \(/ })
  await expect(button).toBeVisible({ timeout: 30_000 })
  const started = page.waitForEvent('download')
  await button.click()
  const download = await started
  expect(download.suggestedFilename()).toMatch(/^iodine-data-[\d-]{10}\.json$/)
  const file = JSON.parse(await readFile(await download.path(), 'utf8'))
  expect(file.auth[0].data).toMatchObject({ email: 'gatherer@example.org', username: 'gatherer' })
  expect(JSON.stringify(file.collector)).toContain('a clip of mine')
  expect(linkIn(await app.mail.waitForMail('gatherer@example.org'))).toBe(
    `${app.url}/dashboard/profile?tab=data`,
  )
})

test('a user changes the e-mail address, confirmed by links to the old and the new one', {
  tag: '@long',
}, async ({ page, browser }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [from, to] = ['mover@example.org', 'moved.to.a.rather.long.address@subdomain.of.example.org']
  const { token } = await app.signUp(from, 'mover')
  await openProfile(page, token)
  await page.getByRole('button', { name: 'Change email address' }).click()
  await page.getByLabel('New email address').fill(to)
  await expectFine(page)
  await page.getByRole('button', { name: 'Send links' }).click()
  await expect(page.getByText('Waiting for confirmation from both addresses')).toBeVisible()
  await expectFine(page)

  // The link to the new address is opened without a session.
  const elsewhere = await browser.newPage()
  await elsewhere.goto(linkIn(await app.mail.waitForMail(to)))
  await expect(elsewhere.getByRole('heading', { name: 'Use this email address?' })).toBeVisible()
  await elsewhere.reload()
  await elsewhere.getByRole('button', { name: 'Use this address' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
  await elsewhere.close()
  await expect(page.getByText('Waiting for confirmation from your current address')).toBeVisible({
    timeout: 15_000,
  })

  const link = linkIn(await app.mail.waitForMail(from))
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Change your email address?' })).toBeVisible()
  await expectFine(page)
  await page.getByRole('button', { name: 'Change email address' }).click()
  await expect(page.getByRole('heading', { name: 'Your email address has changed' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await page.goto(`${app.url}/dashboard/profile`)
  await expect(page.getByText(to).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change email address' })).toBeVisible()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link is invalid or has expired' })).toBeVisible()
  await expectFine(page)
})

test('a user deletes the account by its name and a link, restores it once, and then loses it', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const email = 'leaver@example.org'
  const { token, api } = await app.signUp(email, 'leaver')
  const askAndConfirm = async () => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    const send = page.getByRole('button', { name: 'Send link' })
    await expect(send).toBeDisabled()
    await page.getByLabel('To continue, type leaver').fill('leave')
    await expect(send).toBeDisabled()
    await page.getByLabel('To continue, type leaver').fill('leaver')
    await expectFine(page)
    await send.click()
    await expect(page.getByText('Check your email')).toBeVisible()
    await page.goto(linkIn(await app.mail.waitForMail(email)))
    await expect(page.getByRole('heading', { name: 'Delete your account?' })).toBeVisible()
    await expectFine(page)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await expect(page.getByRole('heading', { name: /^Your account will be deleted on / })).toBeVisible()
    const notice = await app.mail.waitForMail(email)
    expect(notice.subject).toContain('will be deleted on')
  }
  await openProfile(page, token)
  await askAndConfirm()
  expect((await api.send('GET', '/profile/me')).status).toBe(401)

  const back = await app.signUp(email, null)
  await openAs(page, app.url, back.token, '/dashboard/iods')
  await expect(page.getByRole('heading', { name: /^Your account will be deleted on / })).toBeVisible()
  await expect(page.getByRole('link', { name: 'IODs' })).toHaveCount(0)
  await expectFine(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login$/)
  const restored = await app.signUp(email, null)
  await openProfile(page, restored.token)
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByRole('heading', { name: 'My Profile' })).toBeVisible()
  expect(await restored.api.call(profileApi.getDeletion)).toEqual({ delete_at: null })

  await askAndConfirm()
  // Simulate the end of the seven days.
  const mongo = await MongoClient.connect(app.mongoUrl)
  const users = mongo.db(`${app.prefix}_auth`).collection('users')
  await users.updateOne({ email }, { $set: { delete_at: new Date(Date.now() - 1_000) } })
  // auth deletes expired accounts at its start and every hour.
  await app.parts.auth.stop()
  await app.parts.auth.start()
  await expect.poll(() => users.countDocuments({ email })).toBe(0)
  await mongo.close()
  const next = await app.signUp(email, null)
  expect(await next.api.call(profileApi.getProfile)).toMatchObject({ username: null })
  expect(await next.api.call(profileApi.getDeletion)).toEqual({ delete_at: null })
})
