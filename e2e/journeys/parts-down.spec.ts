import { campaignsApi, collectorApi, DETAILS, iodsApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { type SignedInUser, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { keepLog } from '../support/keep-log.js'

let app: TestApp
let user: SignedInUser
let token: string

test.beforeAll(async () => {
  app = await startTestApp()
  user = await app.signUp('down@example.org', 'downtime')
  token = user.token
  await user.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: 'Still readable' })] },
  })
  await user.api.call(iodsApi.createIod, {
    body: { value: 'here again', category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

test.beforeEach(async ({ page }) => {
  await page.addInitScript(value => localStorage.setItem('access_token', value), token)
})

test('with one service down, its section shows an error until it recovers, and others work', async ({
  page,
}) => {
  await app.parts.iods.stop()
  try {
    const asked = Date.now()
    const answer = await fetch(`${app.url}/api/v1/iods`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ detail: expect.any(String) })
    // Well below the 30 s timeout for an unresponsive service.
    expect(Date.now() - asked).toBeLessThan(20_000)
    expect((await fetch(`${app.url}/readyz`)).status).toBe(503)

    await page.goto(`${app.url}/dashboard/iods`)
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
    await page.getByRole('link', { name: 'My data' }).click()
    await expect(page.getByText('Still readable')).toBeVisible()
  } finally {
    await app.parts.iods.start()
  }
  await page.getByRole('link', { name: 'IODs' }).click()
  await expect(page.getByText('here again')).toBeVisible()
})

test('with the iods service down, a campaign is readable with a notice, and accepts no IODs', {
  tag: '@long',
}, async ({ page }) => {
  const [iod, other] = await Promise.all(
    ['in a campaign', 'in none'].map(value =>
      user.api.call(iodsApi.createIod, {
        body: { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
      }),
    ),
  )
  const { id } = await user.api.call(campaignsApi.createCampaign, {
    body: { name: 'Readable', description: 'All the time' },
  })
  await user.api.call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod?.id ?? '' } })
  await page.goto(`${app.url}/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Readable' })
  const statistics = detail.getByRole('region', { name: 'Statistics' })
  await expect(detail.getByText('in a campaign')).toBeVisible()
  await detail.getByRole('button', { name: 'Add IOD' }).click()
  const adding = page.getByRole('dialog', { name: 'Add IODs to Campaign' })
  await adding.getByPlaceholder('Search IODs...').fill(other?.value ?? '')
  await adding.getByRole('checkbox', { name: other?.value ?? '' }).check()
  await app.parts.iods.stop()
  try {
    await adding.getByRole('button', { name: 'Add 1 IOD(s)' }).click()
    await expect(page.locator('.bp6-toast').filter({ hasText: DETAILS.unavailable })).toBeVisible()
    await expect(adding.getByText('1 IOD(s) selected to add')).toBeVisible()

    await page.reload()
    const notice = detail.getByText('The IODs of this campaign can’t be shown right now.')
    await expect(notice).toBeVisible()
    await expect(detail.getByText('All the time')).toBeVisible()
    await expect(statistics).toContainText('Total IODs1')
    await expect(detail.getByRole('button', { name: 'Export JSON' })).toBeDisabled()
    await expect(detail.getByRole('button', { name: 'Import' })).toBeDisabled()
    await app.parts.iods.start()
    await detail.getByRole('button', { name: 'Retry' }).click()
    await expect(detail.getByText('in a campaign')).toBeVisible()
    await expect(notice).toBeHidden()
    await expect(detail.getByRole('button', { name: 'Export JSON' })).toBeEnabled()
  } finally {
    await app.parts.iods.start()
  }
})

test('an unreachable remote shows an error card with Retry, and the rest works', async ({ page }) => {
  await page.route('**/remotes/mfe-iods/**', route => route.abort())
  await page.goto(`${app.url}/dashboard/iods`)
  const retry = page.getByRole('button', { name: 'Retry' })
  await expect(retry).toBeVisible()
  await page.getByRole('link', { name: 'My data' }).click()
  await expect(page.getByText('Still readable')).toBeVisible()
  await page.getByRole('link', { name: 'IODs' }).click()
  await expect(retry).toBeVisible()
  await page.unroute('**/remotes/mfe-iods/**')
  const retried: string[] = []
  page.on('request', request => {
    if (request.url().includes('retry=')) retried.push(new URL(request.url()).pathname)
  })
  await retry.click()
  await expect(page.getByText('here again')).toBeVisible()
  await page.getByRole('link', { name: 'Narratives' }).click()
  await expect(page.getByRole('heading', { name: 'Narratives', level: 1 })).toBeVisible()
  // The retried section bypasses the cache for its entry and chunks; the next section does not.
  expect(retried.length).toBeGreaterThan(1)
  expect(retried.filter(path => !path.startsWith('/remotes/mfe-iods/'))).toEqual([])
})

test('a remote that returns an error page shows an error card with Retry', { tag: '@long' }, async ({
  page,
}) => {
  let broken = true
  await page.route('**/remotes/mfe-graph/mf-manifest.json*', route =>
    broken
      ? route.fulfill({ status: 500, body: '<h1>oops</h1>', contentType: 'text/html' })
      : route.continue(),
  )
  await page.goto(`${app.url}/dashboard/graph`)
  const retry = page.getByRole('button', { name: 'Retry' })
  await expect(retry).toBeVisible()
  broken = false
  await retry.click()
  await expect(
    page.getByText('No data to display. Try adjusting your filters or add some narratives'),
  ).toBeVisible()
})
