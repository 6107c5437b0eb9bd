import { campaignsApi, collectorApi, iodsApi } from '@iodine/contracts'
import { tiktokPost } from '@iodine/test-kit'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { holdRequests } from '../support/hold-requests.js'
import { watchPolicy } from '../support/policy.js'

const bar = (page: Page) => page.getByRole('combobox', { name: 'Search everything' })
const group = (page: Page, name: string) => page.locator('.bp6-omnibar').getByRole('group', { name })

let made = 0
const newWord = () => `quartz${Date.now().toString(36)}${++made}`

const createIod = ({ api }: Person, value: string) =>
  api.call(iodsApi.createIod, {
    body: { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })

test('Ctrl+K finds entities of all sections by their words', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const word = newWord()
  const iod = await createIod(ana, `The ${word} of the lake`)
  await ana.api.call(campaignsApi.createCampaign, { body: { name: `Wave of ${word}` } })
  const records = [tiktokPost({ description: `${'A long story. '.repeat(40)}Then ${word}.` })]
  await ana.api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records } })
  await openAs(ana, '/dashboard/graph')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  await page.keyboard.press('Control+k')
  await page.keyboard.type(word)
  await expect(group(page, 'IODs').getByRole('option')).toHaveText([new RegExp(`The ${word} of the lake`)])
  await expect(group(page, 'Campaigns').getByRole('option')).toHaveText([new RegExp(`Wave of ${word}`)])
  await expect(group(page, 'My data').getByRole('option')).toHaveText([new RegExp(`^….*Then ${word}.`)])
  await expect(page.locator('mark')).toHaveText([word, word, word])
  await expect(page.getByRole('status').filter({ hasText: '3 results' })).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/dashboard/iods/${iod.id}$`))
  await expect(bar(page)).toBeHidden()

  await test.step('arrow keys select results; opened ones are listed as recent', async () => {
    await page.goto('/dashboard/overview')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.keyboard.press('Control+k')
    await expect(group(page, 'Recent').getByRole('option')).toHaveText([new RegExp(word)])
    await page.keyboard.type(word)
    // Each response resets the selection to the first result.
    for (const name of ['IODs', 'Campaigns', 'My data'])
      await expect(group(page, name).getByRole('option')).toHaveCount(1)
    await page.keyboard.press('ArrowDown')
    await expect(bar(page)).toHaveAttribute(
      'aria-activedescendant',
      (await group(page, 'Campaigns').getByRole('option').getAttribute('id')) ?? '',
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/dashboard/data\\?source=tiktok&q=${word}$`))
  })
})

test('the menu’s search box and the slash key open search, and Escape returns the focus', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const violations = await watchPolicy(page)
  await openAs(ana, '/dashboard/overview')
  const box = page.getByRole('searchbox', { name: 'Search everything' })
  await box.focus()
  await page.keyboard.type('E133')
  await expect(bar(page)).toHaveValue('E133')
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link')).not.toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(bar(page)).toBeHidden()
  await expect(box).toBeFocused()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('profile')
  await expect(group(page, 'Pages').getByRole('option', { name: 'Profile' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/dashboard\/profile$/)
  expect(violations).toEqual([])
})

test('search receives the keys that are typed while its code loads', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const iod = await createIod(ana, newWord())
  await openAs(ana, '/dashboard/iods')
  const row = page.getByRole('row').filter({ hasText: iod.value })
  await row.focus()
  const release = await holdRequests(page, '**/static/js/async/**')
  await page.keyboard.press('Control+k')
  // Shortcuts of the list: vote, vote, create.
  await page.keyboard.type('udc')
  release()
  await expect(bar(page)).toHaveValue('udc')
  await expect(bar(page)).toBeFocused()
  await page.keyboard.type('!')
  await expect(bar(page)).toHaveValue('udc!')
  await expect(page.getByRole('dialog', { name: 'Create New IOD' })).toHaveCount(0)
  const [stored] = await ana.api.call(iodsApi.listIods, { query: { q: iod.value } })
  expect(stored?.votes).toEqual([])
})

test('search tolerates a service that is down, a very long term and hostile text', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const word = newWord()
  const hostile = `${word} <img src=x onerror="document.title='owned'"> \u202e.*$`
  await createIod(ana, hostile)
  await openAs(ana, '/dashboard/overview')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const asked: string[] = []
  page.on('request', request => {
    if (/[?&](q|search)=/.test(request.url())) asked.push(request.url())
  })
  await page.route('**/api/v1/campaigns?*', route => route.fulfill({ status: 503, json: { detail: 'down' } }))
  await page.keyboard.press('Control+k')
  await bar(page).fill(word)
  await expect(group(page, 'Campaigns')).toContainText('Campaigns can’t be searched right now.')
  await expect(group(page, 'IODs').getByRole('option')).toContainText('<img src=x')
  await expect(page).not.toHaveTitle('owned')

  await bar(page).fill('ab')
  await expect(group(page, 'People')).toContainText('Type at least 3 characters.')
  await bar(page).fill('')
  await expect(group(page, 'Pages').getByRole('option').first()).toBeVisible()
  asked.length = 0
  await bar(page).fill('x'.repeat(10_000))
  await expect(page.getByText('At most 100 characters are searched.')).toBeVisible()
  expect(asked).toEqual([])
})
