import { campaignsApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { type Feed, startFeed, taxiiCollection } from '@iodine/test-kit/feed'
import { expect, test } from '@playwright/test'
import { openAs } from '../support/open-as.js'
import { expectFits, SIZES } from '../support/sizes.js'

let stack: TestStack
let feed: Feed

test.beforeAll(async () => {
  feed = await startFeed(() => {})
  stack = await startTestStack({
    env: { ADMIN_EMAILS: 'boss@example.org', SUBSCRIPTIONS_ALLOW: feed.host, SUBSCRIPTIONS_CA: feed.ca },
  })
})
test.afterAll(async () => {
  await stack?.stop()
  await feed?.stop()
})

const indicator = (n: number) => ({
  raw: `{"type":"indicator","id":"indicator--00000000-0000-4000-8000-00000000000${n}","modified":"2026-01-01T00:00:00Z","pattern_type":"stix","pattern":"[url:value = 'https://example.org/feed/${n}']"}`,
  added: `2026-01-01T00:00:0${n}Z`,
})
/** A run is waited for on a busy machine, too: a list that takes it for over is read again after 30 s. */
const RUN = { timeout: 60_000 }

for (const size of SIZES)
  test(`an administrator subscribes to a feed, pulls, pauses and leaves it at ${size.width} px`, {
    tag: '@long',
  }, async ({ page }) => {
    test.setTimeout(240_000)
    await page.setViewportSize(size)
    const boss = await stack.signUp('boss@example.org', 'the_boss')
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
    await openAs(page, stack.url, boss.token, '/dashboard/admin')
    await page.getByRole('tab', { name: 'Subscriptions' }).click()
    const section = page.getByRole('tabpanel', { name: 'Subscriptions' })
    await section.getByRole('button', { name: 'Subscribe to a feed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Subscribe to a Feed' })
    await dialog.getByLabel('Address').fill('http://example.org/')
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.getByText('The address must begin with https://')).toBeVisible()
    await dialog.getByLabel('Address').fill(address)
    await dialog.getByLabel('User').fill('reader')
    await dialog.getByLabel('Key or password').fill('wrong')
    await dialog.getByPlaceholder('Search campaigns...').fill(name)
    // Its label lies over the field. Unlike a forced check of it, a click waits until the found ones do not move.
    await dialog.locator('label').filter({ hasText: name }).click()
    await expect(dialog.getByRole('radio', { name })).toBeChecked()
    await expectFits(page)
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await expect(dialog).toBeHidden()

    const row = section.getByRole('row').filter({ hasText: address })
    await expect(row).toContainText('The feed refuses the user or the key', RUN)
    await row.getByRole('button', { name: `Edit ${address}` }).click()
    const editing = page.getByRole('dialog', { name: 'Edit Subscription' })
    await editing.getByLabel('User').fill('reader')
    await editing.getByLabel('Key or password').fill('top-secret')
    await editing.getByRole('button', { name: 'Save Changes' }).click()
    await expect(editing).toBeHidden()
    await row.getByRole('button', { name: `Pull ${address} now` }).click()
    await expect(row).toContainText('2 new object(s), 2 IOD(s) among them', RUN)
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
    await expect(confirming).toContainText(`What came by it stays in ${name}`)
    await confirming.getByRole('button', { name: 'Delete' }).click()
    await expect(row).toBeHidden()
    const { iods } = await boss.api.call(campaignsApi.getCampaign, { params: { id } })
    expect(iods.length).toBe(2)
  })
