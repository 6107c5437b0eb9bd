import { iodsApi, LIMITS } from '@iodine/contracts'
import { apiClient, tiktokPost } from '@iodine/test-kit'
import { collectPosts, connectCollector, expect, selectWithMouse, signUp, test } from '../support/fixtures.js'

const TEXT = 'Giant mirrors heat the lake. Secret engineers hide the mirrors.'
const TRIPLETS = [
  { subject: 'Giant mirrors', verb: 'heat', object: 'the lake' },
  { subject: 'Secret engineers', verb: 'hide', object: 'Giant mirrors' },
]

test('a user signs in by a mailed link, collects, creates an IOD, votes, extracts triplets and sees their graph', async ({
  page,
  app,
  ai,
}) => {
  const email = `analyst.${Date.now()}@example.org`

  await test.step('the user signs in by the mailed link and chooses a username', async () => {
    await page.goto('/')
    await expect(page).toHaveURL(/\/login$/)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByText('Check your email to sign in')).toBeVisible()
    await page.goto(await app.mailedLink(email))
    await expect(page).toHaveURL(/\/setup-username$/)
    await page.getByLabel('Username').fill('main_analyst')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page).toHaveURL(/\/dashboard\/overview$/)
    await expect(page.getByText('@main_analyst').first()).toBeVisible()
  })

  const token = await page.evaluate(() => localStorage.getItem('access_token'))
  const api = apiClient(app.url, token ?? '')

  await test.step('a post from the collector appears in My data', async () => {
    await page.getByRole('button', { name: 'Generate Code' }).click()
    await expect(page.getByText('Valid for 5 minutes')).toBeVisible()
    const collector = await connectCollector(app, api)
    await collectPosts(collector, [
      tiktokPost({ video_id: '7301', description: 'Secret mirrors heat the lake and nobody says it' }),
    ])
    await page.getByRole('link', { name: 'My data' }).click()
    await expect(page.getByText('Secret mirrors heat the lake and nobody says it')).toBeVisible()
  })

  await test.step('selected text becomes an IOD', async () => {
    await selectWithMouse(page, 'Secret mirrors heat the lake')
    await page.getByRole('button', { name: '+ IOD' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create IOD from Data Field' })
    await expect(dialog.getByLabel('Value')).toHaveValue('Secret mirrors heat the lake')
    await expect(dialog.getByLabel('IOD Category')).toHaveValue('SENTENCE')
    await dialog.getByLabel('Description').fill('Claim of a recurring story')
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.locator('mark', { hasText: 'Secret mirrors heat the lake' })).toBeVisible()
  })

  await test.step('the shared list contains it and accepts one vote per user', async () => {
    await page.getByRole('link', { name: 'IODs' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Secret mirrors heat the lake' })
    await expect(row).toContainText('SENTENCE')
    await row.getByRole('button', { name: 'Upvote' }).click()
    await expect(page.getByText('Vote enregistré')).toBeVisible()
    await expect(row.getByRole('button', { name: 'Upvote' })).toBeDisabled()
    const other = await signUp(app, 'colleague')
    const [iod] = await other.api.call(iodsApi.listIods, { query: { q: 'secret mirrors' } })
    await other.api.call(iodsApi.voteIod, { params: { id: iod?.id ?? '' }, body: { vote_type: 'NEGATIVE' } })
    expect((await other.api.send('POST', `/iods/${iod?.id}/vote`, { vote_type: 'POSITIVE' })).status).toBe(
      409,
    )
  })

  await test.step("a text is analyzed with the user's own key", async () => {
    await page.getByRole('link', { name: 'Narratives' }).click()
    await page.getByLabel('Text (required)').fill(TEXT)
    await page.getByRole('button', { name: 'Extract narratives' }).click()
    await expect(page.getByText('OpenAI key required').first()).toBeVisible()

    await page.getByRole('link', { name: 'Profile', exact: true }).click()
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('textbox', { name: 'API key' }).fill('sk-journey-key')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Configured', { exact: true })).toBeVisible()

    ai.next({ triplets: TRIPLETS })
    await page.getByRole('link', { name: 'Narratives' }).click()
    await page.getByLabel('Text (required)').fill(TEXT)
    await page.getByLabel('Source URL').fill('https://stories.example.org/lake')
    await page.getByRole('button', { name: 'Extract narratives' }).click()
    await expect(page.getByRole('heading', { name: 'Analyzed narratives (1)' })).toBeVisible({
      timeout: LIMITS.extractionWaitMs,
    })
    await expect(page.getByRole('list', { name: 'Triplets' }).getByRole('listitem')).toHaveCount(2)
    const request = ai.requests.at(-1)
    expect(request?.key).toBe('sk-journey-key')
    expect(request?.body.response_format?.json_schema?.strict).toBe(true)
    expect(request?.body.tools).toBeUndefined()
  })

  await test.step('the graph contains its triplets', async () => {
    await page.getByRole('link', { name: 'Graph' }).click()
    const counts = page.getByRole('list', { name: 'Counts' })
    await expect(counts).toContainText('3 entities')
    await expect(counts).toContainText('2 verbs')
    await expect(page.locator('canvas')).toBeVisible()
    await expect(page.locator('canvas')).toHaveAttribute('data-layout', 'settled')
    // Open toasts would cover it.
    await expect(page.getByRole('button', { name: 'Close' })).toHaveCount(0)
    await page.screenshot({ path: test.info().outputPath('graph.png') })
  })
})
