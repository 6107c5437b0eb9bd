import { type Iod, iodsApi, type VoteType } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { holdRequests } from '../support/hold-requests.js'
import { createIod, newMark, rowOf } from '../support/iods.js'
import { openAs as openPageAs } from '../support/open-as.js'
import { pressEscape } from '../support/press-escape.js'

const LIST = '/dashboard/iods'
const VOTE = '**/api/v1/iods/*/vote'

const vote = ({ api }: Person, { id }: Iod, vote_type: VoteType) =>
  api.call(iodsApi.voteIod, { params: { id }, body: { vote_type } })

const search = (page: Page) => page.getByPlaceholder('Search by value or description...')
const toast = (page: Page, text: string) => page.getByText(text, { exact: true })
// Blueprint's tooltip has no role. One that closes is there beside the next for a moment: all of them are compared.
const tooltip = (page: Page) => page.locator('.bp6-tooltip')
const showing = (page: Page) => page.getByText(/^Showing/)

test('an empty start, then IODs are created, with what is missing or wrong said in French', {
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
  // The typed values are kept.
  await submit.click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, mark)).toContainText('HASHTAGS')
  expect((await rowOf(page, mark).boundingBox())?.height).toBe(48)

  await test.step('the same value once more is refused, and stays in the form', async () => {
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
    // The row of the second one moves the first one's.
    await expect(rowOf(page, mark)).toHaveCount(2)
  })

  await test.step('long values are cut to 40 characters in tooltips, and whole in the details', async () => {
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

test('search, Categories, Sources, chips and the address select the same list, for a colleague too', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  await createIod(ana, { value: `${mark} alpha`, category: 'URL', source_type: 'BLOG', source: 'posts/1' })
  await createIod(ana, { value: `${mark} beta`, category: 'URL' })
  await createIod(ana, { value: 'gamma', category: 'HASH', description: `(a+)+$ [ \\ $ne ${mark}` })
  await openAs(ana, LIST)
  await expect(page.getByRole('columnheader')).toHaveText([
    'Value',
    'Category',
    'Source',
    'Votes',
    'Created By',
    'Activity',
    'Actions',
  ])

  await search(page).fill(mark.toUpperCase())
  await expect(showing(page)).toHaveText(/^Showing 3 of [\d,]+ IODs$/)
  for (const text of ['URL', 'BLOG', 'posts/1'])
    await expect(rowOf(page, `${mark} alpha`).getByText(text, { exact: true })).toBeVisible()
  await expect(rowOf(page, `${mark} alpha`)).toContainText(ana.username)
  await page.getByRole('button', { name: 'Categories' }).click()
  const menu = page.getByRole('group', { name: 'Categories' })
  await expect(menu.getByLabel('All 3')).toBeChecked()
  await menu.getByLabel('URL 2').click()
  await expect(menu.getByLabel('URL 2')).toBeChecked()
  await expect(menu.getByLabel('All 3')).not.toBeChecked()
  await expect(showing(page)).toHaveText(/^Showing 2 of/)
  await menu.getByLabel('HASH 1').click()
  await expect(showing(page)).toHaveText(/^Showing 3 of/)
  await menu.getByLabel('HASH 1').click()
  await pressEscape(page)
  await page.getByRole('button', { name: 'Sources' }).click()
  const sources = page.getByRole('group', { name: 'Sources' })
  await expect(sources.getByLabel('MANUAL 1')).not.toBeChecked()
  await sources.getByLabel('BLOG 1').click()
  await pressEscape(page)
  await expect(showing(page)).toHaveText(/^Showing 1 of/)

  const bo = await person('bo')
  const shared = new URL(page.url())
  const context = await page.context().browser()?.newContext()
  const theirs = (await context?.newPage()) as Page
  await openPageAs(theirs, shared.origin, bo.token, shared.pathname + shared.search)
  await expect(showing(theirs)).toHaveText(/^Showing 1 of/)
  await expect(search(theirs)).toHaveValue(mark.toUpperCase())
  await expect(rowOf(theirs, `${mark} alpha`)).toBeVisible()
  await theirs.getByRole('button', { name: 'Clear all' }).click()
  await expect(search(theirs)).toHaveValue('')
  await expect(theirs).toHaveURL(url => url.search === '')
  await context?.close()

  await page.goBack()
  await expect(showing(page)).toHaveText(/^Showing 2 of/)
  await page.goForward()
  await expect(showing(page)).toHaveText(/^Showing 1 of/)
  await page.getByRole('button', { name: 'Remove filter Source: BLOG' }).click()
  await expect(showing(page)).toHaveText(/^Showing 2 of/)
  await page.getByRole('button', { name: 'Remove filter URL' }).click()
  await expect(showing(page)).toHaveText(/^Showing 3 of/)

  for (const text of ['(a+)+$', '[', '\\', '$ne']) {
    // The rows of a search stay until the next one's are there: these have one that must go.
    await search(page).fill(mark)
    await expect(rowOf(page, `${mark} beta`)).toBeVisible()
    await search(page).fill(text)
    await expect(rowOf(page, `${mark} beta`)).toHaveCount(0)
    await expect(rowOf(page, 'gamma')).toBeVisible()
  }
  await search(page).fill('x'.repeat(10_000))
  await expect(page.getByText('No IODs match these filters')).toBeVisible()
  await expect(showing(page)).toHaveText(/^Showing 0 of/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rowOf(page, `${mark} beta`)).toBeVisible()
})

test('votes show at once, once a person, from several people at the same time', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo, ...others] = await Promise.all(['ana', 'bo', 'cy', 'di', 'ed'].map(name => person(name)))
  if (!ana || !bo) throw new Error('nobody came')
  const mark = newMark()
  const contested = await createIod(bo, { value: `${mark} contested` })
  const stale = await createIod(bo, { value: `${mark} stale` })
  await createIod(bo, { value: `${mark} failing` })
  for (const [n, voter] of others.entries()) await vote(voter, contested, n ? 'POSITIVE' : 'NEGATIVE')

  await openAs(ana, `${LIST}?q=${mark}`)
  const context = await page.context().browser()?.newContext()
  const theirs = (await context?.newPage()) as Page
  await openPageAs(theirs, new URL(page.url()).origin, bo.token, `${LIST}?q=${mark}`)
  const mine = rowOf(page, `${mark} contested`)
  const his = rowOf(theirs, `${mark} contested`)
  await expect(mine).toContainText('+2−1')
  await expect(his).toContainText('+2−1')
  // Each toast shows for three seconds, on one page while the other still waits.
  await Promise.all([
    ...[page, theirs].map(each => toast(each, 'Vote enregistré').waitFor()),
    mine.getByRole('button', { name: 'Upvote' }).click(),
    his.getByRole('button', { name: 'Downvote' }).click(),
  ])
  await context?.close()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(mine).toContainText('+3−2')
  await expect(mine.getByRole('img', { name: / and 2 more$/ })).toContainText('+2')
  await expect(mine.getByRole('img', { name: '3 positive, 2 negative' })).toBeVisible()
  for (const name of ['Upvote', 'Downvote'])
    await expect(mine.getByRole('button', { name, exact: true })).toBeDisabled()
  await expect(mine.getByRole('button', { name: 'Upvote' })).toHaveAttribute('aria-pressed', 'true')
  await expect(mine.getByRole('button', { name: 'Downvote' })).toHaveAttribute('aria-pressed', 'false')
  await mine.getByRole('button', { name: 'Downvote' }).locator('..').hover()
  await expect(tooltip(page)).toHaveText(['You already voted'])

  await mine.getByRole('button', { name: 'Activity: 5 votes' }).click()
  const activity = page.getByRole('region', { name: 'Activity' })
  await expect(activity).toContainText('Positive votes (3)')
  await expect(activity).toContainText('Negative votes (2)')
  await expect(activity).toContainText('CommentsComing Soon')
  for (const { username } of [ana, bo, ...others]) {
    const entry = activity.getByRole('listitem').filter({ hasText: username })
    await expect(entry.getByRole('time')).toHaveText(/\d{4}, \d+:\d\d/)
  }
  await pressEscape(page)

  await test.step('a vote that fails is taken back', async () => {
    await page.route(VOTE, route => route.abort())
    const fail = await holdRequests(page, VOTE)
    const failing = rowOf(page, `${mark} failing`)
    await failing.getByRole('button', { name: 'Upvote' }).click()
    await expect(failing).toContainText('+1−0')
    await expect(failing.getByRole('button', { name: 'Upvote' })).toBeDisabled()
    fail()
    await expect(toast(page, 'Une erreur est survenue lors du vote')).toBeVisible()
    await expect(failing).toContainText('+0−0')
    await expect(failing.getByRole('button', { name: 'Upvote' })).toBeEnabled()
    await page.unroute(VOTE)
  })

  await test.step('one cast in another tab is not doubled, and shows', async () => {
    await vote(ana, stale, 'NEGATIVE')
    const other = rowOf(page, `${mark} stale`)
    await other.getByRole('button', { name: 'Upvote' }).click()
    // The button's tooltip now has the same text.
    await expect(page.locator('.bp6-toast').getByText('You already voted', { exact: true })).toBeVisible()
    await expect(other).toContainText('+0−1')
  })
})

test('a long list is read page by page, told to assistive technology, and linked to at any page', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  // The last page fills a window.
  const total = 190
  for (let n = 0; n < total; n += 5)
    await Promise.all(Array.from({ length: 5 }, (_, m) => createIod(ana, { value: `${mark} no ${n + m};` })))
  const pages: string[] = []
  page.on('request', request => {
    if (/\/iods\?.*limit=/.test(request.url())) pages.push(request.url())
  })

  await openAs(ana, `${LIST}?q=${mark}`)
  const table = page.getByRole('table')
  await expect(table).toHaveAttribute('aria-rowcount', String(total + 1))
  await expect(showing(page)).toHaveText(/^Showing 190 of/)
  const first = page.getByRole('row').nth(1)
  await expect(first).toHaveAttribute('aria-rowindex', '2')
  expect(await page.getByRole('row').count()).toBeLessThan(40)
  expect(pages).toHaveLength(1)

  const frame = page.getByRole('region', { name: 'IODs' })
  await frame.focus()
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(page.locator(`tr[aria-rowindex="${total + 1}"]`)).toBeVisible({ timeout: 500 })
  }).toPass()
  expect(pages).toHaveLength(4)
  await expect(page).toHaveURL(/[?&]page=4$/)

  await page.reload()
  // The fourth page begins with IOD 151, below the table's header.
  await expect(page.locator('tr[aria-rowindex="152"]')).toBeInViewport()
  await expect(page.locator('tr[aria-rowindex="2"]')).toHaveCount(0)
  await createIod(ana, { value: `${mark} newcomer` })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(rowOf(page, `${mark} newcomer`)).toHaveAttribute('aria-rowindex', '2')
  await expect(showing(page)).toHaveText(/^Showing 191 of/)
  await expect(page).not.toHaveURL(/page=/)
})

test('the list is sorted, and each row shows where it has the searched text', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo, cy] = await Promise.all(['ana', 'bo', 'cy'].map(name => person(name)))
  if (!ana || !bo || !cy) throw new Error('nobody came')
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

  await test.step('marks are in view in rows of one height', async () => {
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

  await test.step('any case and Unicode form is found and marked', async () => {
    await search(page).fill(`(A+)+ CAFÉ ${mark}`)
    await expect(showing(page)).toHaveText(/^Showing 1 of/)
    await expect(page.locator('mark')).toHaveText([`(a+)+ Cafe\u0301 ${mark}`])
    // The same row would stay until the next search is answered.
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 4 of/)
    await search(page).fill(`i̇ described ${mark.slice(0, -1)}`)
    await expect(showing(page)).toHaveText(/^Showing 1 of/)
    await expect(page.locator('mark')).toHaveText([`İ described ${mark.slice(0, -1)}`])
    await expect(rowOf(page, cafe.value.slice(-25))).toHaveCount(1)
    await search(page).fill(mark)
    await expect(showing(page)).toHaveText(/^Showing 4 of/)
  })

  await test.step('the order is kept by the address, Back, a reload and Clear all', async () => {
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
  test(
    `toasts leave the buttons of a tall dialog free at ${width} px`,
    width > 390 ? { tag: '@long' } : {},
    async ({ page, person, openAs }) => {
      await page.setViewportSize({ width, height })
      await openAs(await person('ana'), LIST)
      await page.getByRole('button', { name: 'Create IOD' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Create New IOD' })
      await dialog.getByLabel('Value').fill('long '.repeat(1_000))
      await dialog.getByRole('button', { name: 'Create IOD' }).click()
      const shown = page.locator('.bp6-toast').filter({ hasText: 'Champs manquants' })
      // Under the pointer it stays.
      await shown.hover()
      const buttons = dialog.locator('.bp6-dialog-footer-actions')
      await expect
        .poll(async () => {
          const [above, below] = [await shown.boundingBox(), await buttons.boundingBox()]
          return above && below && (above.y + above.height <= below.y || above.x + above.width <= below.x)
        })
        .toBe(true)
    },
  )
