import type { Page } from '@playwright/test'

/** Well below the time that a toast shows for. */
const OFTEN_MS = 500

/**
 * Keeps toasts on screen until they are closed, as a pointer does that rests on them, from the page's next
 * navigation on: a busy machine may look at them late.
 */
export const keepToasts = (page: Page): Promise<unknown> =>
  page.addInitScript(often => {
    setInterval(() => {
      for (const toast of document.querySelectorAll('.bp6-toast'))
        toast.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
    }, often)
  }, OFTEN_MS)
