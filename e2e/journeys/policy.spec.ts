import { startTestApp, type TestApp } from '@iodine/harness'
import { expect, test } from '@playwright/test'
import { EVERY_PAGE_SETTINGS, fillEveryPage, visitEveryPage } from '../support/every-page.js'
import { keepLog } from '../support/keep-log.js'
import { watchPolicy } from '../support/policy.js'

let app: TestApp
test.beforeAll(async () => {
  app = await startTestApp({ env: EVERY_PAGE_SETTINGS })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

// accessibility.spec.ts covers an administrator's pages.
test('no page of a member reports a violation of the content security policy', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(240_000)
  const member = await app.signUp()
  const made = await fillEveryPage(member)
  const violations = await watchPolicy(page)
  await visitEveryPage(page, { url: app.url, token: member.token, isAdmin: false, made })
  expect(violations).toEqual([])

  // Violations that a script catches are reported too.
  await page.goto(`${app.url}/login`)
  await expect(page.getByRole('main').getByText('Continue').first()).toBeVisible()
  // Deferred: the policy does not apply to the test's own script.
  await page.evaluate(() => {
    setTimeout(() => {
      try {
        Function('')
      } catch {}
    })
  })
  await expect.poll(() => violations.join()).toContain('require-trusted-types-for')
})
