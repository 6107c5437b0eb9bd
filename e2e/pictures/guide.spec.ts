import { join } from 'node:path'
import { type StartedApp, startApp } from '@iodine/harness'
import { expect, type Page, test } from '@playwright/test'

/** Folder of the screenshots of `docs/guide.md`, which show the demo. */
const FOLDER = join(import.meta.dirname, '../../docs/images')
const ANALYST = 'analyst@iodine.example'

let app: StartedApp
test.afterEach(() => app?.stop())

test('takes the screenshots of the guide', async ({ page }) => {
  app = await startApp({ RATE_LIMITS: 'off' }, ['--demo'])
  await page.setViewportSize({ width: 1_280, height: 800 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const picture = async (name: string) => {
    await page.evaluate(() => document.fonts.ready)
    await page.waitForLoadState('networkidle')
    await expect(page.locator('.bp6-toast')).toHaveCount(0, { timeout: 30_000 })
    await page.screenshot({ path: join(FOLDER, `${name}.png`) })
  }
  const open = async (section: string, text: string) => {
    await page.goto(`${app.url}/dashboard/${section}`)
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
  }
  await page.goto(`${app.url}/login`)
  await page.getByLabel('Email').fill(ANALYST)
  await picture('sign-in')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.goto(await app.mailedLink(ANALYST))
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await expect(page.getByRole('img', { name: /IODs/ }).first()).toBeVisible()
  await picture('overview')

  await open('data', '@captain_osk')
  await selectWord(page)
  await expect(page.getByRole('button', { name: '+ IOD' })).toBeVisible()
  await picture('my-data')

  await open('iods', 'Showing')
  await page.getByRole('row').nth(3).getByRole('link').first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await picture('iod')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('lake')
  await expect(page.getByRole('option').nth(3)).toBeVisible()
  await picture('search')

  await open('campaigns', 'Giant mirrors over Lake Varnel')
  await page.getByRole('article', { name: 'Giant mirrors over Lake Varnel' }).getByRole('link').click()
  await expect(page.getByRole('region', { name: 'Categories' })).toBeVisible()
  await picture('campaign')

  await open('campaigns', 'Same people, same plan')
  await page.getByRole('article', { name: 'Same people, same plan' }).getByRole('link').click()
  await page.getByRole('tab', { name: 'Matrix' }).click()
  await page.getByText('Used only').click()
  await page.getByRole('button', { name: 'Unfold all' }).click()
  await page.locator('[data-tid="T0143.002"]').click()
  await expect(page.getByRole('article', { name: 'Quote' })).toContainText('bought by Captain Osk')
  await picture('matrix')

  await open('narratives', 'One server carries Varnel Watch.')
  await picture('narratives')

  await open('graph', 'entities')
  await expect(page.locator('canvas[data-layout=settled]')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('searchbox', { name: 'Find' }).fill('Helion Varnel')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Node details' })).toBeVisible()
  await picture('graph')
})

/** Selects the first word of a description by keyboard. */
const selectWord = async (page: Page) => {
  const text = page.getByRole('button', { name: 'Create IOD from Video Description' }).first()
  await text.scrollIntoViewIfNeeded()
  await text.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+Shift+ArrowRight')
}
