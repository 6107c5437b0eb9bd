import { expect, type Page } from '@playwright/test'

/** Elements that may have the focus but ignore the key: toasts, and overlays that fade out. */
const IGNORING = '.bp6-toast-container, .bp6-overlay-exit, .bp6-popover-exit'

/**
 * Presses Escape once the overlay has the focus: Blueprint focuses it a frame later and handles keys only
 * inside it.
 */
export const pressEscape = async (page: Page): Promise<void> => {
  const isHandled = (ignoring: string) => {
    const focused = document.activeElement
    return !!focused?.closest('.bp6-overlay') && !focused.closest(ignoring)
  }
  await expect.poll(() => page.evaluate(isHandled, IGNORING)).toBe(true)
  await page.keyboard.press('Escape')
}
