import AxeBuilder from '@axe-core/playwright'
import { collectorApi, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { blogArticle, startTestStack, type TestStack, telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { openAs } from '../support/open-as.js'

let stack: TestStack
let token: string

test.beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: 'boss@example.org' } })
  const { api, token: own } = await stack.signUp('boss@example.org', 'reader')
  token = own
  for (const [source, record] of [
    ['tiktok', tiktokPost()],
    ['telegram', telegramPost()],
    ['blog', blogArticle()],
  ] as const)
    await api.call(collectorApi.ingestRecords, { params: { source }, body: { records: [record] } })
  const iod = await api.call(iodsApi.createIod, {
    body: {
      value: 'https://example.org/claim',
      category: 'URL',
      description: 'a link',
      source_type: 'MANUAL',
    },
  })
  await api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'POSITIVE' } })
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-reader' } })
  await api.call(narrativesApi.createNarrative, { body: { text: 'Mirrors heat lakes.' } })
})
test.afterAll(() => stack?.stop())

const PAGES = [
  ['/login', 'Continue'],
  ['/privacy-policy', 'Last updated: June 17, 2025'],
  ['/terms-of-service', 'Last updated: June 17, 2025'],
  ['/dashboard/overview', 'Product roadmap'],
  ['/dashboard/data', 'They hide the numbers from us'],
  ['/dashboard/data?source=telegram', 'Share before it is deleted'],
  ['/dashboard/data?source=blog', 'A closer look'],
  ['/dashboard/iods', 'https://example.org/claim'],
  ['/dashboard/narratives', 'Mirrors heat lakes.'],
  ['/dashboard/campaigns', 'Campaigns'],
  ['/dashboard/graph', '2 entities'],
  ['/dashboard/community', '1 profile(s) found'],
  ['/dashboard/profile', 'boss@example.org'],
  ['/dashboard/admin', 'Beta Code Management'],
] as const

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`no page has a serious accessibility fault or scrolls sideways at ${viewport.width} px`, async ({
    page,
  }) => {
    test.setTimeout(240_000)
    await page.setViewportSize(viewport)
    const faults: unknown[] = []
    for (const [path, text] of PAGES) {
      if (path.startsWith('/dashboard')) await openAs(page, stack.url, token, path)
      else await page.goto(stack.url + path)
      await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).analyze()
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          faults.push({ path, id, targets: nodes.map(({ target }) => target.join(' ')) })
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (overflow > 0) faults.push({ path, overflow })
      await page.evaluate(() => localStorage.clear())
    }
    expect(faults).toEqual([])
  })
}
