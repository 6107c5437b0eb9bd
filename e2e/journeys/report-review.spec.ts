import { campaignsApi, capturesApi, evidenceApi, iodsApi, paths } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { type SignedInUser, tiktokPost } from '@iodine/test-kit'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { addPasskey, plugAuthenticator, withoutSuggestions } from '../support/authenticator.js'
import { sealPage } from '../support/captures.js'
import { EVERY_PAGE_SETTINGS } from '../support/every-page.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { readPrinted } from '../support/printed.js'

let app: TestApp
test.beforeAll(async () => {
  app = await startTestApp({
    env: {
      ...EVERY_PAGE_SETTINGS,
      ADMIN_EMAILS: 'boss@example.org',
    },
  })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

const CLAIM = 'https://copy.example/page'

/** Creates an IOD, with a sealed quote for a URL. */
const addIod = async ({ api }: SignedInUser, value: string, category: 'URL' | 'DOMAIN' | 'USERNAME') => {
  const iod = await api.call(iodsApi.createIod, {
    body: { value, category, description: 'seen', source_type: 'MANUAL' },
  })
  if (category !== 'URL') return iod.id
  const text = `Read it at ${value} today`
  const page = { url: 'https://example.org/clip', text, source: 'tiktok', record: tiktokPost() } as const
  const capture_id = await sealPage(api, page)
  await api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: { capture_id, start: 0, end: text.length, exact: text },
  })
  return iod.id
}

/** Creates a campaign with an own URL, an own username, and another member's domain. */
const fillCampaign = async (author: SignedInUser, other: SignedInUser): Promise<string> => {
  const { id } = await author.api.call(campaignsApi.createCampaign, { body: { name: 'Copies of papers' } })
  const iods = [
    await addIod(author, CLAIM, 'URL'),
    await addIod(author, '@copyist', 'USERNAME'),
    await addIod(other, 'other-copy.example', 'DOMAIN'),
  ]
  for (const iod_id of iods) await author.api.call(campaignsApi.addIod, { params: { id }, body: { iod_id } })
  return id
}

/** Opens a page of a new browser window, signed in as an administrator by a passkey. */
const openReviewer = async (browser: Browser): Promise<Page> => {
  const page = await (await browser.newContext()).newPage()
  await withoutSuggestions(page)
  const { touch } = await plugAuthenticator(page)
  const { token } = await app.signUp('boss@example.org', 'the_boss')
  await openAs(page, app.url, token, paths.profile({ tab: 'security' }))
  await touch(() => addPasskey(page, 'Security key'))
  await page.getByRole('button', { name: 'Logout' }).click()
  await touch(async () => {
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page.getByText('@the_boss').first()).toBeVisible()
  })
  return page
}

/** Writes a report of an open campaign and hands it in. */
const writeReport = async (page: Page) => {
  await page.getByRole('tab', { name: 'Reports' }).click()
  await page.getByRole('button', { name: 'New report' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Copies of papers' })).toBeVisible()
  await page.getByLabel('Other names').fill('Mirrors\nDoubles')
  await page.getByLabel('Summary').fill('Pages copy newspapers.')
  await page.getByRole('button', { name: 'Add finding' }).click()
  await page.getByLabel('Finding 1', { exact: true }).fill('Two domains share one owner.')
  await page.getByRole('button', { name: 'Choose exhibits of finding 1' }).click()
  const exhibits = page.getByRole('dialog', { name: 'Choose exhibits' })
  await exhibits.getByRole('checkbox', { name: CLAIM }).check({ force: true })
  await exhibits.getByRole('button', { name: 'Use 1 exhibit' }).click()
  await page.getByRole('textbox', { name: 'Method' }).fill('Collected by hand.')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
}

/** Hands the report of the page in, and waits until it is in review. */
const handIn = async (page: Page) => {
  await page.getByRole('button', { name: 'Hand in for review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hand in' }).click()
  await expect(page.getByText('waits for an administrator other than you')).toBeVisible()
}

/** Publishes the version in review of the page. */
const approve = async (page: Page, version: number) => {
  await page.getByRole('button', { name: 'Approve and publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText(`Published: version ${version}`)).toBeVisible()
}

/** Takes a quoted member's content out of the report, from their notification. */
const takeQuotesOut = async (browser: Browser, { token }: SignedInUser) => {
  const page = await (await browser.newContext()).newPage()
  await openAs(page, app.url, token, paths.overview())
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByRole('link', { name: /quotes your content in a public report/ }).click()
  await page.getByRole('button', { name: 'Take my quotes out of Copies of papers' }).click()
  await page
    .getByRole('dialog', { name: 'Take my quotes out' })
    .getByRole('button', { name: 'Take out' })
    .click()
  await expect(page.getByText('No report in review quotes you')).toBeVisible()
  await page.context().close()
}

/** Verifies a version in the browser, by its downloaded files and the capture of its exhibit. */
const verifyVersion = async (browser: Browser, version: string, { api, token }: SignedInUser) => {
  const page = await (await browser.newContext()).newPage()
  const read = async (path: string, headers = {}) => {
    const answer = await page.request.get(`${app.url}${path}`, { headers })
    expect([path, answer.status()]).toEqual([path, 200])
    return answer.body()
  }
  const [capture] = await api.call(capturesApi.listCaptures, { query: {} })
  const wacz = await read(`/api/v1/captures/${capture?.id}/wacz`, { authorization: `Bearer ${token}` })
  const names = ['manifest.json', 'manifest.json.sig', 'report.json']
  const files = await Promise.all(
    names.map(async name => ({
      name,
      mimeType: 'application/json',
      buffer: await read(`${version}/${name}`),
    })),
  )
  await page.goto(`${app.url}/verify`)
  const choice = page.getByLabel('Files', { exact: true })
  await choice.setInputFiles([...files, { name: 'page.wacz', mimeType: 'application/wacz', buffer: wacz }])
  await expect(page.getByText('Unchanged since it was sealed')).toBeVisible()
  await page.getByText('What was checked').click()
  await expect(page.getByText('page.wacz contains the quotes of E1')).toBeVisible()
  await page.context().close()
}

const frameOf = (page: Page) => page.frameLocator('iframe[title="Page of the report"]')

test('a report is written, reviewed, read by anybody, corrected and withdrawn', async ({ page, browser }) => {
  test.setTimeout(300_000)
  const author = await app.signUp('author@example.org', 'author')
  const other = await app.signUp('quoted@example.org', 'quoted')
  const campaign = await fillCampaign(author, other)

  await openAs(page, app.url, author.token, paths.campaign(campaign))
  await page.getByRole('tab', { name: 'Reports' }).click()
  await page.getByRole('button', { name: 'New report' }).click()
  await expect(page.getByText('Only a TLP:CLEAR campaign can be published')).toBeVisible()
  await author.api.call(campaignsApi.updateSharing, { params: { id: campaign }, body: { tlp: 'clear' } })
  await writeReport(page)

  await page.getByRole('tab', { name: 'Preview' }).click()
  await expect(frameOf(page).getByText('Two domains share one owner.')).toBeVisible()
  // The style sheet of the page is loaded.
  await expect(frameOf(page).locator('.label')).toHaveCSS('color', 'rgb(255, 255, 255)')
  await expect(frameOf(page).getByText('@copyist')).toHaveCount(0)
  await page.getByLabel('Decision on @copyist').selectOption('Asset of the operation')
  await expect(frameOf(page).getByText('@copyist')).toBeVisible()
  await handIn(page)
  await expect(page.getByText('the members it quotes can take their content out')).toBeVisible()

  // The member is the only one whom the report quotes. Without their content it can be approved at once.
  await takeQuotesOut(browser, other)

  const reviewer = await openReviewer(browser)
  await reviewer.getByRole('link', { name: 'Admin' }).click()
  await reviewer.getByRole('tab', { name: 'Reports' }).click()
  await reviewer.getByRole('link', { name: 'Copies of papers' }).click()
  await expect(frameOf(reviewer).getByText('Two domains share one owner.')).toBeVisible()
  await expect(frameOf(reviewer).getByText('other-copy')).toHaveCount(0)
  await expect(reviewer.getByText('Let in: Asset of the operation')).toBeVisible()
  await approve(reviewer, 1)

  const href = await reviewer.getByRole('link', { name: 'Public page' }).getAttribute('href')
  const anybody = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await anybody.goto(`${app.url}${href}`)
  await expect(anybody.getByRole('heading', { level: 1 })).toHaveText('Copies of papers')
  await expect(anybody.getByRole('main')).toContainText('Two domains share one owner.')
  await expect(anybody.getByRole('main')).toContainText('hxxps://copy[.]example/page')
  const printed = await readPrinted(await anybody.pdf({ format: 'A4' }))
  expect(printed.length).toBeGreaterThan(1)
  for (const { head, foot } of printed) {
    expect(head).toBe('TLP:CLEAR')
    expect(foot).toContain('TLP:CLEAR')
  }
  await verifyVersion(browser, `${href}/v1`, author)

  await page.reload()
  await page.getByLabel('What was wrong').fill('The owner was misspelled.')
  await page.getByLabel('Finding 1', { exact: true }).fill('Three domains share one owner.')
  await handIn(page)
  await reviewer.reload()
  await reviewer.getByRole('tab', { name: 'Changes since version 1' }).click()
  await expect(reviewer.getByText(/Added: .*Three domains share one owner/)).toBeVisible()
  await approve(reviewer, 2)
  await anybody.goto(`${app.url}${href}/v1`)
  await anybody.getByRole('link', { name: 'There is a newer version' }).click()
  await expect(anybody.getByRole('main')).toContainText('The owner was misspelled.')

  await page.reload()
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByLabel('Reason').fill('A person was named in error.')
  const withdrawn = page.waitForResponse('**/withdraw')
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await withdrawn
  const answer = await anybody.request.get(`${app.url}${href}`)
  expect(answer.status()).toBe(410)
  expect(await answer.text()).toContain('A person was named in error.')
  await expect(page.getByText('This report is withdrawn')).toBeVisible()
  await Promise.all([anybody.context().close(), reviewer.context().close()])
})
