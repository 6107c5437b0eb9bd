import { campaignsApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { type Feed, startFeed, taxiiCollection } from '@iodine/test-kit/feed'
import { expect, test } from '@playwright/test'
import { openAs } from '../support/open-as.js'
import { expectFits, SIZES } from '../support/sizes.js'

let app: TestApp
let feed: Feed

test.beforeAll(async () => {
  feed = await startFeed(() => {})
  app = await startTestApp({
    env: { ADMIN_EMAILS: 'boss@example.org', SUBSCRIPTIONS_ALLOW: feed.host, SUBSCRIPTIONS_CA: feed.ca },
  })
})
test.afterAll(async () => {
  await app?.stop()
  await feed?.stop()
})

const indicator = (n: number) => ({
  raw: `{"type":"indicator","id":"indicator--00000000-0000-4000-8000-00000000000${n}","modified":"2026-01-01T00:00:00Z","pattern_type":"stix","pattern":"[url:value = 'https://example.org/feed/${n}']"}`,
  added: `2026-01-01T00:00:0${n}Z`,
})
/** Timeout for a run: a list that shows it as complete too early is refreshed after 30 s. */
const RUN = { timeout: 60_000 }

for (const size of SIZES)
  test(`an administrator subscribes to a feed, pulls, pauses and removes it at ${size.width} px`, {
    tag: '@long',
  }, async ({ page }) => {
    test.setTimeout(240_000)
    await page.setViewportSize(size)
    const boss = await app.signUp('boss@example.org', 'the_boss')
    const name = `Lake at ${size.width}`
    const { id } = await boss.api.call(campaignsApi.createCampaign, { body: { name } })
    const objects = [indicator(1), indicator(2)]
    const collection = taxiiCollection(objects)
    feed.answer((url, request, response) =>
      request.headers.authorization === `Basic ${Buffer.from('reader:top-secret').toString('base64')}`
        ? collection(url, request, response)
        : response.writeHead(401).end(),
    )
    const address = `${feed.url}api/collections/${size.width}/`
    await openAs(page, app.url, boss.token, '/dashboard/admin')
    await page.getByRole('tab', { name: 'Subscriptions' }).click()
    const section = page.getByRole('tabpanel', { name: 'Subscriptions' })
    await section.getByRole('button', { name: 'Subscribe to a feed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Subscribe to a Feed' })
    await dialog.getByLabel('URL').fill('http://example.org/')
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.getByText('The URL must begin with https://')).toBeVisible()
    await dialog.getByLabel('URL').fill(address)
    await dialog.getByLabel('Username').fill('reader')
    await dialog.getByLabel('Key or password').fill('wrong')
    await dialog.getByPlaceholder('Search campaigns...').fill(name)
    // The label covers the field. Unlike a forced check, a click waits until the layout is stable.
    await dialog.locator('label').filter({ hasText: name }).click()
    await expect(dialog.getByRole('radio', { name })).toBeChecked()
    await expectFits(page)
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expect(dialog).toBeHidden()

    const row = section.getByRole('row').filter({ hasText: address })
    await expect(row).toContainText('The feed refuses the user or the key', RUN)
    await row.getByRole('button', { name: `Edit ${address}` }).click()
    const editing = page.getByRole('dialog', { name: 'Edit Subscription' })
    await editing.getByLabel('Username').fill('reader')
    await editing.getByLabel('Key or password').fill('top-secret')
    await editing.getByRole('button', { name: 'Save Changes' }).click()
    await expect(editing).toBeHidden()
    await row.getByRole('button', { name: `Pull ${address} now` }).click()
    await expect(row).toContainText('2 new objects, including 2 IODs', RUN)
    await row.getByRole('button', { name: `Pull ${address} now` }).click()
    await expect(row).toContainText('Nothing new', RUN)
    await expectFits(page)

    await row.getByRole('button', { name: `Pause ${address}` }).click()
    await expect(row).toContainText('Paused')
    await expect(row.getByRole('button', { name: `Pull ${address} now` })).toBeDisabled()
    await row.getByRole('button', { name: `Resume ${address}` }).click()
    await expect(row).not.toContainText('Paused')
    await row.getByRole('button', { name: `Delete ${address}` }).click()
    const confirming = page.getByRole('dialog', { name: 'Delete subscription' })
    await expect(confirming).toContainText(`Its imported objects stay in ${name}`)
    await confirming.getByRole('button', { name: 'Delete' }).click()
    await expect(row).toBeHidden()
    const { iods } = await boss.api.call(campaignsApi.getCampaign, { params: { id } })
    expect(iods.length).toBe(2)
  })
