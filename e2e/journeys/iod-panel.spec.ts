import { campaignsApi, collectorApi, iodsApi, LIMITS, narrativesApi, profileApi } from '@iodine/contracts'
import { tiktokPost } from '@iodine/test-kit'
import { faultsOf } from '../support/faults.js'
import { expect, type Page, test } from '../support/fixtures.js'
import { createIod, newMark, rowOf } from '../support/iods.js'
import { watchPolicy } from '../support/policy.js'

const LIST = '/dashboard/iods'

const panelOf = (page: Page) => page.getByRole('dialog', { name: 'IOD', exact: true })
const part = (page: Page, name: string) => panelOf(page).getByRole('region', { name })
const link = (page: Page, value: string) => rowOf(page, value).getByRole('link', { name: value })

test('a row opens a panel with the votes, campaigns and own occurrences of its IOD', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  const source = `https://${mark}.example.org/post?a=1&b=2`
  const iod = await createIod(ana, { value: `Mirrors of ${mark}`, source, source_type: 'BLOG' })
  const other = await createIod(bo, { value: `${mark} second`, source, category: 'URL' })
  await bo.api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'NEGATIVE' } })
  const campaign = await bo.api.call(campaignsApi.createCampaign, { body: { name: `Campaign ${mark}` } })
  await bo.api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: iod.id } })
  await ana.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: `See MIRRORS OF ${mark} heat lakes` })] },
  })
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-reader' } })
  const narrative = await ana.api.call(narrativesApi.createNarrative, {
    body: { text: `Mirrors of ${mark} heat lakes.` },
  })
  const policy = await watchPolicy(page)
  await openAs(ana, `${LIST}?q=${mark}&sort=votes`)
  await expect(link(page, iod.value)).toBeVisible()
  const listRequests: string[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    const isList =
      pathname.startsWith('/api/v1/iods') && !pathname.endsWith('/comments') && !searchParams.has('source')
    if (isList && request.method() === 'GET') listRequests.push(request.url())
  })

  await test.step('the panel has its own URL, and requests no data that the list has', async () => {
    await link(page, iod.value).click()
    await expect(page).toHaveURL(new RegExp(`${LIST}/${iod.id}\\?q=${mark}&sort=votes$`))
    await expect(panelOf(page)).toBeFocused()
    await expect(page).toHaveTitle(iod.value)
    const votes = part(page, 'Votes')
    await expect(votes.getByRole('listitem')).toHaveText(new RegExp(bo.username))
    await expect(votes.getByRole('link', { name: bo.username })).toHaveAttribute(
      'href',
      /\/dashboard\/community\/profile\/[0-9a-f]{24}$/,
    )
    const profile = page.context().waitForEvent('page')
    await votes.getByRole('link', { name: bo.username }).click({ modifiers: ['ControlOrMeta'] })
    const opened = await profile
    await expect(opened.getByRole('heading', { name: `@${bo.username}` })).toBeVisible()
    await opened.close()
    await votes.getByRole('button', { name: 'Upvote' }).click()
    await expect(page.getByText('Vote enregistré', { exact: true })).toBeVisible()
    await expect(votes.getByRole('listitem')).toHaveCount(2)
    await expect(rowOf(page, iod.value).getByRole('img', { name: '1 positive, 1 negative' })).toBeVisible()
  })

  await test.step('the panel links to campaigns, narratives and graph', async () => {
    await expect(part(page, 'Campaigns').getByRole('link', { name: campaign.name })).toHaveAttribute(
      'href',
      `/dashboard/campaigns/${campaign.id}`,
    )
    const data = part(page, 'In my data')
    await expect(data.getByRole('link', { name: 'Short videos (1)' })).toBeVisible()
    await expect(data.locator('mark')).toHaveText(`MIRRORS OF ${mark}`)
    await expect(part(page, 'In my narratives').getByRole('link')).toHaveAttribute(
      'href',
      new RegExp(`^/dashboard/narratives/${narrative.id}\\?start=0&end=`),
    )
    await expect(part(page, 'In my graph').getByText(/./).first()).toBeVisible()
    const same = part(page, 'Other IODs of this source')
    await expect(same.getByRole('heading')).toHaveText('Other IODs of this source (1)')
    expect(listRequests).toEqual([])
    expect(await faultsOf(page, 'panel')).toEqual([])
    await same.getByRole('link', { name: other.value }).click()
    // The panel of an IOD does not list the IOD itself.
    await expect(same.getByRole('link', { name: other.value })).toHaveCount(0)
    await expect(panelOf(page).getByText(other.value, { exact: true })).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`${LIST}/${other.id}\\?q=${mark}`))
  })

  await test.step('Back and Escape close the panel and return the focus to the row', async () => {
    await page.goBack()
    await expect(panelOf(page)).toHaveCount(0)
    await expect(page).toHaveURL(new RegExp(`${LIST}\\?q=${mark}&sort=votes$`))
    await expect(rowOf(page, other.value)).toBeFocused()
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await expect(panelOf(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panelOf(page)).toHaveCount(0)
    await expect(page.locator('tr:focus')).toContainText(mark)
  })

  await test.step('links lead to the filtered list and to My Data', async () => {
    await link(page, iod.value).click()
    await panelOf(page).getByRole('link', { name: 'Show all IODs of this source' }).click()
    await expect(panelOf(page)).toHaveCount(0)
    await expect(page.getByText(/^Showing 2 of/)).toBeVisible()
    const chip = page.getByRole('button', { name: `Remove filter Source: https://${mark}` })
    await expect(chip).toBeVisible()
    await rowOf(page, other.value).getByRole('link', { name: 'URL' }).click()
    await expect(page.getByText(/^Showing 1 of/)).toBeVisible()
    await chip.click()
    await expect(page).toHaveURL(/\?category=URL&sort=votes$/)
    await page.goto(`${LIST}/${iod.id}`)
    await part(page, 'In my data').getByRole('link', { name: 'Short videos (1)' }).click()
    await expect(page.getByText('1 record contains this text')).toBeVisible()
  })
  expect(policy).toEqual([])
})

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const)
  test(`a value of 10,000 characters scrolls within the panel at ${width} px`, { tag: '@long' }, async ({
    page,
    person,
    openAs,
  }) => {
    await page.setViewportSize({ width, height })
    const ana = await person('ana')
    const value = `${newMark()}${'Spiegel'.repeat(LIMITS.fieldMax)}`.slice(0, LIMITS.fieldMax)
    const iod = await createIod(ana, {
      value,
      description: value,
      source: value.replace(/^/, 'https://a.example/').slice(0, LIMITS.fieldMax),
    })
    await openAs(ana, `${LIST}/${iod.id}`)
    const panel = panelOf(page)
    await expect(panel).toBeVisible()
    await panel.getByRole('button', { name: 'Show all of the value' }).click()
    await expect(part(page, 'Campaigns').getByText('None', { exact: true })).toBeAttached()
    const box = await panel.boundingBox()
    expect(box).toMatchObject(
      width < 600 ? { x: 0, y: 0, width, height } : { x: width - 480, y: 0, width: 480, height },
    )
    const body = panel.getByRole('region', { name: 'About this IOD' })
    expect(
      await body.evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [
        scrollHeight > 2 * clientHeight,
        scrollWidth > clientWidth,
      ]),
    ).toEqual([true, false])
    expect(await faultsOf(page, 'long panel')).toEqual([])
  })
