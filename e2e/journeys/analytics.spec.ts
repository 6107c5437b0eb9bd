import { paths } from '@iodine/contracts'
import { type StartedApp, startApp } from '@iodine/harness'
import { expect, test } from '@playwright/test'
import { keepLog } from '../support/keep-log.js'

let app: StartedApp
test.afterEach(async () => {
  await keepLog(test.info(), app)
  await app?.stop()
})

test('a reader goes from a spike to its rows to a campaign in four clicks', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(300_000)
  app = await startApp({ RATE_LIMITS: 'off' }, ['--demo'])
  await page.goto(`${app.url}/login`)
  await page.getByLabel('Email').fill('analyst@iodine.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.goto(await app.mailedLink('analyst@iodine.example'))
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await expect(page.getByText('@mirror_desk').first()).toBeVisible()

  await page.getByRole('link', { name: 'Analytics', exact: true }).click()
  const chart = page.getByRole('region', { name: 'IODs per day' })
  const marks = chart.getByRole('link')
  await expect(marks.first()).toBeVisible()
  const counts = (
    await marks.evaluateAll(links => links.map(link => link.getAttribute('aria-label') ?? ''))
  ).map(text => Number(/([\d,]+) IODs?$/.exec(text)?.[1]?.replace(',', '')))
  const most = Math.max(...counts)
  await marks.nth(counts.indexOf(most)).click()
  await expect(page).toHaveURL(/\/dashboard\/iods\?.*from=/)
  await expect(page.getByText(`Showing ${most} of`)).toBeVisible()

  const rows = page.getByRole('table').getByRole('row')
  await rows.nth(1).getByRole('link').first().click()
  const panel = page.getByRole('dialog')
  // An IOD of the same story has this name, too.
  const ofCampaign = panel.locator('a[href^="/dashboard/campaigns/"]')
  await ofCampaign.filter({ hasText: 'Blue water at the Quell marathon' }).click()
  await expect(page).toHaveURL(/\/dashboard\/campaigns\//)

  // An address with errors: a message, and the charts of the default period.
  await page.goto(`${app.url}${paths.analytics()}?from=1926-01-01&to=2026-01-01`)
  await expect(page.getByRole('alert')).toContainText('A period has at most 400 days.')
  await expect(marks.first()).toBeVisible()
})
