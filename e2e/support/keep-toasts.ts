import type { Page } from '@playwright/test'

/** Well below the duration of a toast. */
const INTERVAL_MS = 500

/**
 * Keeps toasts on screen until they are closed, as hovering does, from the page's next navigation on: assertions may be
 * late on a busy machine.
 */
export const keepToasts = (page: Page): Promise<unknown> =>
  page.addInitScript(intervalMs => {
    setInterval(() => {
      for (const toast of document.querySelectorAll('.bp6-toast'))
        toast.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
    }, intervalMs)
  }, INTERVAL_MS)
