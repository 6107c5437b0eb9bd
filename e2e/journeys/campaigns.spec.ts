import { readFile } from 'node:fs/promises'
import { campaignsApi, type Iod, iodsApi } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'

const DELETE_QUESTION = 'Are you sure you want to delete this campaign? This action cannot be undone.'

let made = 0
/** IODs of this run, told apart from others' by their values. */
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
const toast = (page: Page, text: string) => page.getByText(text, { exact: true })

test('an empty start, then create, search, edit and delete', async ({ page, person, openAs }) => {
  const ana = await person('ana')
  // Other journeys may have left campaigns of theirs.
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

test('IODs are added with progress, looked into, searched and removed', async ({ page, person, openAs }) => {
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
  await page.keyboard.press('Escape')
  await adding.getByPlaceholder('Search IODs...').fill('Mirror claim')
  for (const { value } of iods) {
    await adding.getByPlaceholder('Search IODs...').fill(value)
    await adding.getByRole('checkbox').first().check()
  }
  await expect(adding.getByText('12 IOD(s) selected to add')).toBeVisible()
  const calls: string[] = []
  page.on('request', request => {
    if (request.url().endsWith('/add-iod')) calls.push(request.postDataJSON().iod_id)
  })
  await page.route('**/add-iod', async route => {
    await new Promise(next => setTimeout(next, 50))
    await route.continue()
  })
  await adding.getByRole('button', { name: 'Add 12 IOD(s)' }).click()
  await expect(adding.getByRole('progressbar', { name: 'IODs added' })).toBeVisible()
  await expect(toast(page, 'Added 12 IOD(s) to the campaign')).toBeVisible()
  await expect(adding).toBeHidden()
  expect(calls).toEqual(iods.map(({ id }) => id))

  const statistics = detail.getByRole('region', { name: 'Statistics' })
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

  await detail.getByPlaceholder('Search by value or category...').fill(second.value)
  await detail.getByRole('button', { name: 'Remove from campaign' }).click()
  await expect(toast(page, 'IOD removed from campaign')).toBeVisible()
  await expect(statistics).toContainText('Total IODs11')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/dashboard\/campaigns$/)
  await expect(card(page, 'Members of a lake')).toContainText('11 IODs')
})

test('a linked campaign of someone else is exported, and only its creator has a menu', async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  const members = await createIods(ana, 2, 'Export')
  const { id } = await createCampaign(ana, 'Été "one"', members)
  const bo = await person('bo')
  await openAs(bo, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Été "one"' })
  await expect(detail.getByText(`Created by ${ana.username} on`)).toBeVisible()
  await expect(detail.getByRole('button', { name: 'More actions' })).toHaveCount(0)

  const day = new Date().toISOString().slice(0, 10)
  const download = async (start: () => Promise<void>, extension: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), start()])
    const name = `campaign__t___one__${day}.${extension}`
    expect(file.suggestedFilename()).toBe(name)
    await expect(toast(page, `Campaign data exported as ${name}`)).toBeVisible()
    return readFile(await file.path(), 'utf8')
  }
  const json = JSON.parse(
    await download(() => detail.getByRole('button', { name: 'Export JSON' }).click(), 'json'),
  )
  expect(json.campaign).toMatchObject({ id, total_iods: 2, categories: ['SENTENCE', 'KEYWORDS'] })
  expect(json.iods.map((iod: Iod) => iod.id)).toEqual(members.map(member => member.id))
  expect(json.iods[0]).toMatchObject({ positive_votes: 0, negative_votes: 0, votes: [], comments: [] })
  expect(json.statistics).toMatchObject({
    total_iods: 2,
    category_distribution: { SENTENCE: 1, KEYWORDS: 1 },
  })
  expect(json.exported_by).toMatch(/^[0-9a-f]{24}$/)

  const other = (label: string) => async () => {
    await detail.getByRole('button', { name: 'Export in another format' }).click()
    await page.getByRole('menuitem', { name: label }).click()
  }
  const stix = JSON.parse(await download(other('STIX 2.1 bundle'), 'stix.json'))
  expect(stix.objects.filter((each: { type: string }) => each.type === 'indicator')).toHaveLength(2)
  const misp = JSON.parse(await download(other('MISP event'), 'misp.json'))
  expect(misp.Event.Attribute).toHaveLength(2)
  expect(await download(other('CSV'), 'csv')).toContain(members[0]?.value)

  await detail.getByRole('button', { name: 'Close' }).click()
  await expect(card(page, 'Été "one"')).toBeVisible()
  await expect(card(page, 'Été "one"').getByRole('button', { name: 'More actions' })).toHaveCount(0)
})

test('deleting the open campaign closes it; a lost one says so', async ({ page, person, openAs }) => {
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

test('a file is imported after a preview, and twice adds nothing', async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const [known] = (await createIods(ana, 1, 'Import')) as [Iod]
  const { id } = await createCampaign(ana, 'Imported')
  const fresh = `fresh ${known.value}`
  const csv = [
    'value,category,description',
    `${known.value},${known.category},`,
    `${fresh},SENTENCE,"from, a file"`,
    'what is it,NONSENSE,',
    `${fresh.toUpperCase()},SENTENCE,again`,
  ].join('\n')
  await openAs(ana, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name: 'Imported' })
  const preview = async () => {
    await detail.getByRole('button', { name: 'Import' }).click()
    const file = { name: 'iods.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await page.locator('input[type=file]').setInputFiles(file)
    return page.getByRole('dialog', { name: 'Import IODs' })
  }
  const first = await preview()
  await expect(first.getByText('1 new, 1 known (0 already in this campaign), 2 refused')).toBeVisible()
  await expect(first.getByRole('row').filter({ hasText: 'Line 4' })).toContainText(
    'Unknown category NONSENSE',
  )
  await expect(first.getByRole('row').filter({ hasText: 'Line 5' })).toContainText('Repeats line 3')
  await first.getByRole('button', { name: 'Import 2 IOD(s)' }).click()
  await expect(toast(page, 'Added 2 IOD(s) to the campaign')).toBeVisible()
  await expect(first).toBeHidden()
  const { iods } = await ana.api.call(campaignsApi.getCampaign, { params: { id } })
  expect(iods.map(({ value, description }) => [value, description])).toEqual([
    [known.value, known.description],
    [fresh, 'from, a file'],
  ])

  const second = await preview()
  await expect(second.getByText('0 new, 2 known (2 already in this campaign), 2 refused')).toBeVisible()
  await expect(second.getByRole('button', { name: 'Import 0 IOD(s)' })).toBeDisabled()
})
