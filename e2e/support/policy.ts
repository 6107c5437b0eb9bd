import type { Page } from '@playwright/test'

/**
 * Records violations of a page's content security policy from its next navigation on. Sources: the page's
 * events, which include violations that a script catches, and the browser's reports about workers and frames.
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
