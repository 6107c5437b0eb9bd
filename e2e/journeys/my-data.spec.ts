import {
  COLLECTED_SOURCES,
  collectorApi,
  iodsApi,
  type RecordOf,
  SOURCES,
  type Source,
} from '@iodine/contracts'
import { demoRecords } from '@iodine/demo'
import { blogArticle, platformPost, telegramPost, tiktokPost } from '@iodine/test-kit'
import type { Locator } from '@playwright/test'
import { expect, type Page, type Person, readCards, selectWithMouse, test } from '../support/fixtures.js'
import { pressEscape } from '../support/press-escape.js'

const TABS = { tiktok: 'Short videos', telegram: 'Messaging channels', blog: 'Blogs', post: 'Other posts' }

const ingest = async <S extends Source>({ api }: Person, source: S, records: RecordOf[S][]) => {
  const { results } = await api.call(collectorApi.ingestRecords, { params: { source }, body: { records } })
  expect(results.filter(result => 'error' in result)).toEqual([])
  return results.map(result => ('id' in result ? result.id : ''))
}
const createIod = ({ api }: Person, value: string) =>
  api.call(iodsApi.createIod, {
    body: { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })

const cards = (page: Page) => page.getByRole('article')
const toast = (page: Page, text: string) => page.getByText(text, { exact: true })
const tab = (page: Page, source: Source) => page.getByRole('tab', { name: TABS[source] })
const iodDialog = (page: Page) => page.getByRole('dialog', { name: 'Create IOD from Data Field' })
const marks = (card: Locator) => card.locator('mark').allTextContents()

/** Replaces the narrow spaces of times by plain ones. */
const spaced = (text: string) => text.replaceAll('\u202f', ' ')
const dateOf = (time: string | number): string =>
  spaced(new Date(time).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' }))
/** Returns whether a text contains a value; a time may be shown as a date. */
const contains = (text: string, value: string): boolean =>
  text.includes(value) || (/^\d{4}-\d\d-\d\dT/.test(value) && text.includes(dateOf(value)))

/** Returns the values of a record that its card shows, unordered, without collector_metadata and attachment types. */
const shownValues = (value: unknown, key = ''): string[] => {
  if (value === null || value === undefined || value === '') return []
  if (key === 'create_time') return [dateOf(Number(value) * 1_000)]
  if (typeof value === 'number') return [value.toLocaleString('en-US')]
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(each => shownValues(each))
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'collector_metadata' || name === 'type'
      ? []
      : [...(key === 'imageHashes' ? [name] : []), ...shownValues(each, name)],
  )
}

const openMenu = async (card: Locator) => {
  const menu = card.page().getByRole('menu')
  // The menu of another card may still be closing.
  await expect(menu).toHaveCount(0)
  await card.getByRole('button', { name: 'More actions' }).click()
  return menu
}

/** Reserved width of the button for selected text, with its category, in pixels. */
const BUBBLE_WIDTH = 184

test('each source has a tab with its layout, its fields and links to the originals', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const [video, post, article] = [demoRecords.tiktok[0]!, demoRecords.telegram[1]!, demoRecords.blog[0]!]
  const manyImages = demoRecords.blog[1]!
  await openAs(ana, '/dashboard/data')
  await expect(page.getByRole('heading', { name: 'My Data' })).toBeVisible()
  await expect(
    page.getByText('Data collected from your browser extension. Click the add icon on a field'),
  ).toBeVisible()
  await expect(page.getByText('No data collected yet')).toBeVisible()
  for (const source of COLLECTED_SOURCES) await expect(tab(page, source)).toHaveText(`${TABS[source]}0`)
  await expect(page.getByRole('tab')).toHaveCount(COLLECTED_SOURCES.length)

  const [videoId] = await ingest(ana, 'tiktok', [video])
  await ingest(ana, 'telegram', [
    { ...telegramPost(), telegram: { post: { url: 'javascript:alert(1)' } } },
    post,
  ])
  await ingest(ana, 'blog', [
    { ...blogArticle(), metadata: { og_url: 'ftp://old.example/' } },
    manyImages,
    article,
  ])
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(tab(page, 'tiktok')).toHaveText('Short videos1')
  await expect(tab(page, 'telegram')).toHaveText('Messaging channels2')
  await expect(tab(page, 'blog')).toHaveText('Blogs3')

  const expectEveryField = async (card: Locator, record: object) => {
    const values = shownValues(record)
    const missing = async () => {
      const text = spaced((await card.textContent()) ?? '')
      return values.filter(value => !text.includes(value))
    }
    await expect.poll(missing).toEqual([])
    await expect(card.getByRole('button', { name: /^Create IOD from / })).toHaveCount(values.length)
  }
  const expectOriginal = async (card: Locator, url: string | null) => {
    const menu = await openMenu(card)
    await expect(menu.getByRole('menuitem')).toHaveText([
      ...(url ? ['View Original'] : []),
      'Find first appearance',
      'Share with my username',
      'Share anonymously',
      'Delete',
    ])
    const link = menu.getByRole('menuitem', { name: 'View Original' })
    if (url) {
      await expect(link).toHaveAttribute('href', url)
      await expect(link).toHaveAttribute('target', '_blank')
      await expect(link).toHaveAttribute('rel', /noopener/)
    }
    await pressEscape(page)
    await expect(menu).toHaveCount(0)
  }

  await test.step('shows a short video', async () => {
    const card = cards(page).first()
    await expectEveryField(card, video)
    await expect(card.getByRole('heading', { level: 3 })).toHaveText([
      'Video',
      'Author',
      'Stats',
      'Sound',
      'Classification',
    ])
    const footer = card.locator('footer')
    await expect(footer).toContainText('Collected Oct 12, 2026')
    await expect(footer).toContainText('Source: tiktok.com')
    await expect(footer).toContainText(`ID: ${videoId?.slice(0, 8)}`)
    await expectOriginal(card, null)
  })

  await test.step('shows a channel post with its attachments', async () => {
    await tab(page, 'telegram').click()
    const card = cards(page).first()
    await expectEveryField(card, post)
    await expect(card.getByRole('columnheader')).toHaveText(['Type', 'URL', 'SHA-256'])
    const rows = card.getByRole('row')
    await expect(rows).toHaveCount(4)
    await expect(rows.nth(1)).toContainText('document')
    await expect(rows.nth(1).getByRole('button', { name: /^Create IOD from Attachment 1/ })).toHaveCount(2)
    // A record that the collector could not read has no values for an IOD.
    await expect(rows.nth(3)).toHaveText('document——')
    await expect(rows.nth(3).getByRole('button')).toHaveCount(0)
    await expectOriginal(card, post.telegram.post.url)
    await expectOriginal(cards(page).nth(1), null)
    await expect(
      cards(page)
        .nth(1)
        .getByRole('button', { name: /in new tab/ }),
    ).toHaveCount(0)
  })

  await test.step('shows an article with its image hashes', async () => {
    await tab(page, 'blog').click()
    const card = cards(page).first()
    await expectEveryField(card, article)
    await expectOriginal(card, article.metadata.canonical ?? '')
    const list = cards(page).nth(1).getByRole('region', { name: 'Image hashes' }).getByRole('list')
    await expect(list.getByRole('listitem')).toHaveCount(36)
    const { shown, all } = await list.evaluate(({ clientHeight, scrollHeight }) => ({
      shown: clientHeight,
      all: scrollHeight,
    }))
    expect(shown).toBe(400)
    expect(all).toBeGreaterThan(1_000)
    await expectOriginal(cards(page).nth(2), null)
  })

  await test.step('posts of other platforms have a tab once there is one', async () => {
    await expect(tab(page, 'post')).toHaveCount(0)
    const mark = Date.now().toString(36)
    const original = { id: '7', url: 'https://x.com/truth_desk/status/7', author: 'truth_desk' }
    const repost = {
      ...platformPost({ type: 'repost', text: `They say mirrors${mark} heat the lake` }),
      relations: { repost_of: original },
      within: { type: 'group' as const, name: 'Lake watchers' },
    }
    await createIod(ana, `mirrors${mark} heat`)
    await ingest(ana, 'post', [repost])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await tab(page, 'post').click()
    await expect(tab(page, 'post')).toHaveText('Other posts1')
    const card = cards(page).first()
    await expect(card.getByRole('heading', { level: 2 })).toHaveText('Night Desk')
    await expect(card.getByRole('heading', { level: 3 })).toHaveText([
      'Repost',
      'Author',
      'Repost of',
      'In a group',
      'Location',
      'Stats',
      'Pictures and videos',
      'Attachments',
    ])
    for (const text of ['Imported', 'night_desk', 'truth_desk', 'Lake watchers', '4,500'])
      await expect(card.getByText(text, { exact: true })).toBeVisible()
    await expect(async () => expect(await marks(card)).toEqual([`mirrors${mark} heat`])).toPass()
    await expectOriginal(card, repost.post.url ?? null)
    await selectWithMouse(page, 'They say', card)
    await page.getByRole('button', { name: '+ IOD' }).click()
    const dialog = iodDialog(page)
    await dialog.getByLabel('Value').fill(`They say ${mark}`)
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    await expect(toast(page, 'IOD created')).toBeVisible()
    const [iod] = await ana.api.call(iodsApi.listIods, { query: { q: `They say ${mark}` } })
    expect(iod).toMatchObject({ source_type: 'POST', source: repost.post.url })
    await tab(page, 'blog').click()
  })

  await test.step('an original opens in a tab without an opener', async () => {
    await page
      .context()
      .route('https://courier.example/**', route =>
        route.fulfill({ contentType: 'text/html', body: 'there' }),
      )
    const menu = await openMenu(cards(page).first())
    const opened = page.context().waitForEvent('page')
    await menu.getByRole('menuitem', { name: 'View Original' }).click()
    const original = await opened
    await expect(original.getByText('there')).toBeVisible()
    expect(await original.evaluate(() => window.opener)).toBeNull()
    await original.close()
  })
})

test('texts and values show their IODs, and selected text becomes an IOD', async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo] = [await person('ana'), await person('bo')]
  // Values unique to this run: all users share the IODs.
  const t = Date.now().toString(36)
  const text = `Alpha${t} hides beta${t} and gamma${t} today. ALPHA${t} HIDES beta${t} again`
  const alpha = await createIod(bo, `alpha${t} hides beta${t}`)
  await bo.api.call(iodsApi.voteIod, { params: { id: alpha.id }, body: { vote_type: 'POSITIVE' } })
  await createIod(ana, `Hides beta${t} and gamma${t}`)
  await createIod(bo, `WATCH${t}`)
  await ingest(ana, 'tiktok', [
    { ...tiktokPost({ description: text, hashtags: [`watch${t}`, `other${t}`, `third${t}`] }) },
  ])
  await openAs(ana, '/dashboard/data')
  const card = cards(page).first()
  const found = [`Alpha${t} `, `hides beta${t}`, ` and gamma${t}`, `ALPHA${t} HIDES beta${t}`, `watch${t}`]

  await test.step('marks overlapping and repeated IODs in any case; a known value has a badge instead of a button', async () => {
    await expect(async () => expect(await marks(card)).toEqual(found)).toPass()
    await expect(card.locator('mark').nth(1)).toHaveAttribute('title', /IOD: alpha.*\nIOD: Hides beta/s)
    const badge = card.getByTitle('This value is an IOD')
    await expect(badge).toHaveText(['IOD'])
    await expect(badge).toHaveClass(/intent-success/)
    await expect(card.getByRole('button', { name: `Create IOD from Video Hashtags: watch${t}` })).toHaveCount(
      0,
    )
    await expect(card.getByRole('button', { name: `Create IOD from Video Hashtags: other${t}` })).toHaveCount(
      1,
    )
  })

  const floating = page.getByRole('button', { name: '+ IOD' })
  await test.step('the mouse selects across highlights', async () => {
    await expect(floating).toHaveCount(0)
    // From the first character of a link, then from within a link.
    await selectWithMouse(page, `ALPHA${t} HIDES`, card)
    await expect(floating).toBeVisible()
    await selectWithMouse(page, `gamma${t} today. ALPHA${t}`, card)
    await expect(floating).toBeVisible()
    const button = await floating.boundingBox()
    const end = await page.evaluate(() => {
      const lines = window.getSelection()?.getRangeAt(0).getClientRects()
      return lines?.[lines.length - 1]?.toJSON()
    })
    // Next to the end of the selection, shifted left to fit into the card.
    expect(Math.abs((button?.y ?? 0) - end.bottom)).toBeLessThan(24)
    const frame = await card.boundingBox()
    const right = Math.min(end.right, (frame?.x ?? 0) + (frame?.width ?? 0) - BUBBLE_WIDTH)
    expect(Math.abs((button?.x ?? 0) - right)).toBeLessThan(32)
    await floating.click()
    const dialog = iodDialog(page)
    await expect(dialog.getByLabel('Value')).toHaveValue(`gamma${t} today. ALPHA${t}`)
    await expect(dialog.getByLabel('IOD Category')).toHaveValue('SENTENCE')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('the keyboard alone selects text and creates an IOD', async () => {
    await card.getByRole('button', { name: 'Create IOD from Video Description' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Control+Shift+ArrowRight')
    expect(await page.evaluate(() => String(window.getSelection()).trim())).toBe(`and gamma${t}`)
    await expect(floating).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(floating).toBeFocused()
    await page.keyboard.press('Enter')
    const dialog = iodDialog(page)
    await expect(dialog.getByLabel('Value')).toBeFocused()
    await expect(dialog.getByLabel('Value')).toHaveValue(`and gamma${t}`)
    await dialog.getByRole('button', { name: 'Create IOD' }).click()
    await expect(toast(page, 'IOD created')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    const { length } = await ana.api.call(iodsApi.listIods, { query: { q: `and gamma${t}` } })
    expect(length).toBe(2)
  })

  await test.step('the bubble shows the category or an existing IOD; a toast links to the created IOD', async () => {
    const bubble = page.locator('article').locator('span', { has: floating }).last()
    await selectWithMouse(page, `watch${t}`, card)
    await expect(bubble.getByRole('link', { name: 'already an IOD' })).toBeVisible()
    await page.getByRole('heading', { name: 'My Data' }).click()
    await expect(floating).toHaveCount(0)
    // The toast of the previous IOD has the same text and buttons.
    await expect(toast(page, 'IOD created')).toHaveCount(0)
    await selectWithMouse(page, `third${t}`, card)
    await expect(bubble).toContainText('HASHTAGS')
    await floating.click()
    const dialog = iodDialog(page)
    await dialog.getByLabel('Value').press('Control+Enter')
    await expect(toast(page, 'IOD created')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'View', exact: true }).click()
    const [created] = await ana.api.call(iodsApi.listIods, { query: { q: `third${t}` } })
    await expect(page).toHaveURL(new RegExp(`/dashboard/iods/${created?.id}$`))
    await page.goBack()
    await expect(card.locator('mark').first()).toBeVisible()
  })

  await test.step('a click on a highlight opens its IOD; a drag selects text in it', async () => {
    // Known IODs load one by one. Each changes the marks, which ends a selection.
    const [first, second, , ...later] = found
    const shown = [first, second, ' ', `and gamma${t}`, ...later, `third${t}`]
    await expect(async () => expect(await marks(card)).toEqual(shown)).toPass()
    const place = card.locator('mark').filter({ hasText: new RegExp(`^Alpha${t}`) })
    await selectWithMouse(page, `beta${t}`, card)
    await expect(floating).toBeVisible()
    await expect(page).toHaveURL(/\/dashboard\/data/)
    await place.click()
    await expect(page).toHaveURL(/\/dashboard\/iods\/[0-9a-f]{24}$/)
    // One click on the highlight leads to the list of votes.
    const votes = page
      .getByRole('dialog', { name: 'IOD', exact: true })
      .getByRole('region', { name: 'Votes' })
    await expect(votes.getByRole('listitem')).toHaveText(new RegExp(bo.username))
    await page.goBack()
    await expect(card.locator('mark').first()).toBeVisible()
  })

  await test.step('a rejection shows the server’s detail, a failure a generic text; the form keeps its values', async () => {
    await card.getByRole('button', { name: `Create IOD from Video Hashtags: other${t}` }).click()
    const dialog = iodDialog(page)
    const submit = dialog.getByRole('button', { name: 'Create IOD' })
    await expect(dialog.getByLabel('IOD Category')).toHaveValue('HASHTAGS')
    await dialog.getByLabel('Value').fill(`alpha${t} HIDES beta${t}`)
    await dialog.getByLabel('IOD Category').selectOption('SENTENCE')
    await submit.click()
    await expect(toast(page, 'This IOD already exists')).toBeVisible()
    await page.route('**/api/v1/iods', route => route.abort(), { times: 1 })
    await submit.click()
    await expect(toast(page, 'Failed to create IOD')).toBeVisible()
    await expect(dialog.getByLabel('Value')).toHaveValue(`alpha${t} HIDES beta${t}`)
    await dialog.getByLabel('Value').fill('   ')
    await expect(submit).toBeDisabled()
    await dialog.getByLabel('Value').fill(`other${t}`)
    await dialog.getByLabel('IOD Category').selectOption('')
    await expect(submit).toBeDisabled()
    await dialog.getByLabel('IOD Category').selectOption('HASHTAGS')
    await dialog.getByLabel('Description').fill('From a hashtag')
    await submit.click()
    await expect(dialog).toHaveCount(0)
    await expect(card.getByTitle('This value is an IOD')).toHaveCount(3)
    const [iod] = await ana.api.call(iodsApi.listIods, { query: { q: `other${t}` } })
    expect(iod).toMatchObject({ category: 'HASHTAGS', description: 'From a hashtag', source_type: 'TIKTOK' })
  })
})

test('any collected content is readable to the last line and shown as text', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  for (const source of SOURCES) await ingest(ana, source, demoRecords[source] as never)
  await openAs(ana, '/dashboard/data')
  for (const source of SOURCES) {
    await tab(page, source).click()
    const records = demoRecords[source].toReversed()
    await readCards(page, records.length, async (card, position) => {
      const text = spaced((await card.textContent()) ?? '')
      const record = records[position - 1]
      expect(shownValues(record).filter(value => value.trim() && !contains(text, value))).toEqual([])
    })
  }

  await tab(page, 'tiktok').click()
  const fifty = demoRecords.tiktok.find(({ main }) => main.description?.split('\n').length === 50)!
  const position = demoRecords.tiktok.toReversed().indexOf(fifty) + 1
  await readCards(page, position)
  const card = page.locator(`article[aria-posinset="${position}"]`)
  const description = card.locator('[data-iod-path="main.description"]')
  expect(((await description.textContent()) ?? '').split('\n')).toHaveLength(50)
  const { shown, all } = await description.evaluate(({ clientHeight, scrollHeight }) => ({
    shown: clientHeight,
    all: scrollHeight,
  }))
  expect(all).toBeGreaterThan(shown)

  await test.step('the wheel over a long text scrolls the page, and a button expands the text', async () => {
    await description.hover()
    const before = await page.evaluate(() => window.scrollY)
    await page.mouse.wheel(0, 100)
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(before)
    expect(await description.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await card.getByRole('button', { name: 'Show all of Video Description' }).click()
    await expect
      .poll(() => description.evaluate(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight))
      .toBe(0)
    await expect(description).toContainText('50/50 Ask yourself why nobody')
    await card.getByRole('button', { name: 'Show less of Video Description' }).click()
    await expect.poll(() => description.evaluate(({ clientHeight }) => clientHeight)).toBe(shown)
  })
  await description.evaluate(element => element.scrollTo(0, element.scrollHeight))
  await selectWithMouse(page, '50/50 Ask yourself why nobody', card)
  await page.getByRole('button', { name: '+ IOD' }).click()
  await expect(iodDialog(page).getByLabel('Value')).toHaveValue('50/50 Ask yourself why nobody')
})

test('cards fit their content, fold empty fields, and show counts unobtrusively', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const ana = await person('ana')
  const post = tiktokPost({ description: 'short' })
  const bare = { collector_metadata: post.collector_metadata, main: { video_id: '1', description: 'bare' } }
  await ingest(ana, 'tiktok', [post, bare])
  await openAs(ana, '/dashboard/data')
  // A card without its loaded record has no footer.
  await expect(cards(page).filter({ has: page.locator('footer') })).toHaveCount(2)
  const [left, right] = await Promise.all([0, 1].map(async n => (await cards(page).nth(n).boundingBox())!))
  expect(left!.y).toBe(right!.y)
  expect(left!.height).toBeLessThan(right!.height - 100)
  const card = cards(page).first()
  await expect(card.getByText('Created', { exact: true })).toHaveCount(0)
  await card.getByRole('button', { name: '2 empty fields' }).click()
  await expect(card.getByText('Created', { exact: true })).toBeVisible()
  const plus = cards(page).last().getByRole('button', { name: 'Create IOD from Stats Plays' })
  await page.mouse.move(0, 0)
  await expect(plus).toHaveCSS('opacity', '0')
  await plus.focus()
  await expect(plus).toHaveCSS('opacity', '1')
})
