import { expect, type Page } from '@playwright/test'

/** Toasts ignore the key, and what fades out has the focus until it is gone. */
const DEAF = '.bp6-toast-container, .bp6-overlay-exit, .bp6-popover-exit'

/**
 * Presses Escape once the overlay has the focus: Blueprint focuses it a frame later and handles keys only
 * inside it.
 */
export const pressEscape = async (page: Page): Promise<void> => {
  const isHeard = (deaf: string) => {
    const focused = document.activeElement
    return !!focused?.closest('.bp6-overlay') && !focused.closest(deaf)
  }
  await expect.poll(() => page.evaluate(isHeard, DEAF)).toBe(true)
  await page.keyboard.press('Escape')
}
