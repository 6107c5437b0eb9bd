import { expect } from '@playwright/test'
import { type BrowserPage, evaluateIn, selectIn } from './browser-page.js'

/** Height between those of the button and the form. */
const FORM_PX = 200

/** Returns the position of the '+ IOD' button or form, which is in a closed shadow root; null without one. */
const boxOf = (page: BrowserPage) =>
  evaluateIn(page, () => {
    const host = document.querySelector(':root > [popover]')
    if (!host) return null
    const { x, y, width, height } = host.getBoundingClientRect()
    return { x: x + width / 2, y: y + height / 2, height }
  })

/** Selects words with the mouse and opens the '+ IOD' form by clicks at positions. */
export const openIodForm = async (page: BrowserPage, words: string): Promise<void> => {
  await page.bringToFront()
  await selectIn(page, words)
  await expect.poll(() => boxOf(page)).not.toBeNull()
  // The button ignores presses until its observer has reported full visibility.
  await expect(async () => {
    const box = await boxOf(page)
    // An earlier press may have opened the form: another press would hit the form.
    if (box && box.height <= FORM_PX) await page.mouse.click(box.x, box.y)
    await expect.poll(async () => (await boxOf(page))?.height, { timeout: 1_000 }).toBeGreaterThan(FORM_PX)
  }).toPass()
}

/** Presses Create IOD in the open form by keyboard, until the form closes. */
export const pressCreateIod = async (page: BrowserPage): Promise<void> => {
  for (const _ of ['category', 'description', 'cancel', 'create']) await page.keyboard.press('Tab')
  // The form ignores keys until its observer has reported full visibility.
  await expect(async () => {
    await page.keyboard.press('Enter')
    await expect.poll(() => boxOf(page), { timeout: 1_000 }).toBeNull()
  }).toPass()
}
