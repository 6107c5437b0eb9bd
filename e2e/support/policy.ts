import type { Page } from '@playwright/test'

/** Notes what the page's content security policy forbids, in the page itself, its workers and its frames, as the browser says it. */
export const watchPolicy = (page: Page): string[] => {
  const violations: string[] = []
  page.on('console', message => {
    if (/content security policy/i.test(message.text()))
      violations.push(`${new URL(page.url()).pathname}: ${message.text()}`)
  })
  return violations
}
