import { campaignsApi, type Iod, iodsApi } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'
import { holdRequests } from '../support/hold-requests.js'
import { pressEscape } from '../support/press-escape.js'

const DELETE_QUESTION = 'Are you sure you want to delete this campaign? This action cannot be undone.'

let made = 0
/** Creates IODs with values that are unique in this run. */
const createIods = async ({ api }: Person, count: number, prefix = 'Mirror'): Promise<Iod[]> => {
  const iods: Iod[] = []
  for (let index = 0; index < count; index++) {
    const value = `${prefix} claim ${Date.now().toString(36)}-${++made}`
    const category = index % 2 ? 'KEYWORDS' : 'SENTENCE'
    const body = { value, category, description: 'Seen often', source_type: 'MANUAL' } as const
    iods.push(await api.call(iodsApi.createIod, { body }))
  }
  return iods
}

const createCampaign = async ({ api }: Person, name: string, members: Iod[] = []) => {
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name, description: 'Of a lake' } })
  for (const { id } of members)
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: id } })
  return campaign
}

const card = (page: Page, name: string) => page.getByRole('article', { name })
/** Locates a text in a toast: the page may contain the same text. */
const toast = (page: Page, text: string) => page.locator('.bp6-toast').getByText(text, { exact: true })

test('a user starts without campaigns, then creates, searches, edits and deletes one', async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  // Other journeys may have left campaigns.
  await page.route('**/api/v1/campaigns', route => route.fulfill({ json: [] }), { times: 1 })
  await openAs(ana, '/dashboard/campaigns')
  await expect(page.getByRole('heading', { name: 'Campaigns', exact: true })).toBeVisible()
  await expect(page.getByText('Organize and manage your IOD collections')).toBeVisible()
  await expect(page.getByText('No campaigns available yet')).toBeVisible()
  await expect(page.getByText('Be the first to create a campaign!')).toBeVisible()
  await page.getByRole('tab', { name: 'My Campaigns' }).click()
  await expect(page.getByText("You haven't created any campaigns yet")).toBeVisible()

  await page.getByRole('button', { name: 'Create Your First Campaign' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create New Campaign' })
  await dialog.getByLabel('Campaign Name').fill('   ')
  await dialog.getByRole('button', { name: 'Create Campaign' }).click()
  await expect(toast(page, 'Missing information')).toBeVisible()
  await expect(toast(page, 'Campaign name is required')).toBeVisible()
  await dialog.getByLabel('Campaign Name').fill('Lake mirrors')
  await dialog.getByLabel('Description').fill('Who heats the lake?')
  await dialog.getByRole('button', { name: 'Create Campaign' }).click()
  await expect(toast(page, 'Campaign created successfully')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(card(page, 'Lake mirrors')).toContainText('0 IODs')
  await expect(card(page, 'Lake mirrors')).toContainText(`Created by ${ana.username}`)
  await expect(page.getByRole('tab', { name: 'My Campaigns' })).toContainText('1')

  const search = page.getByPlaceholder('Search campaigns...')
  await search.fill('nothing like it')
  await expect(page.getByText('No campaigns found matching your search')).toBeVisible()
  await search.fill('HEATS')
  await expect(card(page, 'Lake mirrors')).toBeVisible()
  await search.fill('')

  await card(page, 'Lake mirrors').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit Campaign' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Campaign' })
  await expect(edit.getByLabel('Description')).toHaveValue('Who heats the lake?')
  await edit.getByLabel('Campaign Name').fill('Lake story')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  await expect(toast(page, 'Campaign updated successfully')).toBeVisible()

  const asked: string[] = []
  let answer = false
  page.on('dialog', async question => {
    asked.push(question.message())
    await (answer ? question.accept() : question.dismiss())
  })
  const askToDelete = async () => {
    await card(page, 'Lake story').getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete Campaign' }).click()
  }
  await askToDelete()
  await expect(card(page, 'Lake story')).toBeVisible()
  answer = true
  await askToDelete()
  await expect(toast(page, 'Campaign deleted successfully')).toBeVisible()
  await expect(card(page, 'Lake story')).toBeHidden()
  expect(asked).toEqual([DELETE_QUESTION, DELETE_QUESTION])
})

test('a user adds IODs with progress, opens, searches and removes them', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const iods = await createIods(ana, 12)
  const [first, second] = iods as [Iod, Iod]
  await ana.api.call(iodsApi.voteIod, { params: { id: first.id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await createCampaign(ana, 'Members of a lake')

  await openAs(ana, '/dashboard/campaigns')
  await card(page, 'Members of a lake').getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`/dashboard/campaigns/${campaign.id}$`))
  const detail = page.getByRole('dialog', { name: 'Members of a lake' })
  await expect(detail.getByText('No IODs in this campaign yet')).toBeVisible()
  await detail.getByRole('button', { name: 'Add First IOD' }).click()

  const adding = page.getByRole('dialog', { name: 'Add IODs to Campaign' })
  await adding.getByPlaceholder('Search IODs...').fill(first.value.slice(0, -3))
  await expect(adding.getByRole('button', { name: 'Add 0 IOD(s)' })).toBeDisabled()
  await adding.getByRole('button', { name: 'Categories' }).click()
  await page.getByRole('group', { name: 'Categories' }).getByLabel('KEYWORDS').check()
  await expect(adding.getByRole('listitem').filter({ hasText: first.value })).toHaveCount(0)
  await page.getByRole('group', { name: 'Categories' }).getByLabel('All').check()
  await pressEscape(page)
  await adding.getByPlaceholder('Search IODs...').fill('Mirror claim')
  for (const { value, description } of iods) {
    await adding.getByPlaceholder('Search IODs...').fill(value)
    await adding.getByRole('checkbox', { name: `${value} ${description}` }).check()
  }
  await expect(adding.getByText('12 IOD(s) selected to add')).toBeVisible()
  const calls: string[] = []
  page.on('request', request => {
    if (request.url().endsWith('/add-iod')) calls.push(request.postDataJSON().iod_id)
  })
  const release = await holdRequests(page, '**/add-iod')
  await adding.getByRole('button', { name: 'Add 12 IOD(s)' }).click()
  await expect(adding.getByRole('progressbar', { name: 'IODs added' })).toBeVisible()
  release()
  await expect(toast(page, 'Added 12 IOD(s) to the campaign')).toBeVisible()
  await expect(adding).toBeHidden()
  expect(calls).toEqual(iods.map(({ id }) => id))

  const statistics = detail.getByRole('region', { name: 'Statistics' })
  const undo = page.getByRole('button', { name: 'Undo' })
  await expect(statistics).toContainText('Total IODs12')
  await expect(statistics).toContainText('Total Votes1')
  await expect(detail.getByRole('region', { name: 'Categories' })).toContainText('KEYWORDS6')

  const row = detail.getByRole('row').filter({ hasText: first.value })
  await row.getByRole('button', { name: 'View details' }).click()
  const iodDialog = page.getByRole('dialog', { name: 'IOD Details' })
  await expect(iodDialog.getByText('Positive: 1')).toBeVisible()
  await expect(iodDialog.getByRole('row').filter({ hasText: ana.username })).toContainText('Positive')
  await expect(iodDialog.getByText('No comments yet')).toBeVisible()
  await iodDialog.getByText('Close', { exact: true }).click()
  await expect(iodDialog).toBeHidden()

  await test.step('rows after a removed one keep their position until the pointer moves', async () => {
    const bin = detail.getByRole('button', { name: 'Remove from campaign' }).first()
    const { x, y, width, height } = (await bin.boundingBox())!
    const spot = [x + width / 2, y + height / 2] as const
    await page.mouse.click(...spot)
    await expect(statistics).toContainText('Total IODs11')
    await page.mouse.click(...spot)
    await page.mouse.click(...spot)
    await expect(detail.getByText('Removed', { exact: true })).toBeVisible()
    await expect(statistics).toContainText('Total IODs11')
    await page.mouse.move(5, 5)
    await expect(detail.getByText('Removed', { exact: true })).toBeHidden()
    calls.length = 0
    await undo.dblclick()
    await expect(statistics).toContainText('Total IODs12')
    // Each removal has a separate toast, which fades out.
    await expect(undo).toHaveCount(0)
    expect(calls).toHaveLength(1)
  })

  await detail.getByPlaceholder('Search by value or category...').fill(second.value)
  await expect(detail.getByRole('button', { name: 'Remove from campaign' })).toHaveCount(1)
  const found = detail.getByRole('row').filter({ hasText: second.value })
  await found.getByRole('button', { name: 'Remove from campaign' }).click()
  await expect(toast(page, 'IOD removed from campaign')).toBeVisible()
  await expect(statistics).toContainText('Total IODs11')
  await expect(found).toHaveCount(0)
  await undo.click()
  await expect(statistics).toContainText('Total IODs12')
  await found.getByRole('button', { name: 'Remove from campaign' }).click()
  await expect(statistics).toContainText('Total IODs11')
  await pressEscape(page)
  await expect(page).toHaveURL(/\/dashboard\/campaigns$/)
  await expect(card(page, 'Members of a lake')).toContainText('11 IODs')
})

test('deleting the open campaign closes it; a missing one shows an error', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const { id } = await createCampaign(ana, 'Short-lived')
  await openAs(ana, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Short-lived' })
  page.on('dialog', question => question.accept())
  await detail.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete Campaign' }).click()
  await expect(toast(page, 'Campaign deleted successfully')).toBeVisible()
  await expect(detail).toBeHidden()
  await expect(page).toHaveURL(/\/dashboard\/campaigns$/)

  await page.goto(`/dashboard/campaigns/${id}`)
  await expect(page.getByText('Failed to load campaign details').first()).toBeVisible()
  await page.getByRole('button', { name: 'Add IOD' }).click()
  await expect(toast(page, 'No campaign selected')).toBeVisible()
  await expect(toast(page, 'Please select a campaign first')).toBeVisible()
})

test('each failure shows an error that can be closed or disappears, and loses no data', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const [member, other] = (await createIods(ana, 2, 'Failing')) as [Iod, Iod]
  const name = `Failing ${member.id}`
  const { id } = await createCampaign(ana, name, [member])
  /** Fails calls of a method to a path until the returned function is called. */
  const cutOff = async (method: string, path: string) => {
    await page.route(`**/api/v1${path}`, route =>
      route.request().method() === method ? route.abort() : route.fallback(),
    )
    return () => page.unroute(`**/api/v1${path}`)
  }
  const failure = (text: string) => page.locator('.bp6-toast', { hasText: 'Error' }).filter({ hasText: text })

  const campaignsBack = await cutOff('GET', '/campaigns')
  const mineBack = await cutOff('GET', '/campaigns/my')
  await openAs(ana, '/dashboard/campaigns')
  await expect(failure('Failed to load campaigns')).toHaveCount(1)
  // No second error about the user's own campaigns.
  await expect(failure('Error')).toHaveCount(1)
  await campaignsBack()
  await mineBack()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(card(page, name)).toBeVisible()
  await expect(failure('Failed to load campaigns')).toHaveCount(0)

  const createBack = await cutOff('POST', '/campaigns')
  await page.getByRole('button', { name: 'Create Campaign' }).click()
  const create = page.getByRole('dialog', { name: 'Create New Campaign' })
  await create.getByLabel('Campaign Name').fill('x'.repeat(10_001))
  await create.getByLabel('Description').fill('Not lost')
  await create.getByRole('button', { name: 'Create Campaign' }).click()
  await expect(failure('Failed to create campaign')).toBeVisible()
  await failure('Failed to create campaign').getByRole('button', { name: 'Close' }).click()
  await expect(failure('Failed to create campaign')).toHaveCount(0)
  await createBack()
  await create.getByRole('button', { name: 'Create Campaign' }).click()
  await expect(failure('name: must have at most 10000 characters')).toBeVisible()
  await expect(create.getByLabel('Description')).toHaveValue('Not lost')
  await create.getByRole('button', { name: 'Cancel' }).click()

  page.on('dialog', question => question.accept())
  const campaignBack = await cutOff('PATCH', `/campaigns/${id}`)
  const menu = async (item: string) => {
    await card(page, name).getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('Edit Campaign')
  const edit = page.getByRole('dialog', { name: 'Edit Campaign' })
  await edit.getByLabel('Description').fill('Changed')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  await expect(failure('Failed to update campaign')).toBeVisible()
  await expect(edit.getByLabel('Description')).toHaveValue('Changed')
  await edit.getByRole('button', { name: 'Cancel' }).click()
  await campaignBack()
  const deleteBack = await cutOff('DELETE', `/campaigns/${id}`)
  await menu('Delete Campaign')
  await expect(failure('Failed to delete campaign')).toBeVisible()
  await deleteBack()

  const detailBack = await cutOff('GET', `/campaigns/${id}`)
  await card(page, name).getByRole('link').click()
  await expect(failure('Failed to load campaign details')).toBeVisible()
  await page.getByRole('button', { name: 'Add IOD' }).click()
  await expect(toast(page, 'No campaign selected')).toBeVisible()
  await detailBack()
  await page.getByRole('button', { name: 'Retry' }).click()
  const detail = page.getByRole('dialog', { name })
  await expect(detail.getByText(member.value)).toBeVisible()

  const removeBack = await cutOff('POST', `/campaigns/${id}/remove-iod`)
  await detail.getByRole('button', { name: 'Remove from campaign' }).click()
  await expect(failure('Failed to remove IOD from campaign')).toBeVisible()
  await expect(detail.getByText(member.value)).toBeVisible()
  await removeBack()

  const iodsBack = await cutOff('GET', '/iods?*')
  await detail.getByRole('button', { name: 'Add IOD' }).click()
  await expect(failure('Failed to load IODs')).toBeVisible()
  await iodsBack()
  const adding = page.getByRole('dialog', { name: 'Add IODs to Campaign' })
  await adding.getByRole('button', { name: 'Retry' }).click()
  await adding.getByPlaceholder('Search IODs...').fill(member.value)
  await expect(adding.getByText('No IODs match your search')).toBeVisible()
  await adding.getByPlaceholder('Search IODs...').fill(other.value)
  await adding.getByRole('checkbox', { name: other.value }).check()
  const addBack = await cutOff('POST', `/campaigns/${id}/add-iod`)
  await adding.getByRole('button', { name: 'Add 1 IOD(s)' }).click()
  await expect(failure('Failed to add IODs')).toBeVisible()
  await addBack()
  await adding.getByRole('button', { name: 'Add 1 IOD(s)' }).click()
  await expect(toast(page, 'Added 1 IOD(s) to the campaign')).toBeVisible()
  await expect(detail.getByRole('region', { name: 'Statistics' })).toContainText('Total IODs2')
  await expect(failure('Failed')).toHaveCount(0)
})

test('a campaign disappears from the screens of others when its creator deletes it', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const [ana, bo] = [await person('ana'), await person('bo')]
  const [member, other] = (await createIods(ana, 2, 'Gone')) as [Iod, Iod]
  const names = [`Gone ${member.id}`, `Gone ${other.id}`] as const
  const ids = await Promise.all(names.map(async name => (await createCampaign(ana, name, [member])).id))
  const lookAt = async (name: string) => {
    await card(page, name).getByRole('link').click()
    await expect(page.getByRole('dialog', { name }).getByText(member.value)).toBeVisible()
  }
  const expectGone = async (name: string) => {
    const lost = page.getByRole('dialog', { name: 'Campaign', exact: true })
    await expect(lost.getByText('Failed to load campaign details')).toBeVisible()
    await expect(lost.getByText(member.value)).toHaveCount(0)
    await lost.getByRole('button', { name: 'Close' }).click()
    await expect(page.getByRole('heading', { name: 'Campaigns', exact: true })).toBeVisible()
    await expect(card(page, name)).toHaveCount(0)
  }
  await openAs(bo, '/dashboard/campaigns')
  await lookAt(names[0])
  await ana.api.call(campaignsApi.deleteCampaign, { params: { id: ids[0] as string } })
  await page.getByRole('button', { name: 'Remove from campaign' }).click()
  await expect(toast(page, 'Failed to remove IOD from campaign')).toBeVisible()
  await expectGone(names[0])

  await lookAt(names[1])
  await page.getByRole('button', { name: 'Add IOD' }).click()
  await page.getByPlaceholder('Search IODs...').fill(other.value)
  await page.getByRole('checkbox', { name: other.value }).check()
  await ana.api.call(campaignsApi.deleteCampaign, { params: { id: ids[1] as string } })
  await page.getByRole('button', { name: 'Add 1 IOD(s)' }).click()
  await expect(toast(page, 'Not found')).toBeVisible()
  await expectGone(names[1])
})

test('a campaign of 5,000 IODs renders only visible rows', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const [member] = (await createIods(ana, 1, 'Large')) as [Iod]
  const { id } = await createCampaign(ana, 'Large', [member])
  // A stubbed response; another test covers the real one.
  const iods = Array.from({ length: 5_000 }, (_, n) => ({
    ...member,
    id: n.toString(16).padStart(24, '0'),
    value: `Claim number ${n}`,
    category: n % 5 ? 'SENTENCE' : 'URL',
  }))
  await page.route(new RegExp(`/api/v1/campaigns/${id}(\\?.*)?$`), async route => {
    const campaign = await (await route.fetch()).json()
    await route.fulfill({ json: { ...campaign, iod_count: iods.length, iods } })
  })
  await openAs(ana, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Large' })
  await expect(detail.getByText('Claim number 0', { exact: true })).toBeVisible()
  await expect(detail.getByRole('region', { name: 'Categories' })).toContainText('SENTENCE4,000')
  await expect(detail.getByRole('table')).toHaveAttribute('aria-rowcount', '5001')
  expect(await detail.getByRole('row').count()).toBeLessThan(60)
  await detail.getByRole('region', { name: 'IODs', exact: true }).focus()
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(detail.getByText('Claim number 4999', { exact: true })).toBeVisible({ timeout: 500 })
  }).toPass()
  await detail.getByPlaceholder('Search by value or category...').fill('number 4321')
  await expect(detail.getByText('1 of 5,000 IODs')).toBeVisible()
  await expect(detail.getByRole('row')).toHaveCount(2)
})

test('the service searches IODs to add, which load page by page and are added in batches', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const created = await createIods(ana, 120, 'Picked')
  const [member, oldest] = created as [Iod, Iod, ...Iod[]]
  const newest = created.slice(-21).reverse()
  const { id } = await createCampaign(ana, 'Picked', [member])
  const limits: (string | null)[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/api/v1/iods')) limits.push(searchParams.get('limit'))
  })
  await openAs(ana, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Picked' })
  await expect(detail.getByText(member.value)).toBeVisible()
  await detail.getByRole('button', { name: 'Add IOD' }).click()
  const adding = page.getByRole('dialog', { name: 'Add IODs to Campaign' })
  await adding.getByPlaceholder('Search IODs...').fill('PICKED')
  await expect(adding.getByText('Available IODs (119)')).toBeVisible()
  const list = adding.getByRole('list', { name: 'Available IODs' })
  await expect(list.getByRole('listitem').first()).toHaveAttribute('aria-setsize', '119')
  expect(await list.getByRole('listitem').count()).toBeLessThan(30)
  await expect(async () => {
    await list.evaluate(ul => ul.parentElement?.scrollTo(0, ul.scrollHeight))
    await expect(list.getByText(oldest.value, { exact: true })).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(list.getByText(member.value, { exact: true })).toHaveCount(0)
  await list.getByRole('checkbox', { name: oldest.value }).check()
  await adding.getByRole('button', { name: 'Add 1 IOD(s)' }).click()
  await expect(toast(page, 'Added 1 IOD(s) to the campaign')).toBeVisible()
  await expect(adding).toBeHidden()
  await expect(detail.getByRole('region', { name: 'Statistics' })).toContainText('Total IODs2')
  expect(new Set(limits)).toEqual(new Set(['100']))
  expect(limits.length).toBeLessThan(10)

  const additions: string[] = []
  page.on('request', request => {
    const path = new URL(request.url()).pathname
    if (path.includes('/add-iod')) additions.push(path.replace(/.*\//, ''))
  })
  await detail.getByRole('button', { name: 'Add IOD' }).click()
  await adding.getByPlaceholder('Search IODs...').fill('PICKED')
  await expect(adding.getByText('Available IODs (118)')).toBeVisible()
  for (const { value } of newest) await list.getByRole('checkbox', { name: `${value} Seen often` }).check()
  await adding.getByRole('button', { name: 'Add 21 IOD(s)' }).click()
  await expect(toast(page, 'Added 21 IOD(s) to the campaign')).toBeVisible()
  await expect(adding).toBeHidden()
  await expect(detail.getByRole('region', { name: 'Statistics' })).toContainText('Total IODs23')
  expect(additions).toEqual(['add-iods'])
})
