import { readFile } from 'node:fs/promises'
import { collectorApi, profileApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { linkIn, tiktokPost } from '@iodine/test-kit'
import { expect, type Page, test } from '@playwright/test'
import { MongoClient } from 'mongodb'
import { faultsOf } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'

let stack: TestStack
test.beforeAll(async () => {
  stack = await startTestStack()
})
test.afterEach(() => keepLog(test.info(), stack))
test.afterAll(() => stack?.stop())

/** Finds no fault in the page, once a dialog has faded in. */
const expectFine = async (page: Page) => {
  await page.waitForFunction(() => document.getAnimations().every(each => each.playState !== 'running'))
  expect(await faultsOf(page, page.url())).toEqual([])
}
const openProfile = (page: Page, token: string) => openAs(page, stack.url, token, '/dashboard/profile')

test('everything about oneself is gathered, waits for a part that is down, and is downloaded', {
  tag: '@long',
}, async ({ page }) => {
  const { token, api } = await stack.signUp('gatherer@example.org', 'gatherer')
  const records = [tiktokPost({ description: 'a clip of mine' })]
  await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
  await openProfile(page, token)
  await stack.parts.campaigns.stop()
  try {
    await page.getByRole('button', { name: 'Gather my data' }).click()
    await expect(page.getByText('One part is not available right now')).toBeVisible({ timeout: 30_000 })
    await expect(page.getByRole('progressbar', { name: 'Data gathered' })).toBeVisible()
    await expectFine(page)
  } finally {
    await stack.parts.campaigns.start()
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
  expect(linkIn(await stack.mail.waitForMail('gatherer@example.org'))).toBe(`${stack.url}/dashboard/profile`)
})

test('another address, confirmed from both, once each is asked', { tag: '@long' }, async ({
  page,
  browser,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [from, to] = ['mover@example.org', 'moved.to.a.rather.long.address@subdomain.of.example.org']
  const { token } = await stack.signUp(from, 'mover')
  await openProfile(page, token)
  await page.getByRole('button', { name: 'Change address' }).click()
  await page.getByLabel('New address').fill(to)
  await expectFine(page)
  await page.getByRole('button', { name: 'Send the links' }).click()
  await expect(page.getByText('Waits for both addresses to confirm')).toBeVisible()
  await expectFine(page)

  // The new address' mail is opened where nobody is signed in.
  const elsewhere = await browser.newPage()
  await elsewhere.goto(linkIn(await stack.mail.waitForMail(to)))
  await expect(elsewhere.getByRole('heading', { name: 'Use this address?' })).toBeVisible()
  await elsewhere.reload()
  await elsewhere.getByRole('button', { name: 'Use this address' }).click()
  await expect(elsewhere.getByRole('heading', { name: 'Confirmed' })).toBeVisible()
  await elsewhere.close()
  await expect(page.getByText('Waits for your present address to confirm')).toBeVisible({ timeout: 15_000 })

  const link = linkIn(await stack.mail.waitForMail(from))
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Change your address?' })).toBeVisible()
  await expectFine(page)
  await page.getByRole('button', { name: 'Change the address' }).click()
  await expect(page.getByRole('heading', { name: 'Your address has changed' })).toBeVisible()
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await page.goto(`${stack.url}/dashboard/profile`)
  await expect(page.getByText(to).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change address' })).toBeVisible()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link is invalid or has expired' })).toBeVisible()
  await expectFine(page)
})

test('the account is deleted by a typed name and a link, kept once, and gone at last', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const email = 'leaver@example.org'
  const { token, api } = await stack.signUp(email, 'leaver')
  const askAndConfirm = async () => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    const send = page.getByRole('button', { name: 'Send the link' })
    await expect(send).toBeDisabled()
    await page.getByLabel('To go on, type leaver').fill('leave')
    await expect(send).toBeDisabled()
    await page.getByLabel('To go on, type leaver').fill('leaver')
    await expectFine(page)
    await send.click()
    await expect(page.getByText('Check your email')).toBeVisible()
    await page.goto(linkIn(await stack.mail.waitForMail(email)))
    await expect(page.getByRole('heading', { name: 'Delete your account?' })).toBeVisible()
    await expectFine(page)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await expect(page.getByRole('heading', { name: /^Your account will be deleted on / })).toBeVisible()
    const notice = await stack.mail.waitForMail(email)
    expect(notice.subject).toContain('will be deleted on')
  }
  await openProfile(page, token)
  await askAndConfirm()
  expect((await api.send('GET', '/profile/me')).status).toBe(401)

  const back = await stack.signUp(email, null)
  await openAs(page, stack.url, back.token, '/dashboard/iods')
  await expect(page.getByRole('heading', { name: /^Your account will be deleted on / })).toBeVisible()
  await expect(page.getByRole('link', { name: 'IODs' })).toHaveCount(0)
  await expectFine(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login$/)
  const again = await stack.signUp(email, null)
  await openProfile(page, again.token)
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByRole('heading', { name: 'My Profile' })).toBeVisible()
  expect(await again.api.call(profileApi.getDeletion)).toEqual({ delete_at: null })

  await askAndConfirm()
  // The seven days are over.
  const mongo = await MongoClient.connect(stack.mongoUrl)
  const users = mongo.db(`${stack.prefix}_auth`).collection('users')
  await users.updateOne({ email }, { $set: { delete_at: new Date(Date.now() - 1_000) } })
  // Accounts expire when auth starts, and each hour.
  await stack.parts.auth.stop()
  await stack.parts.auth.start()
  await expect.poll(() => users.countDocuments({ email })).toBe(0)
  await mongo.close()
  const next = await stack.signUp(email, null)
  expect(await next.api.call(profileApi.getProfile)).toMatchObject({ username: null })
  expect(await next.api.call(profileApi.getDeletion)).toEqual({ delete_at: null })
})
