import { DETAILS, graphApi, iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { type AiAnswer, deferred, type SignedInUser } from '@iodine/test-kit'
import { expect, type Page, test } from '@playwright/test'
import { keepLog } from '../support/keep-log.js'
import { keepToasts } from '../support/keep-toasts.js'
import { openAs } from '../support/open-as.js'

/**
 * Replaces the minute after which the service answers that the analysis is still in progress. Long enough for
 * three attempts at a failing provider on a busy machine.
 */
const WAIT_MS = 10_000

let stack: TestStack
let ana: SignedInUser
test.beforeAll(async () => {
  stack = await startTestStack({ env: { EXTRACTION_WAIT_MS: String(WAIT_MS) } })
  ana = await stack.signUp()
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-journey' } })
})
test.afterEach(() => keepLog(test.info(), stack))
test.afterAll(() => stack?.stop())

const open = (page: Page, user: SignedInUser) => openAs(page, stack.url, user.token, '/dashboard/narratives')
const submit = async (page: Page, text: string) => {
  await page.getByLabel('Text (required)').fill(text)
  await page.getByRole('button', { name: 'Extract narratives' }).click()
}
const answered = (page: Page) =>
  page.waitForResponse(
    response => response.request().method() === 'POST' && /\/narratives\/?$/.test(response.url()),
  )
const heading = (page: Page, count: number) =>
  expect(page.getByRole('heading', { name: `Analyzed narratives (${count})` })).toBeVisible()

test('without a key a warning leads to the profile', { tag: '@long' }, async ({ page }) => {
  const bob = await stack.signUp()
  await open(page, bob)
  await submit(page, 'Giant mirrors heat the lake.')
  await expect(page.getByText('OpenAI key required').first()).toBeVisible()
  await expect(page.getByText(DETAILS.missingAiKey).first()).toBeVisible()
  await expect(page.getByLabel('Text (required)')).toHaveValue('Giant mirrors heat the lake.')
  await page.getByRole('link', { name: 'Open my profile' }).click()
  await expect(page).toHaveURL(/\/dashboard\/profile$/)
})

const FAULTS: [AiAnswer, number, string][] = [
  ['unauthorized', 400, 'OpenAI key required'],
  ['rate-limited', 429, DETAILS.providerRateLimit],
  ['failing', 502, DETAILS.providerFailed],
  ['reset', 502, DETAILS.providerFailed],
  ['html', 502, DETAILS.providerFailed],
  ['broken-json', 502, DETAILS.providerFailed],
  ['nonsense', 502, DETAILS.providerFailed],
  ['refusal', 422, DETAILS.providerRefused],
  ['empty', 502, DETAILS.providerFailed],
  ['cut-off', 502, DETAILS.providerFailed],
]

test('each fault of the provider has its status and toast, and the text stays', { tag: '@long' }, async ({
  page,
}) => {
  await keepToasts(page)
  await open(page, ana)
  await heading(page, 0)
  for (const [fault, status, told] of FAULTS) {
    await test.step(String(fault), async () => {
      stack.ai.always(fault)
      const text = `They hide ${String(fault)}.`
      const answer = answered(page)
      await submit(page, text)
      expect((await answer).status()).toBe(status)
      const toasts = page.locator('.bp6-toast')
      await expect(toasts).toHaveCount(1)
      await expect(toasts).toContainText(told)
      await expect(page.getByLabel('Text (required)')).toHaveValue(text)
      // Several faults are told in the same words: the next toast must be a new one.
      await toasts.getByRole('button', { name: 'Close' }).click()
      await expect(toasts).toHaveCount(0)
    })
  }
  await heading(page, 0)
  stack.ai.always('huge')
  await submit(page, 'They hide everything.')
  await expect(page.getByText('200 triplets extracted')).toBeVisible()
})

test('a slow text goes on after its time, through a reload, and appears by itself; a cancelled one never', {
  tag: '@long',
}, async ({ page, browser }) => {
  // The service's wait is a part of it.
  test.slow()
  const eve = await stack.signUp()
  await eve.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-journey' } })
  await open(page, eve)
  const held = deferred()
  stack.ai.always({ after: held.promise, answer: 'simple' })
  let posts = 0
  page.on('request', request => {
    if (request.method() === 'POST' && /\/narratives\/?$/.test(request.url())) posts++
  })
  const late = answered(page)
  await page.getByLabel('Text (required)').fill('Giant mirrors heat lakes.')
  await page.getByRole('button', { name: 'Extract narratives' }).evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  expect((await late).status()).toBe(504)
  expect(posts).toBe(1)
  await expect(page.getByText(DETAILS.stillWorking).first()).toBeVisible()
  await page.reload()
  await expect(page.getByText('Still working. The narrative appears here when it is done.')).toBeVisible()
  held.resolve()
  await expect(page.getByText('1 triplet extracted')).toBeVisible()
  await heading(page, 1)
  expect(await eve.api.call(narrativesApi.listNarratives)).toHaveLength(1)

  stack.ai.always('hang')
  await submit(page, 'Somebody is cancelled here.')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('article', { name: 'Narrative being extracted' })).toHaveCount(0)
  expect(await eve.api.call(narrativesApi.listOpenNarratives)).toEqual([])
  await heading(page, 1)

  await test.step('its triplet becomes an IOD, and is told as one afterwards', async () => {
    await page.getByRole('button', { name: 'Convert to IOD: Giant mirrors heat lakes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Convert to IOD' })
    await expect(dialog.getByLabel('IOD Value')).toHaveValue('Giant mirrors heat lakes')
    await dialog.getByLabel('IOD Value').fill('Mirrors are said to heat lakes')
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    await expect(dialog).toBeHidden()
    await page.reload()
    await expect(page.getByTitle('Already an IOD: Mirrors are said to heat lakes')).toBeVisible()
    const [iod] = await eve.api.call(iodsApi.listIods)
    expect(iod).toMatchObject({ category: 'NARRATIVE_TRIPLET', source_type: 'NARRATIVES' })
    expect(iod?.source_id).toEqual(expect.any(Number))
  })

  await test.step('somebody else, whose value it is already, is told so too', async () => {
    const zoe = await stack.signUp()
    await zoe.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-journey' } })
    stack.ai.always('simple')
    await zoe.api.call(narrativesApi.createNarrative, { body: { text: 'Giant mirrors heat lakes.' } })
    const body = {
      value: 'giant MIRRORS heat lakes',
      category: 'SENTENCE',
      description: '',
      source_type: 'MANUAL',
    } as const
    const known = await zoe.api.call(iodsApi.createIod, { body })
    const other = await (await browser.newContext()).newPage()
    await openAs(other, stack.url, zoe.token, '/dashboard/narratives')
    await expect(other.getByTitle(`Already an IOD: ${known.value}`)).toBeVisible()
    await other.context().close()
  })

  await page.getByRole('button', { name: /^Delete narrative/ }).click()
  await expect(page.getByText('No narratives yet')).toBeVisible()
  expect(await eve.api.call(iodsApi.listIods)).toHaveLength(2)
})

test('a deleted narrative is undone by its toast or in its place; a second click on the spot deletes nothing', {
  tag: '@long',
}, async ({ page }) => {
  const zoe = await stack.signUp()
  await zoe.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-journey' } })
  stack.ai.always('simple')
  const ids: string[] = []
  for (const text of ['The oldest one.', 'The one between.', 'The newest one.'])
    ids.unshift((await zoe.api.call(narrativesApi.createNarrative, { body: { text } })).id)
  const listed = async () => (await zoe.api.call(narrativesApi.listNarratives)).map(({ id }) => id)
  await keepToasts(page)
  await open(page, zoe)
  await heading(page, 3)
  const before = await zoe.api.call(graphApi.getTriplets, { query: { limit: 100 } })
  const bins = page.getByRole('button', { name: /^Delete narrative/ })
  const places = page.getByRole('group', { name: 'Deleted narrative' })

  await test.step('twice on the same spot', async () => {
    await bins.first().scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await bins.first().boundingBox())!
    const spot = [x + width / 2, y + height / 2] as const
    await page.mouse.click(...spot)
    await heading(page, 2)
    await page.mouse.click(...spot)
    await page.mouse.click(...spot)
    await expect(places).toHaveCount(1)
    expect(await listed()).toEqual(ids.slice(1))
    await expect(bins).toHaveCount(2)
  })

  await test.step('the place goes once the mouse leaves it', async () => {
    await page.mouse.move(5, 5)
    await expect(places).toHaveCount(0)
    await expect(page.getByText('The one between.')).toBeVisible()
  })

  await test.step('of two, one is undone by its toast', async () => {
    await bins.first().click()
    await heading(page, 1)
    const undo = page.locator('.bp6-toast').getByRole('button', { name: 'Undo' })
    await expect(undo).toHaveCount(2)
    // The newest toast comes first.
    await undo.last().click()
    await expect(undo).toHaveCount(1)
    await heading(page, 2)
    // The place of the other.
    await page.mouse.move(5, 5)
    await expect(places).toHaveCount(0)
    await expect(page.getByText('The newest one.')).toBeVisible()
    expect(await listed()).toEqual([ids[0], ids[2]])
  })

  await test.step('and the other by the keyboard, in its place', async () => {
    await page
      .getByRole('button', { name: /^Delete narrative/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await expect(places.getByRole('button', { name: 'Undo' })).toBeFocused()
    await page.keyboard.press('Enter')
    await heading(page, 2)
    await expect(places).toHaveCount(0)
    await expect(page.getByText('The newest one.')).toBeVisible()
    await zoe.api.call(narrativesApi.restoreNarrative, { params: { id: ids[1] ?? '' } })
    expect(await zoe.api.call(graphApi.getTriplets, { query: { limit: 100 } })).toEqual(before)
  })
})
