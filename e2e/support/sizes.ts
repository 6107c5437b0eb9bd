import { expect, type Page } from '@playwright/test'

/** The windows that a screen is looked at in: a laptop's and a phone's. */
export const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** The tier of a journey that runs in each window: `npm test` runs it in the laptop's. */
export const tierOf = (size: (typeof SIZES)[number]): { tag?: string } =>
  size === SIZES[0] ? {} : { tag: '@long' }

/** Nothing of the page is wider than the window. */
export const expectFits = async (page: Page): Promise<void> => {
  const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  await expect.poll(() => page.evaluate(beyond)).toBeLessThanOrEqual(0)
}
