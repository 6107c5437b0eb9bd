import { collectorApi, iodsApi } from '@iodine/contracts'
import { startTestStack, type TestStack, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'

let stack: TestStack
let token: string

test.beforeAll(async () => {
  stack = await startTestStack()
  const user = await stack.signUp('down@example.org', 'downtime')
  token = user.token
  await user.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: 'Still readable' })] },
  })
  await user.api.call(iodsApi.createIod, {
    body: { value: 'here again', category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })
})
test.afterAll(() => stack?.stop())

test.beforeEach(async ({ page }) => {
  await page.addInitScript(value => localStorage.setItem('access_token', value), token)
})

test('with one service down its section says so, the others work, and it comes back', async ({ page }) => {
  await stack.parts.iods.stop()
  try {
    const asked = Date.now()
    const answer = await fetch(`${stack.url}/api/v1/iods`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ detail: expect.any(String) })
    expect(Date.now() - asked).toBeLessThan(3_000)
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(503)

    await page.goto(`${stack.url}/dashboard/iods`)
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
    await page.getByRole('link', { name: 'My data' }).click()
    await expect(page.getByText('Still readable')).toBeVisible()
  } finally {
    await stack.parts.iods.start()
  }
  await page.getByRole('link', { name: 'IODs' }).click()
  await expect(page.getByText('here again')).toBeVisible()
})

test('a remote that cannot be reached leaves an error card with Retry, and the rest works', async ({
  page,
}) => {
  await page.route('**/remotes/mfe-iods/**', route => route.abort())
  await page.goto(`${stack.url}/dashboard/iods`)
  const retry = page.getByRole('button', { name: 'Retry' })
  await expect(retry).toBeVisible()
  await page.getByRole('link', { name: 'My data' }).click()
  await expect(page.getByText('Still readable')).toBeVisible()
  await page.getByRole('link', { name: 'IODs' }).click()
  await expect(retry).toBeVisible()
  await page.unroute('**/remotes/mfe-iods/**')
  await retry.click()
  await expect(page.getByText('here again')).toBeVisible()
})

test('a remote that answers with an error page is no different', async ({ page }) => {
  let broken = true
  await page.route('**/remotes/mfe-graph/mf-manifest.json*', route =>
    broken
      ? route.fulfill({ status: 500, body: '<h1>oops</h1>', contentType: 'text/html' })
      : route.continue(),
  )
  await page.goto(`${stack.url}/dashboard/graph`)
  const retry = page.getByRole('button', { name: 'Retry' })
  await expect(retry).toBeVisible()
  broken = false
  await retry.click()
  await expect(
    page.getByText('No data to display. Try adjusting your filters or add some narratives'),
  ).toBeVisible()
})
