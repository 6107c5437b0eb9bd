import { paths } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { expect, test } from '@playwright/test'
import { EVERY_PAGE_SETTINGS, fillEveryPage } from '../support/every-page.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { SIZES } from '../support/sizes.js'

let app: TestApp

test.beforeAll(async () => {
  app = await startTestApp({ env: EVERY_PAGE_SETTINGS })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

test('a phone shows tabs, names and campaigns, and toasts do not cover the graph', {
  tag: '@long',
}, async ({ page }) => {
  const reader = await app.signUp()
  await fillEveryPage(reader)
  const [, phone] = SIZES
  await page.setViewportSize(phone)
  const open = (path: string) => openAs(page, app.url, reader.token, path)

  await open(paths.data())
  for (const name of ['Short videos', 'Messaging channels', 'Blogs'])
    await expect(page.getByRole('tab', { name })).toBeInViewport({ ratio: 1 })

  await open(paths.campaigns())
  await expect(page.getByRole('article', { name: 'Lake mirrors' })).toBeInViewport()

  await open(paths.graph())
  const toast = page.locator('.bp6-toast', { hasText: 'Graph loaded' })
  await expect(toast).toBeVisible()
  const [covers, graph] = [await toast.boundingBox(), await page.getByRole('application').boundingBox()]
  expect(covers && graph && covers.y + covers.height).toBeLessThanOrEqual(graph?.y ?? 0)

  await page.getByRole('radio', { name: 'Table' }).click()
  const name = page.getByRole('table').getByRole('button').first()
  await expect(name).toBeVisible()
  const column = page.getByRole('table').getByRole('columnheader').first()
  expect((await column.boundingBox())?.width).toBeGreaterThan(phone.width / 3)
})
