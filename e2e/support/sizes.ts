import { expect, type Page } from '@playwright/test'

/** The window sizes in which screens are checked: of a laptop and of a phone. */
export const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** Returns the tier of a journey per window size: `npm test` runs it at the laptop's size. */
export const tierOf = (size: (typeof SIZES)[number]): { tag?: string } =>
  size === SIZES[0] ? {} : { tag: '@long' }

/** Expects that the page does not scroll horizontally. */
export const expectFits = async (page: Page): Promise<void> => {
  const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  await expect.poll(() => page.evaluate(beyond)).toBeLessThanOrEqual(0)
}
