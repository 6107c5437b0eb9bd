import { expect, type Page } from '@playwright/test'

/**
 * Presses Escape once the overlay has the focus: Blueprint focuses it a frame later and handles keys only
 * inside it.
 */
export const pressEscape = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => !!document.activeElement?.closest('.bp6-overlay'))).toBe(true)
  await page.keyboard.press('Escape')
}
