import { expect, type Page } from '@playwright/test'

/** Presses Escape once what is open has the focus: Blueprint gives it a frame later, and hears of keys in there alone. */
export const pressEscape = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => !!document.activeElement?.closest('.bp6-overlay'))).toBe(true)
  await page.keyboard.press('Escape')
}
