import { setTimeout as sleep } from 'node:timers/promises'
import { campaignsApi, collectorApi, iodsApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { iodInput, type SignedInUser, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'

let stack: TestStack
let user: SignedInUser

const DAY_MS = 86_400_000
/** The file's tests end within it. */
const NEAR_MS = 120_000

test.beforeAll(async () => {
  test.setTimeout(300_000)
  // What was created is counted by days of UTC: all of it and its count are of one day.
  const left = DAY_MS - (Date.now() % DAY_MS)
  if (left < NEAR_MS) await sleep(left)
  stack = await startTestStack({
    env: { QUOTA_RECORDS: '10', QUOTA_IODS_A_DAY: '5', QUOTA_CAMPAIGNS: '2', QUOTA_CAMPAIGN_IODS: '4' },
  })
  user = await stack.signUp('full@example.org', 'full_house')
  await user.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: Array.from({ length: 9 }, () => tiktokPost()) },
  })
  for (let n = 0; n < 5; n++) await user.api.call(iodsApi.createIod, { body: iodInput() })
  await user.api.call(campaignsApi.createCampaign, { body: { name: 'First' } })
})
test.afterAll(() => stack?.stop())

test.beforeEach(async ({ page }) => {
  await page.addInitScript(value => localStorage.setItem('access_token', value), user.token)
})

test('My Profile shows what is used of each limit, and a refusal says what to do', { tag: '@long' }, async ({
  page,
}) => {
  await page.goto(`${stack.url}/dashboard/profile`)
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('progressbar') })
  await expect(rows.filter({ hasText: 'Collected records' })).toContainText('9 of 10')
  await expect(page.getByRole('progressbar', { name: 'Collected records' })).toHaveAttribute(
    'aria-valuenow',
    '90',
  )
  await expect(rows.filter({ hasText: 'IODs created today' })).toContainText('5 of 5')
  await expect(rows.filter({ hasText: 'Campaigns' })).toContainText('1 of 2')
  await expect(rows).toHaveCount(13)

  await page.goto(`${stack.url}/dashboard/iods`)
  await page.getByRole('button', { name: 'Create IOD' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Create New IOD' })
  await dialog.getByLabel('Value').fill('One too many')
  await dialog.getByLabel('Type').selectOption('SENTENCE')
  await dialog.getByLabel('Description').fill('Anything')
  await dialog.getByRole('button', { name: 'Create IOD' }).click()
  await expect(page.getByText('You created 5 of 5 IODs a day: go on after midnight UTC')).toBeVisible()
})

test('what a service that is down knows is not shown, the rest is', { tag: '@long' }, async ({ page }) => {
  await stack.parts.collector.stop()
  try {
    await page.goto(`${stack.url}/dashboard/profile`)
    const rows = page.getByRole('main').getByRole('listitem')
    await expect(rows.filter({ hasText: 'Campaigns' })).toContainText('1 of 2')
    await expect(rows.filter({ hasText: 'Collected records' })).toContainText('—')
    await expect(page.getByText('— not available right now')).toBeVisible()
  } finally {
    await stack.parts.collector.start()
  }
})
