import { adminApi, campaignsApi, type Iod, iodsApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import type { SignedInUser } from '@iodine/test-kit'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { holdRequests } from '../support/hold-requests.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { watchPolicy } from '../support/policy.js'
import { pressEscape } from '../support/press-escape.js'
import { expectFits } from '../support/sizes.js'

const IODS = 130
const LONG = 10_000

let app: TestApp
let boss: SignedInUser
let voters: SignedInUser[]
let campaignId: string
let iods: Iod[]

test.beforeAll(async () => {
  test.setTimeout(240_000)
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org' } })
  boss = await app.signUp('boss@example.org', 'the_boss')
  voters = []
  for (const name of ['ann_of_the_lake_side', 'ben', 'cyd', 'dan', 'eve'])
    voters.push(await app.signUp(`${name}@example.org`, name))
  const [owner] = voters as [SignedInUser]
  iods = []
  for (let n = 0; n < IODS; n++)
    iods.push(
      await owner.api.call(iodsApi.createIod, {
        body: {
          value:
            `claim ${String(n).padStart(3, '0')} ${n === IODS - 2 ? 'x'.repeat(LONG) : 'of mirrors'}`.slice(
              0,
              LONG,
            ),
          category: n % 2 ? 'NARRATIVE_TRIPLET' : 'SENTENCE',
          description: n === IODS - 2 ? 'y'.repeat(LONG) : 'Seen often',
          source_type: 'NARRATIVES',
          source: `https://stories.example.org/${n}/${'long-'.repeat(20)}`,
        },
      }),
    )
  const newest = iods.at(-1) as Iod
  for (const voter of voters)
    await voter.api.call(iodsApi.voteIod, { params: { id: newest.id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await boss.api.call(campaignsApi.createCampaign, { body: { name: 'Lake mirrors' } })
  campaignId = campaign.id
  await boss.api.call(campaignsApi.addIods, {
    params: { id: campaignId },
    body: { iod_ids: iods.slice(-4).map(({ id }) => id) },
  })
  for (const email of [null, `friend.${'of-a-friend-'.repeat(4)}x@example.org`])
    await boss.api.call(adminApi.createBetaCode, { body: { email } })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

const open = (page: Page, path: string) => openAs(page, app.url, boss.token, path)
const row = (page: Page | Locator, text: string) => page.getByRole('row').filter({ hasText: text })
const boxOf = async (of: Locator) => {
  const box = await of.boundingBox()
  if (!box) throw new Error(`${of} is not on the page`)
  return box
}
/** Waits until all rows of the list have this height: after a resize, the layout follows in a later frame. */
const expectHeights = (page: Page, height: number) =>
  expect
    .poll(async () => {
      const found = await page
        .locator('tbody tr[aria-rowindex]')
        .evaluateAll(rows => rows.map(each => Math.round(each.getBoundingClientRect().height)))
      return [...new Set(found)]
    })
    .toEqual([height])

/** Expects a popover to be inside the window, with a single scroll container. */
const expectInWindow = async (page: Page, popover: Locator) => {
  const { width, height } = page.viewportSize() as { width: number; height: number }
  await expect
    .poll(async () => {
      const box = await boxOf(popover)
      // Scaled down while it opens.
      const isOpened = await popover.evaluate(
        each => each.getBoundingClientRect().width === (each as HTMLElement).offsetWidth,
      )
      return (
        isOpened && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
      )
    })
    .toBe(true)
  const frames = await popover.evaluate(
    each =>
      [each, ...each.querySelectorAll('*')].filter(
        part =>
          part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY),
      ).length,
  )
  expect(frames).toBeLessThan(2)
}

test('rows are 48 px high, and the value has most of the width', { tag: '@long' }, async ({ page }) => {
  await open(page, '/dashboard/iods')
  const table = page.getByRole('table')
  await expect(row(page, 'claim 129')).toBeVisible()
  await expectHeights(page, 48)
  const value = await boxOf(page.getByRole('columnheader', { name: 'Value' }))
  expect(value.width / (await boxOf(table)).width).toBeGreaterThan(0.45)
  const voted = row(page, 'claim 129').getByRole('img', { name: /^Voted: / })
  await expect(voted).toHaveAccessibleName('Voted: ann_of_the_lake_side, ben, cyd and 2 more')
  await expect(voted).toHaveText('ANBECY+2')
  const cell = await boxOf(row(page, 'claim 129').getByRole('cell').nth(3))
  const drawn = await boxOf(voted)
  expect(drawn.x + drawn.width).toBeLessThanOrEqual(cell.x + cell.width)

  for (const size of [
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
    { width: 844, height: 390 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    await expectHeights(page, size.width < 900 ? 188 : 48)
    const button = row(page, 'claim 128').getByRole('button', { name: 'Details' })
    // Centred in the window, where a popover has the least space.
    await button.evaluate(each => each.scrollIntoView({ block: 'center' }))
    await button.click()
    const details = page.locator('.bp6-popover-content').filter({ hasText: 'Description' })
    await expect(details.getByRole('definition').first()).toHaveText((iods.at(-2) as Iod).value)
    await expectInWindow(page, details)
    await pressEscape(page)
    await expect(details).toBeHidden()
  }
})

test('a narrow window shows rows as cards with all fields', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const violations = await watchPolicy(page)
  await open(page, '/dashboard/iods')
  const card = row(page, 'claim 127')
  await expect(card).toBeVisible()

  await test.step('cards are in view without horizontal scrolling', async () => {
    for (const value of ['claim 129', 'claim 128', 'claim 127']) {
      const each = row(page, value)
      await each.scrollIntoViewIfNeeded()
      const cells = each.getByRole('cell')
      await expect(cells).toHaveCount(7)
      const box = await boxOf(each)
      for (let n = 0; n < 7; n++) {
        const cell = await boxOf(cells.nth(n))
        expect(cell.x).toBeGreaterThanOrEqual(box.x)
        expect(cell.x + cell.width).toBeLessThanOrEqual(box.x + box.width)
        expect(cell.y + cell.height).toBeLessThanOrEqual(box.y + box.height)
      }
      expect(box.x + box.width).toBeLessThanOrEqual(390)
      for (const button of await each.getByRole('button').all()) {
        const { width, height } = await boxOf(button)
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(40)
      }
    }
    await expectHeights(page, 188)
    await expectFits(page)
  })

  await test.step('assistive technology gets a table', async () => {
    const client = await page.context().newCDPSession(page)
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const named = (role: string) =>
      nodes.filter(node => !node.ignored && node.role?.value === role).map(node => node.name?.value)
    expect(named('table')).toHaveLength(1)
    expect(named('columnheader')).toEqual([
      'Value',
      'Category',
      'Source',
      'Votes',
      'Created By',
      'Activity',
      'Actions',
    ])
    expect(named('cell').length).toBe(7 * (named('row').length - 1))
  })

  await test.step('a card accepts votes', async () => {
    await card.getByRole('button', { name: 'Upvote' }).click()
    const voteToast = page.locator('.bp6-toast', { hasText: 'Vote enregistré' })
    await expect(voteToast).toBeVisible()
    await expect(card).toContainText('+1−0')
    await expect(card.getByRole('button', { name: 'Upvote' })).toHaveAttribute('aria-pressed', 'true')
    // The toast covers the buttons of the lowest card, and stays while it is hovered.
    await page.mouse.move(1, 1)
    await expect(voteToast).toBeHidden()
    await card.getByRole('button', { name: 'Activity: 1 vote' }).click()
    const activity = page.getByRole('region', { name: 'Activity' })
    await expectInWindow(page, activity)
    await pressEscape(page)
    await expect(activity).toBeHidden()
  })

  await test.step('scrolling reaches all cards, and the top row stays when the window widens', async () => {
    await page.getByRole('region', { name: 'IODs', exact: true }).focus()
    await expect(async () => {
      await page.keyboard.press('End')
      await expect(row(page, 'claim 000')).toBeVisible({ timeout: 500 })
    }).toPass()
    await page.setViewportSize({ width: 1440, height: 900 })
    await expectHeights(page, 48)
    await expect(row(page, 'claim 000')).toBeVisible()
  })

  await test.step('scrolling writes the page to the URL, a reload shows its first row', async () => {
    await expect(page).toHaveURL(/\?page=3$/)
    await page.reload()
    const first = page.locator('tr[aria-rowindex="102"]')
    await expect(first).toBeInViewport({ ratio: 1 })
    await expect(first).toContainText('claim 029')
    // The header, which stays in view, ends where the row begins.
    const header = page.getByRole('columnheader', { name: 'Value' })
    await expect
      .poll(async () => {
        const [above, below] = [await boxOf(header), await boxOf(first)]
        return Math.abs(below.y - above.y - above.height)
      })
      .toBeLessThan(1)
    await expect(page).toHaveURL(/\?page=3$/)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.locator('tr[aria-rowindex="2"]')).toBeInViewport()
    await expect(page).not.toHaveURL(/page=/)
  })
  expect(violations).toEqual([])
})

test('a narrow window shows campaign members and beta codes as cards', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, `/dashboard/campaigns/${campaignId}`)
  const detail = page.getByRole('dialog', { name: 'Lake mirrors' })
  const members = detail.locator('tbody').getByRole('row')
  await expect(members).toHaveCount(4)
  await expectFits(page)
  const member = row(detail, 'claim 128')
  await member.getByRole('button', { name: 'View details' }).click()
  const dialog = page.getByRole('dialog', { name: 'IOD Details' })
  await expect(dialog.getByText('y'.repeat(LONG))).toBeVisible()
  await dialog.getByText('Close', { exact: true }).click()
  await expect(dialog).toBeHidden()
  // The pointer may hover the bin, which takes the position of the dialog's button.
  await page.mouse.move(0, 0)
  const bin = member.getByRole('button', { name: 'Remove from campaign' })
  const colour = () => bin.locator('svg').evaluate(icon => getComputedStyle(icon).fill)
  const grey = await member
    .getByRole('button', { name: 'View details' })
    .locator('svg')
    .evaluate(icon => getComputedStyle(icon).fill)
  await expect.poll(colour).toBe(grey)
  await bin.hover()
  await expect.poll(colour).not.toBe(grey)
  await bin.click()
  await expect(page.getByText('IOD removed from campaign')).toBeVisible()
  await expect(members).toHaveCount(3)

  await open(page, '/dashboard/admin')
  const codes = page.getByRole('table').locator('tbody').getByRole('row')
  await expect(codes).toHaveCount(2)
  await expectFits(page)
  for (const code of await codes.all()) {
    const { x, width } = await boxOf(code)
    expect(x + width).toBeLessThanOrEqual(390)
    for (const cell of await code.getByRole('cell').all())
      expect((await boxOf(cell)).width).toBeLessThan(width / 2)
  }
  const shown = await codes
    .getByRole('cell')
    .filter({ hasText: /^[0-9A-Z]{5}-/ })
    .allTextContents()
  expect(new Set(shown).size).toBe(2)
})

test('loading rows show placeholders, and Refresh without a network shows an error', {
  tag: '@long',
}, async ({ page, context }) => {
  for (const [api, path, shown] of [
    ['**/api/v1/campaigns', '/dashboard/campaigns', 'Lake mirrors'],
    [`**/api/v1/campaigns/${campaignId}*`, `/dashboard/campaigns/${campaignId}`, 'claim 129'],
    ['**/api/v1/admin/beta-codes', '/dashboard/admin', 'Available'],
    ['**/api/v1/iods?*', '/dashboard/iods', 'claim 129'],
  ] as const) {
    const release = await holdRequests(page, api)
    await open(page, path)
    const blank = page.locator('.bp6-skeleton')
    await expect(blank.first()).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toHaveCount(1)
    release()
    await expect(page.getByText(shown).first()).toBeVisible()
    await expect(blank).toHaveCount(0)
  }

  await context.setOffline(true)
  await page.getByRole('button', { name: 'Refresh' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Error loading data' })
  await expect(alert).toContainText('You are offline. Check your connection, then try again.')
  await expect(row(page, 'claim 129')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refresh' })).toBeEnabled()
  await context.setOffline(false)
  // The list reloads once the network is back.
  await expect(alert).toBeHidden()
  await expect(row(page, 'claim 129')).toBeVisible()
})

test('a user selects IODs by search, range and all at once, and no key loses the selection', {
  tag: '@long',
}, async ({ page }) => {
  // Positions are measured immediately: dialogs must open without an animation.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const { id } = await boss.api.call(campaignsApi.createCampaign, { body: { name: 'Picked' } })
  await open(page, `/dashboard/campaigns/${id}`)
  await page.getByRole('button', { name: 'Add First IOD' }).click()
  const adding = page.getByRole('dialog', { name: 'Add IODs to Campaign' })
  const search = adding.getByPlaceholder('Search IODs...')
  await expect(search).toBeFocused()
  const list = adding.getByRole('list', { name: 'Available IODs' })
  const box = (n: number) => list.getByRole('checkbox', { name: `claim ${n} ` })
  await expect(box(129)).toBeVisible()
  await expect(adding.getByRole('button', { name: `Select all ${IODS} matching` })).toBeEnabled()

  await test.step('the first selection moves no element, at any width', async () => {
    for (const size of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size)
      const places = async () => [await boxOf(box(129)), await boxOf(search)]
      const frames = () =>
        page.evaluate(async () => {
          for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame)
        })
      let before = await places()
      // After a resize, the layout follows in a later frame.
      await expect(async () => {
        await frames()
        const last = before
        before = await places()
        expect(before).toEqual(last)
      }).toPass()
      await box(129).check()
      await expect(adding.getByText('1 IOD(s) selected to add')).toBeVisible()
      expect(await places()).toEqual(before)
      await adding.getByRole('button', { name: 'Clear selection' }).click()
      await expect(box(129)).not.toBeChecked()
      expect(await places()).toEqual(before)
    }
  })

  await test.step('Shift selects a range in either direction, and clears one', async () => {
    await box(128).click()
    await box(125).click({ modifiers: ['Shift'] })
    await expect(adding.getByText('4 IOD(s) selected to add')).toBeVisible()
    for (const n of [128, 127, 126, 125]) await expect(box(n)).toBeChecked()
    await box(127).click()
    await box(126).click({ modifiers: ['Shift'] })
    await expect(adding.getByText('2 IOD(s) selected to add')).toBeVisible()
    await expect(box(125)).toBeChecked()
    await expect(box(126)).not.toBeChecked()
  })

  await test.step('Escape and the close button ask for confirmation', async () => {
    const question = page.getByRole('dialog', { name: 'Discard the selection?' })
    await page.keyboard.press('Escape')
    await expect(question).toContainText('2 IODs are selected but not added yet.')
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(question).toBeHidden()
    await expect(adding.getByText('2 IOD(s) selected to add')).toBeVisible()
    await adding.getByRole('button', { name: 'Close', exact: true }).click()
    await question.getByRole('button', { name: 'Discard selection' }).click()
    await expect(question).toBeHidden()
    await expect(adding).toBeHidden()
    await page.getByRole('button', { name: 'Add First IOD' }).click()
    await expect(search).toBeFocused()
    await expect(adding.getByText('selected to add')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(adding).toBeHidden()
    await page.getByRole('button', { name: 'Add First IOD' }).click()
  })

  await test.step('all matches are added, also unloaded ones', async () => {
    await search.fill('claim 01')
    await adding.getByRole('button', { name: 'Select all 10 matching' }).click()
    await expect(adding.getByText('10 IOD(s) selected to add')).toBeVisible()
    await search.fill('')
    await adding.getByRole('button', { name: `Select all ${IODS} matching` }).click()
    await expect(adding.getByText(`${IODS} IOD(s) selected to add`)).toBeVisible()
    await box(129).click()
    await adding.getByRole('button', { name: `Add ${IODS - 1} IOD(s)` }).click()
    await expect(page.getByText(`Added ${IODS - 1} IOD(s) to the campaign`)).toBeVisible()
    await expect(adding).toBeHidden()
    const campaign = await boss.api.call(campaignsApi.getCampaign, { params: { id } })
    expect(campaign.iods.map(iod => iod.value).sort()).toEqual(
      iods
        .slice(0, -1)
        .map(iod => iod.value)
        .sort(),
    )
  })
})
