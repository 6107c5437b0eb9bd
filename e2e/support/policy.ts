import type { Page } from '@playwright/test'

/**
 * Notes what a page's content security policy forbids, from its next navigation on: as the page's own events tell it, also of
 * what a script tries and catches, and as the browser tells it of workers and frames.
 */
export const watchPolicy = async (page: Page): Promise<string[]> => {
  const violations: string[] = []
  const note = (text: string) => violations.push(`${new URL(page.url()).pathname}: ${text}`)
  page.on('console', message => {
    if (/content security policy/i.test(message.text())) note(message.text())
  })
  await page.exposeFunction('notePolicyViolation', note)
  await page.addInitScript(() => {
    addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
        const { notePolicyViolation } = window as unknown as { notePolicyViolation: (text: string) => void }
        notePolicyViolation(`${effectiveDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
      },
    )
  })
  return violations
}
