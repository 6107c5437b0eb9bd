import { readFile } from 'node:fs/promises'
import { campaignsApi, type Iod, iodsApi } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { holdRequests } from '../support/hold-requests.js'
import { createIod, newMark, rowOf } from '../support/iods.js'
import { keepToasts } from '../support/keep-toasts.js'
import { pressEscape } from '../support/press-escape.js'

const LIST = '/dashboard/iods'

/** Number of concurrent requests. */
const AT_ONCE = 4

const find = async ({ api }: Person, q: string): Promise<Iod[]> =>
  api.call(iodsApi.listIods, { query: { q, limit: 500 } })

/** Creates IODs with these values, which all contain `mark`. Returns the values in the list's order. */
const createAll = async (who: Person, mark: string, values: string[]): Promise<string[]> => {
  for (let from = 0; from < values.length; from += AT_ONCE)
    await Promise.all(values.slice(from, from + AT_ONCE).map(value => createIod(who, { value })))
  return (await find(who, mark)).map(({ value }) => value)
}
const numbered = (mark: string, count: number) => Array.from({ length: count }, (_, n) => `${mark} no ${n};`)

const search = (page: Page) => page.getByPlaceholder('Search by value or description...')
const showing = (page: Page) => page.getByText(/^Showing/)
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const box = (page: Page, value: string) => rowOf(page, value).getByRole('checkbox', { name: 'Select' })
const toasts = (page: Page) => page.locator('.bp6-toast')
const focusedRow = (page: Page) => page.locator('tr:focus')

/** Counts clicks and key presses from now on. */
const countInput = async (page: Page): Promise<() => Promise<{ clicks: number; keys: number }>> => {
  const counter = await page.evaluateHandle(() => {
    const spent = { clicks: 0, keys: 0 }
    document.addEventListener('pointerdown', () => spent.clicks++, true)
    document.addEventListener('keydown', () => spent.keys++, true)
    return spent
  })
  return () => counter.jsonValue()
}

test('a campaign of 30 of 300 IODs takes at most 6 clicks', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  // Creating 300 IODs takes most of the time.
  test.slow()
  const ana = await person('ana')
  const mark = newMark()
  const listed = await createAll(
    ana,
    mark,
    Array.from({ length: 300 }, (_, n) => `${mark} ${n % 10 === 0 ? 'lake' : 'hill'} ${n};`),
  )
  const lakes = listed.filter(value => value.includes('lake'))
  const range = listed.slice(1, 31)
  const wanted = new Set([...lakes, ...range])
  await keepToasts(page)
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 300 of/)

  await test.step('adds all matches of a search to a new campaign', async () => {
    const spent = await countInput(page)
    await page.keyboard.press('/')
    await page.keyboard.press('End')
    await page.keyboard.type(' lake')
    await expect(showing(page)).toHaveText(/^Showing 30 of/)
    await button(page, 'Select all 30 matching').click()
    await expect(page.getByText('30 selected')).toBeVisible()
    await button(page, 'Add to campaign').click()
    await page.getByRole('tab', { name: 'New campaign' }).click()
    await expect(page.getByLabel('Campaign Name')).toBeFocused()
    await page.keyboard.type(`${mark} lakes`)
    await button(page, 'Create and add 30 IODs').click()
    await expect(page.getByText('Added 30 IOD(s) to the campaign', { exact: true })).toBeVisible()
    expect((await spent()).clicks).toBeLessThanOrEqual(6)
    await expect(page.getByText('30 selected')).toBeHidden()
    await toasts(page).getByRole('button', { name: 'Close' }).click()
    await expect(toasts(page)).toHaveCount(0)
  })

  await test.step('adds a range of rows to an existing campaign', async () => {
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 300 of/)
    const spent = await countInput(page)
    await box(page, range[0] ?? '').click()
    await page.getByRole('region', { name: 'IODs' }).hover()
    const last = box(page, range[29] ?? '')
    await expect(async () => {
      await page.mouse.wheel(0, 400)
      await expect(last).toBeVisible({ timeout: 500 })
    }).toPass()
    await last.click({ modifiers: ['Shift'] })
    await expect(page.getByText('30 selected')).toBeVisible()
    await button(page, 'Add to campaign').click()
    await expect(page.getByPlaceholder('Search campaigns...')).toBeFocused()
    await page.keyboard.type(mark)
    await page.getByRole('radio', { name: `${mark} lakes` }).click()
    await button(page, 'Add 30 IODs').click()
    await expect(
      page.getByText(`Added ${wanted.size - 30} IOD(s) to the campaign`, { exact: true }),
    ).toBeVisible()
    await expect(
      page.getByText(`“${mark} lakes”. ${60 - wanted.size} IODs were already in the campaign.`),
    ).toBeVisible()
    expect((await spent()).clicks).toBeLessThanOrEqual(6)
  })

  await toasts(page).getByRole('button', { name: 'View' }).click()
  const [campaign] = await ana.api.call(campaignsApi.listCampaigns, { query: { q: mark } })
  await expect(page).toHaveURL(new RegExp(`/dashboard/campaigns/${campaign?.id}$`))
  const { iods } = await ana.api.call(campaignsApi.getCampaign, {
    params: { id: campaign?.id ?? '' },
    query: {},
  })
  expect(new Set(iods.map(({ value }) => value))).toEqual(wanted)
})

test('votes on 20 IODs take 40 key presses and show one toast', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  const listed = await createAll(bo, mark, numbered(mark, 24))
  // The toast's count would restart if it disappeared between two votes.
  await keepToasts(page)
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 24 of/)
  const spent = await countInput(page)
  for (let n = 0; n < 20; n++) {
    await page.keyboard.press('j')
    await page.keyboard.press(n % 4 === 3 ? 'd' : 'u')
  }
  await expect(toasts(page)).toHaveText(['Vote enregistré ×20'])
  expect(await spent()).toEqual({ clicks: 0, keys: 40 })
  await expect(focusedRow(page)).toContainText(listed[19] ?? '')
  await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
  const voted = (await find(ana, mark)).map(({ votes }) => votes.map(({ vote_type }) => vote_type))
  expect(voted).toEqual(
    Array.from({ length: 24 }, (_, n) => (n < 20 ? [n % 4 === 3 ? 'NEGATIVE' : 'POSITIVE'] : [])),
  )
})

test('each row is one Tab stop with shortcuts, which are off in fields, with modifiers and below dialogs', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  const listed = await createAll(bo, mark, numbered(mark, 60))
  const at = (index: number) => listed[index] ?? ''
  let votes = 0
  page.on('request', request => {
    if (request.url().endsWith('/vote')) votes++
  })
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 60 of/)
  const selected = (n: number) => page.getByText(`${n} selected`, { exact: true })
  const { keyboard } = page

  await test.step('a row is one Tab stop, and arrow keys reach its buttons', async () => {
    await keyboard.press('j')
    await expect(focusedRow(page)).toContainText(at(0))
    await keyboard.press('ArrowDown')
    await expect(focusedRow(page)).toContainText(at(1))
    await keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('[aria-label="IODs"]') === null)).toBe(
      true,
    )
    await keyboard.press('Shift+Tab')
    await expect(focusedRow(page)).toContainText(at(1))
    await keyboard.press('Shift+Tab')
    await expect(button(page, 'Keyboard shortcuts')).toBeFocused()
    await keyboard.press('Tab')
    const names: string[] = []
    for (;;) {
      await keyboard.press('ArrowRight')
      const name = await page.evaluate(() => {
        const { activeElement } = document
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
      })
      if (name === names.at(-1)) break
      names.push(name)
    }
    for (const name of ['Select', 'Activity: 0 votes', 'Upvote', 'Downvote', 'Details'])
      expect(names).toContain(name)
    await keyboard.press('Enter')
    await expect(page.getByRole('definition').first()).toHaveText(at(1))
    await keyboard.press('j')
    await pressEscape(page)
    await expect(page.getByRole('definition')).toHaveCount(0)
    await expect(rowOf(page, at(1)).getByRole('button', { name: 'Details' })).toBeFocused()
    await keyboard.press('ArrowUp')
    await expect(focusedRow(page)).toContainText(at(0))
  })

  await test.step('X selects, and Escape clears when no overlay is open', async () => {
    await keyboard.press('x')
    await keyboard.press('j')
    await keyboard.press('x')
    await expect(selected(2)).toBeVisible()
    await expect(box(page, at(1))).toBeChecked()
    await keyboard.press('x')
    await expect(selected(1)).toBeVisible()
    await search(page).fill(`${mark} no 1`)
    await expect(showing(page)).toHaveText(/^Showing 11 of/)
    await expect(selected(1)).toBeVisible()
    await button(page, 'Select all 11 matching').click()
    await expect(selected(12)).toBeVisible()
    await button(page, 'Categories').click()
    await pressEscape(page)
    await expect(page.getByRole('group', { name: 'Categories' })).toBeHidden()
    await expect(selected(12)).toBeVisible()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Export')
        .click()
        .then(() => page.getByRole('menuitem', { name: 'CSV' }).click()),
    ])
    expect(download.suggestedFilename()).toMatch(/^iods_\d{4}-\d\d-\d\d\.csv$/)
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(lines[0]).toMatch(/^id,value,category,description,/)
    expect(lines.slice(1).map(line => line.split(',')[1]?.replace(/^"(.*)"$/, '$1'))).toEqual([
      at(0),
      ...listed.filter(value => value.startsWith(`${mark} no 1`)),
    ])
    await page.getByRole('heading', { level: 1 }).click()
    await keyboard.press('Escape')
    await expect(selected(12)).toBeHidden()
    await expect(button(page, 'Clear selection')).toBeHidden()
  })

  await test.step('fields, modifiers and dialogs disable the shortcuts', async () => {
    await search(page).fill('')
    await search(page).pressSequentially(`${mark} no`)
    await expect(showing(page)).toHaveText(/^Showing 60 of/)
    await keyboard.type('judxcr?')
    await expect(search(page)).toHaveValue(`${mark} nojudxcr?`)
    await expect(showing(page)).toHaveText(/^Showing 0 of/)
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 60 of/)
    await rowOf(page, at(2)).focus()
    for (const key of ['Control+u', 'Alt+u', 'Control+x', 'Shift+X', 'Meta+j']) await keyboard.press(key)
    await expect(focusedRow(page)).toContainText(at(2))
    await keyboard.press('Shift+?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['Next row', 'Upvote', 'Downvote', 'Open', 'Create an IOD', 'Refresh'])
      await expect(list.getByText(label, { exact: true }).first()).toBeVisible()
    for (const key of ['u', 'd', 'x', 'c', 'r', 'j']) await keyboard.press(key)
    await pressEscape(page)
    await expect(list).toBeHidden()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(selected(1)).toBeHidden()
    expect(votes).toBe(0)
  })

  await test.step('Enter opens the IOD at its URL, C opens the form, R reloads', async () => {
    await rowOf(page, at(3)).focus()
    await keyboard.press('c')
    await expect(page.getByRole('dialog', { name: 'Create New IOD' })).toBeVisible()
    await pressEscape(page)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await createAll(bo, mark, [`${mark} newcomer`])
    await keyboard.press('r')
    await expect(rowOf(page, `${mark} newcomer`)).toHaveAttribute('aria-rowindex', '2')
    await rowOf(page, at(3)).focus()
    await keyboard.press('u')
    await expect(rowOf(page, at(3))).toContainText('+1−0')
    await expect(toasts(page)).toHaveText(['Vote enregistré'])
    await keyboard.press('d')
    await expect(page.getByText('You already voted', { exact: true })).toBeVisible()
    await keyboard.press('Enter')
    const [iod] = await find(bo, at(3))
    await expect(page).toHaveURL(new RegExp(`${LIST}/${iod?.id}\\?q=${mark}$`))
    expect(votes).toBe(1)
  })
})

test('a focused row that scrolls out of view leaves the focus in the list, and keys return to it', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  await createAll(ana, mark, numbered(mark, 120))
  // Keys are faster than the next page.
  const release = await holdRequests(
    page,
    url => /\/iods\/?$/.test(url.pathname) && url.searchParams.has('cursor'),
  )
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 120 of/)
  for (let n = 0; n < 60; n++) await page.keyboard.press('j')
  await expect(focusedRow(page)).toHaveAttribute('aria-rowindex', '51')
  release()
  await expect(focusedRow(page)).toHaveAttribute('aria-rowindex', '61')
  await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
  const frame = page.getByRole('region', { name: 'IODs' })
  await frame.evaluate(element => element.scrollTo(0, 0))
  await expect(page.locator('tr[aria-rowindex="2"]')).toBeInViewport()
  await expect(frame).toBeFocused()
  await page.keyboard.press('k')
  await expect(focusedRow(page)).toHaveAttribute('aria-rowindex', '60')
  await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
})
