import { readFile } from 'node:fs/promises'
import { campaignsApi, type Iod, iodsApi } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { pressEscape } from '../support/press-escape.js'

const LIST = '/dashboard/iods'

let made = 0
/** A word that is in no other IOD. */
const newMark = () => `t${Date.now().toString(36)}x${++made}`

/** Creates IODs with these values, the last one first: the list, newest first, has them in the given order. */
const createAll = async ({ api }: Person, values: string[]): Promise<void> => {
  for (const value of values.toReversed())
    await api.call(iodsApi.createIod, {
      body: { value, category: 'SENTENCE', description: 'Seen often', source_type: 'MANUAL' },
    })
}
const find = async ({ api }: Person, q: string): Promise<Iod[]> =>
  api.call(iodsApi.listIods, { query: { q, limit: 500 } })

const row = (page: Page, value: string) => page.getByRole('row').filter({ hasText: value })
const search = (page: Page) => page.getByPlaceholder('Search by value or description...')
const showing = (page: Page) => page.getByText(/^Showing/)
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const box = (page: Page, value: string) => row(page, value).getByRole('checkbox', { name: 'Select' })
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

test('a campaign of 30 of 300 IODs takes at most 6 clicks', async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  const isWanted = (n: number) => n % 10 === 0
  await createAll(
    ana,
    Array.from({ length: 300 }, (_, n) => `${mark} ${isWanted(n) ? 'lake' : 'hill'} ${n};`),
  )
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 300 of/)

  await test.step('all that match a search, into a new campaign', async () => {
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
    await button(page, 'Create and add 30 IOD(s)').click()
    await expect(page.getByText('Added 30 IOD(s) to the campaign', { exact: true })).toBeVisible()
    expect((await spent()).clicks).toBeLessThanOrEqual(6)
    await expect(page.getByText('30 selected')).toBeHidden()
  })

  await test.step('a range of rows, into a campaign that is there', async () => {
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 300 of/)
    const spent = await countInput(page)
    await box(page, `${mark} hill 1;`).click()
    await page.getByRole('region', { name: 'IODs' }).hover()
    const last = box(page, `${mark} lake 30;`)
    await expect(async () => {
      await page.mouse.wheel(0, 400)
      await expect(last).toBeVisible({ timeout: 500 })
    }).toPass()
    await last.click({ modifiers: ['Shift'] })
    await expect(page.getByText('30 selected')).toBeVisible()
    await button(page, 'Add to campaign').click()
    await page.keyboard.type(mark)
    await page.getByRole('radio', { name: `${mark} lakes` }).click()
    await button(page, 'Add 30 IOD(s)').click()
    await expect(page.getByText('Added 27 IOD(s) to the campaign', { exact: true })).toBeVisible()
    await expect(page.getByText(`“${mark} lakes”. 3 IOD(s) were in it already.`)).toBeVisible()
    expect((await spent()).clicks).toBeLessThanOrEqual(6)
  })

  const [campaign] = await ana.api.call(campaignsApi.listCampaigns, { query: { q: mark } })
  const { iods } = await ana.api.call(campaignsApi.getCampaign, {
    params: { id: campaign?.id ?? '' },
    query: {},
  })
  const numbers = iods.map(({ value }) => Number(value.replace(/^.* (\d+);$/, '$1')))
  const wanted = Array.from({ length: 300 }, (_, n) => n).filter(n => isWanted(n) || (n >= 1 && n <= 30))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(wanted)
  await button(page, 'View').last().click()
  await expect(page).toHaveURL(new RegExp(`/dashboard/campaigns/${campaign?.id}$`))
})

test('votes on 20 IODs take 40 key presses, and make one toast', async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  await createAll(
    bo,
    Array.from({ length: 24 }, (_, n) => `${mark} no ${n};`),
  )
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 24 of/)
  const spent = await countInput(page)
  for (let n = 0; n < 20; n++) {
    await page.keyboard.press('j')
    await page.keyboard.press(n % 4 === 3 ? 'd' : 'u')
  }
  await expect(toasts(page)).toHaveText(['Vote enregistré ×20'])
  expect(await spent()).toEqual({ clicks: 0, keys: 40 })
  await expect(focusedRow(page)).toContainText(`${mark} no 19;`)
  await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
  const voted = (await find(ana, mark)).map(({ value, votes }) => [
    Number(value.replace(/^.* (\d+);$/, '$1')),
    ...votes.map(({ vote_type }) => vote_type),
  ])
  expect(voted.toSorted(([a], [b]) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 24 }, (_, n) => (n < 20 ? [n, n % 4 === 3 ? 'NEGATIVE' : 'POSITIVE'] : [n])),
  )
})

test('each row is one Tab stop, keys act on it, and none acts in a field, with a modifier or below a dialog', async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  await createAll(
    bo,
    Array.from({ length: 60 }, (_, n) => `${mark} no ${n};`),
  )
  let votes = 0
  page.on('request', request => {
    if (request.url().endsWith('/vote')) votes++
  })
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 60 of/)
  const selected = (n: number) => page.getByText(`${n} selected`, { exact: true })
  const { keyboard } = page

  await test.step('one Tab stop, whose buttons the arrow keys reach', async () => {
    await keyboard.press('j')
    await expect(focusedRow(page)).toContainText(`${mark} no 0;`)
    await keyboard.press('ArrowDown')
    await expect(focusedRow(page)).toContainText(`${mark} no 1;`)
    await keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('[aria-label="IODs"]') === null)).toBe(
      true,
    )
    await keyboard.press('Shift+Tab')
    await expect(focusedRow(page)).toContainText(`${mark} no 1;`)
    await keyboard.press('Shift+Tab')
    await expect(button(page, 'Keyboard shortcuts')).toBeFocused()
    await keyboard.press('Tab')
    const names: (string | null)[] = []
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
    await expect(page.getByRole('definition').first()).toHaveText(`${mark} no 1;`)
    await keyboard.press('j')
    await pressEscape(page)
    await expect(page.getByRole('definition')).toHaveCount(0)
    await expect(row(page, `${mark} no 1;`).getByRole('button', { name: 'Details' })).toBeFocused()
    await keyboard.press('ArrowUp')
    await expect(focusedRow(page)).toContainText(`${mark} no 0;`)
  })

  await test.step('X selects, and Escape clears when no overlay is open', async () => {
    await keyboard.press('x')
    await keyboard.press('j')
    await keyboard.press('x')
    await expect(selected(2)).toBeVisible()
    await expect(box(page, `${mark} no 1;`)).toBeChecked()
    await keyboard.press('x')
    await expect(selected(1)).toBeVisible()
    await search(page).fill(`${mark} no 5`)
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
    expect(lines.slice(1).map(line => line.split(',')[1])).toEqual(
      [0, 5, ...Array.from({ length: 10 }, (_, n) => 50 + n)].map(n => `${mark} no ${n};`),
    )
    await row(page, `${mark} no 50;`).click({ position: { x: 400, y: 4 } })
    await keyboard.press('Escape')
    await expect(selected(12)).toBeHidden()
    await expect(button(page, 'Clear selection')).toBeHidden()
  })

  await test.step('fields, modifiers and dialogs keep their keys', async () => {
    await search(page).fill('')
    await search(page).pressSequentially(`${mark} no`)
    await expect(showing(page)).toHaveText(/^Showing 60 of/)
    await keyboard.type('judxcr?')
    await expect(search(page)).toHaveValue(`${mark} nojudxcr?`)
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 60 of/)
    await row(page, `${mark} no 2;`).focus()
    for (const key of ['Control+u', 'Alt+d', 'Control+x', 'Shift+X', 'Meta+j']) await keyboard.press(key)
    await expect(focusedRow(page)).toContainText(`${mark} no 2;`)
    await keyboard.press('?')
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

  await test.step('Enter opens the IOD at its address, C the form, R reads again', async () => {
    await row(page, `${mark} no 3;`).focus()
    await keyboard.press('c')
    await expect(page.getByRole('dialog', { name: 'Create New IOD' })).toBeVisible()
    await pressEscape(page)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await createAll(bo, [`${mark} newcomer`])
    await keyboard.press('r')
    await expect(row(page, `${mark} newcomer`)).toHaveAttribute('aria-rowindex', '2')
    await row(page, `${mark} no 3;`).focus()
    await keyboard.press('u')
    await expect(row(page, `${mark} no 3;`)).toContainText('+1−0')
    await expect(toasts(page)).toHaveText(['Vote enregistré'])
    await keyboard.press('d')
    await expect(page.getByText('You already voted', { exact: true })).toBeVisible()
    await keyboard.press('Enter')
    const [iod] = await find(bo, `${mark} no 3;`)
    await expect(page).toHaveURL(new RegExp(`${LIST}/${iod?.id}\\?q=${mark}$`))
    expect(votes).toBe(1)
  })
})

test('a row that is scrolled away leaves the focus in the list, and keys come back to it', async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const mark = newMark()
  await createAll(
    ana,
    Array.from({ length: 120 }, (_, n) => `${mark} no ${n};`),
  )
  await openAs(ana, `${LIST}?q=${mark}`)
  await expect(showing(page)).toHaveText(/^Showing 120 of/)
  for (let n = 0; n < 60; n++) {
    await page.keyboard.press('j')
    await expect(focusedRow(page)).toHaveAttribute('aria-rowindex', String(n + 2))
    await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
  }
  const frame = page.getByRole('region', { name: 'IODs' })
  await frame.evaluate(element => element.scrollTo(0, 0))
  await expect(page.locator('tr[aria-rowindex="2"]')).toBeInViewport()
  await expect(frame).toBeFocused()
  await page.keyboard.press('k')
  await expect(focusedRow(page)).toHaveAttribute('aria-rowindex', '60')
  await expect(focusedRow(page)).toBeInViewport({ ratio: 1 })
})
