import { campaignsApi, collectorApi, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { blogArticle, startTestStack, type TestStack, telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { openAs } from '../support/open-as.js'
import { watchPolicy } from '../support/policy.js'

const ADMIN = 'chief@example.org'
let stack: TestStack
test.beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: ADMIN } })
})
test.afterAll(() => stack?.stop())

/** Every page, with something that it shows once it has what it asked for. */
const PAGES = [
  ['/login', 'Continue'],
  ['/privacy-policy', 'Last updated: June 17, 2025'],
  ['/terms-of-service', 'Last updated: June 17, 2025'],
  ['/setup-username', 'Welcome to Iodine'],
  ['/dashboard/overview', 'Product roadmap'],
  ['/dashboard/data', 'They hide the numbers from us'],
  ['/dashboard/data?source=telegram', 'Share before it is deleted'],
  ['/dashboard/data?source=blog', 'A closer look'],
  ['/dashboard/iods', 'https://example.org/claim'],
  ['/dashboard/narratives', 'Mirrors heat lakes.'],
  ['/dashboard/campaigns', 'Campaigns'],
  ['/dashboard/graph', '2 entities'],
  ['/dashboard/community', 'profile(s) found'],
  ['/dashboard/profile', '@example.org'],
  ['/dashboard/nowhere', 'Page Not Found'],
] as const

for (const [role, email, admin] of [
  ['a member', 'member@example.org', 'Access denied'],
  ['an administrator', ADMIN, 'Beta Code Management'],
] as const)
  test(`no page of ${role} breaks the content security policy, as the page itself hears of it`, async ({
    page,
  }) => {
    test.setTimeout(240_000)
    const { api, token } = await stack.signUp(email)
    for (const [source, record] of [
      ['tiktok', tiktokPost()],
      ['telegram', telegramPost()],
      ['blog', blogArticle()],
    ] as const)
      await api.call(collectorApi.ingestRecords, { params: { source }, body: { records: [record] } })
    const value = 'https://example.org/claim'
    // The second of them finds it there.
    await api.send('POST', iodsApi.createIod.path, {
      value,
      category: 'URL',
      description: 'a link',
      source_type: 'MANUAL',
    })
    await api.call(campaignsApi.createCampaign, { body: { name: 'Lake mirrors' } })
    await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-reader' } })
    await api.call(narrativesApi.createNarrative, { body: { text: 'Mirrors heat lakes.' } })

    const violations = await watchPolicy(page)
    for (const [path, text] of [...PAGES, ['/dashboard/admin', admin] as const]) {
      if (path.startsWith('/dashboard')) await openAs(page, stack.url, token, path)
      else await page.goto(stack.url + path)
      await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
      await page.evaluate(() => localStorage.clear())
    }
    expect(violations).toEqual([])

    // What a script tries and catches is heard of too.
    await page.goto(`${stack.url}/login`)
    await expect(page.getByRole('main').getByText('Continue').first()).toBeVisible()
    // Later, as the test's own script may do anything.
    await page.evaluate(() => {
      setTimeout(() => {
        try {
          Function('')
        } catch {}
      })
    })
    await expect.poll(() => violations.join()).toContain('script-src')
  })
