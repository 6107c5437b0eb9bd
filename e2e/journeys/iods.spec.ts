import { type Iod, iodsApi, type VoteType } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { createIod, newMark, rowOf } from '../support/iods.js'
import { pressEscape } from '../support/press-escape.js'

const LIST = '/dashboard/iods'

const vote = ({ api }: Person, { id }: Iod, vote_type: VoteType) =>
  api.call(iodsApi.voteIod, { params: { id }, body: { vote_type } })

const search = (page: Page) => page.getByPlaceholder('Search by value or description...')
const toast = (page: Page, text: string) => page.getByText(text, { exact: true })
// Blueprint's tooltip has no role. A closing one may coexist with the next: compare all of them.
const tooltip = (page: Page) => page.locator('.bp6-tooltip')
const showing = (page: Page) => page.getByText(/^Showing/)

test('a user starts without IODs and creates some, with validation errors in French', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  // Other journeys may have left IODs.
  await page.route('**/api/v1/iods?*', route => route.fulfill({ json: [] }), { times: 1 })
  await openAs(ana, LIST)
  await expect(page.getByText('No IODs yet')).toBeVisible()
  const open = page.getByRole('button', { name: 'Create IOD' }).first()
  await open.click()

  const dialog = page.getByRole('dialog', { name: 'Create New IOD' })
  const [value, type, description, source, submit] = [
    dialog.getByLabel('Value'),
    dialog.getByLabel('Type'),
    dialog.getByLabel('Description'),
    dialog.getByLabel('Source'),
    dialog.getByRole('button', { name: 'Create IOD' }),
  ]
  await type.selectOption('HASHTAGS')
  await description.fill('   ')
  await submit.click()
  await expect(toast(page, 'Champs manquants')).toBeVisible()
  await expect(toast(page, 'Veuillez remplir tous les champs requis')).toBeVisible()

  const long = `${mark} <img src=x onerror=alert(1)> ${'l'.repeat(10_000)}`.slice(0, 10_000)
  await value.fill(`${long}!`)
  await description.fill('About the sun')
  await source.fill('javascript:alert(1)')
  await submit.click()
  const faults = 'value: must have at most 10000 characters, source: must be an http(s) URL or a plain path'
  await expect(toast(page, faults)).toBeVisible()
  await value.fill(long)
  await source.fill('https://stories.example.org/sun')
  await page.route('**/api/v1/iods', route => route.abort(), { times: 1 })
  await submit.click()
  await expect(toast(page, "Une erreur est survenue lors de la création de l'IOD")).toBeVisible()
  // The form keeps the typed values.
  await submit.click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, mark)).toContainText('HASHTAGS')
  expect((await rowOf(page, mark).boundingBox())?.height).toBe(48)

  await test.step('a duplicate value is rejected and stays in the form', async () => {
    await open.click()
    await value.fill(`\n${long.slice(0, 9_999).toUpperCase()}`)
    await type.selectOption('HASHTAGS')
    await description.fill('Again')
    await submit.click()
    await expect(dialog).toBeHidden()
    await open.click()
    await value.fill(long.toUpperCase())
    await type.selectOption('HASHTAGS')
    await description.fill('Again')
    await submit.click()
    await expect(toast(page, 'This IOD already exists')).toBeVisible()
    await expect(value).toHaveValue(long.toUpperCase())
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // The new row moves the previous one.
    await expect(rowOf(page, mark)).toHaveCount(2)
  })

  await test.step('tooltips truncate long values to 40 characters, details show them completely', async () => {
    const iod = rowOf(page, mark).last()
    await iod.getByText(mark).hover()
    await expect(tooltip(page)).toHaveText([`${long.slice(0, 40)}…`])
    await iod.getByRole('button', { name: 'Details' }).click()
    await expect(page.getByRole('definition').first()).toHaveText(long)
    await expect(page.getByRole('definition').nth(1)).toHaveText('About the sun')
    const link = page.getByRole('button', { name: 'Open in new tab' })
    await expect(link).toHaveAttribute('href', 'https://stories.example.org/sun')
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', /noopener/)
    await pressEscape(page)
    await expect(link).toBeHidden()
  })
})

test('the list can be sorted, and each row marks the searched text', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo, cy] = await Promise.all(['ana', 'bo', 'cy'].map(name => person(name)))
  if (!ana || !bo || !cy) throw new Error('expected three users')
  const mark = newMark()
  const hostile = '<img src=x onerror="document.title=1">'
  const far = 'and so it goes on for many words, '.repeat(10)
  const loved = await createIod(ana, { value: `${mark.toUpperCase()} loved` })
  const disputed = await createIod(ana, { value: `disputed ${far}${mark} at its end` })
  await createIod(ana, { value: 'x'.repeat(400) + mark, description: `also ${mark}` })
  const cafe = await createIod(ana, {
    value: `${'İ'.repeat(300)} described ${mark.slice(0, -1)}`,
    description: `${hostile} ${far}(a+)+ Cafe\u0301 ${mark} ${hostile}`,
  })
  for (const voter of [ana, bo, cy]) await vote(voter, loved, 'POSITIVE')
  await vote(bo, disputed, 'POSITIVE')
  await vote(cy, disputed, 'NEGATIVE')

  await openAs(ana, `${LIST}?q=${mark}`)
  const sort = page.getByRole('combobox', { name: 'Sort' })
  const values = page.locator('tbody tr td:first-child')
  const inView = (text: string) => page.locator('mark', { hasText: text })
  await expect(showing(page)).toHaveText(/^Showing 4 of/)
  await expect(values).toContainText(['described', 'xxxx', 'at its end', 'loved'])
  await expect(sort).toHaveValue('created')

  await test.step('marks are in view, in rows of equal height', async () => {
    await expect(inView(mark)).toHaveText([mark, mark, mark, mark.toUpperCase()])
    await expect(values.nth(0)).toContainText(new RegExp(`….*\\(a\\+\\)\\+ Cafe\u0301 ${mark} <img`))
    await expect(values.nth(1)).toHaveText(`…${'x'.repeat(8)}${mark}`)
    await expect(values.nth(2)).toHaveText(/^…\S.* at its end$/)
    await expect(values.nth(3)).toHaveText(`${mark.toUpperCase()} loved`)
    for (const [width, height, rowHeight] of [
      [390, 844, 188],
      [1440, 900, 48],
    ] as const) {
      await page.setViewportSize({ width, height })
      const places = () =>
        page.locator('tbody tr').evaluateAll(rows =>
          rows.map(row => {
            const mark = row.querySelector('mark')
            const found = mark?.getBoundingClientRect()
            const text = mark?.closest('[dir]')?.getBoundingClientRect()
            const isInside = found && text && found.top >= text.top - 2 && found.bottom <= text.bottom + 2
            return [row.getBoundingClientRect().height, isInside]
          }),
        )
      await expect.poll(places).toEqual(Array.from({ length: 4 }, () => [rowHeight, true]))
      await expect(values.nth(2)).toHaveText(/^…\S.* at its end$/)
    }
    await expect(page.locator('td img')).toHaveCount(0)
  })

  await test.step('search finds and marks any case and Unicode form', async () => {
    await search(page).fill(`(A+)+ CAFÉ ${mark}`)
    await expect(showing(page)).toHaveText(/^Showing 1 of/)
    await expect(page.locator('mark')).toHaveText([`(a+)+ Cafe\u0301 ${mark}`])
    // The previous rows stay until the response of the next search.
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 4 of/)
    await search(page).fill(`i̇ described ${mark.slice(0, -1)}`)
    await expect(showing(page)).toHaveText(/^Showing 1 of/)
    await expect(page.locator('mark')).toHaveText([`İ described ${mark.slice(0, -1)}`])
    await expect(rowOf(page, cafe.value.slice(-25))).toHaveCount(1)
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 4 of/)
  })

  await test.step('the URL, Back, a reload and Clear all keep the order', async () => {
    await sort.selectOption('Most votes')
    await expect(values).toContainText(['loved', 'at its end', 'described', 'xxxx'])
    await expect(page).toHaveURL(new RegExp(`\\?q=${mark}&sort=votes$`))
    await sort.selectOption('Most disputed')
    await expect(values).toContainText(['at its end', 'described', 'xxxx', 'loved'])
    await page.reload()
    await expect(values).toContainText(['at its end', 'described', 'xxxx', 'loved'])
    await expect(sort).toHaveValue('disputed')
    await page.goBack()
    await expect(values).toContainText(['loved', 'at its end', 'described', 'xxxx'])
    await expect(sort).toHaveValue('votes')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect(page).toHaveURL(/\?sort=votes$/)
    await expect(page.locator('mark')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Clear all' })).toBeHidden()
    await sort.selectOption('Newest')
    await expect(page).toHaveURL(new RegExp(`${LIST}\\??$`))
  })
})

for (const [width, height] of [
  [390, 844],
  [800, 700],
  [1280, 720],
] as const)
  test(`toasts do not cover the buttons of a tall dialog at ${width} px`, { tag: '@long' }, async ({
    page,
    person,
    openAs,
  }) => {
    await page.setViewportSize({ width, height })
    await openAs(await person('ana'), LIST)
    await page.getByRole('button', { name: 'Create IOD' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create New IOD' })
    await dialog.getByLabel('Value').fill('long '.repeat(1_000))
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    const shown = page.locator('.bp6-toast').filter({ hasText: 'Champs manquants' })
    // A hovered toast stays.
    await shown.hover()
    const buttons = dialog.locator('.bp6-dialog-footer-actions')
    await expect
      .poll(async () => {
        const [above, below] = [await shown.boundingBox(), await buttons.boundingBox()]
        return above && below && (above.y + above.height <= below.y || above.x + above.width <= below.x)
      })
      .toBe(true)
  })
