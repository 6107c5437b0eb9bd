import { readFile } from 'node:fs/promises'
import { campaignsApi, collectorApi } from '@iodine/contracts'
import { tiktokPost } from '@iodine/test-kit'
import { expect, type Journey, type Page, test } from '../support/fixtures.js'
import { createIod, newMark } from '../support/iods.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, value: string) => page.getByRole('row').filter({ hasText: value })

const HOSTILE = [
  '<img src=x onerror="document.title=\'owned\'">',
  '=HYPERLINK("http://evil.example")',
  '\u202egnp.exe',
  '{{constructor.constructor("alert(1)")()}}',
]

const checkList = async (
  count: number,
  { page, person, openAs }: Pick<Journey, 'person' | 'openAs'> & { page: Page },
) => {
  const ana = await person('ana')
  const mark = newMark()
  await createIod(ana, { value: `known ${mark}` })
  const campaign = await ana.api.call(campaignsApi.createCampaign, { body: { name: `Lake ${mark}` } })
  await ana.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [tiktokPost({ description: `Look: SEEN ${mark}!` })] },
  })
  const list = [
    `known ${mark}`,
    `seen ${mark}`,
    `hxxps://${mark}[.]example/path`,
    ...HOSTILE.map(text => `${text} ${mark}`),
    ...Array.from({ length: count - 7 }, (_, n) => `value ${n} ${mark}`),
  ]
  await openAs(ana, '/dashboard/iods')
  await button(page, 'Check a list').click()
  await expect(page).toHaveURL(/\/dashboard\/iods\/check$/)
  await page.getByLabel('Values, one per line').fill(`${list.join('\n')}\n\n${list[0]}`)
  await expect(page.getByText(`${count} values, 1 repeated, 1 empty line`)).toBeVisible()
  await button(page, 'Check').click()
  await expect(button(page, `All ${count}`)).toBeVisible()
  await expect(button(page, `New ${count - 1}`)).toBeVisible()
  await expect(button(page, 'In my data 1')).toBeVisible()
  await expect(button(page, 'Known 1')).toBeVisible()
  await expect(row(page, `seen ${mark}`).getByRole('link', { name: 'Short videos' })).toBeVisible()
  await expect(row(page, `https://${mark}.example/path`).getByRole('combobox')).toHaveValue('URL')
  await expect(page.getByText(`${HOSTILE[0]} ${mark}`)).toBeVisible()
  await expect(page).toHaveTitle('Check a list')

  await button(page, `Select all ${count} shown`).click()
  await button(page, `Create ${count - 1} IODs`).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Create ${count - 1} IODs` })
    .click()
  await expect(page.getByText(`${count - 1} IODs created`)).toBeVisible({ timeout: 120_000 })
  await expect(button(page, `Known ${count}`)).toBeVisible()
  await button(page, `Add ${count} IODs to campaign`).click()
  const dialog = page.getByRole('dialog', { name: 'Add to Campaign' })
  await dialog.getByRole('radio', { name: campaign.name }).check({ force: true })
  await dialog.getByRole('button', { name: `Add ${count} IODs` }).click()
  await expect(button(page, `In campaigns ${count}`)).toBeVisible()
  await expect(row(page, `known ${mark}`).getByRole('link', { name: campaign.name })).toBeVisible()
  const { iods } = await ana.api.call(campaignsApi.getCampaign, { params: { id: campaign.id } })
  expect(iods).toHaveLength(count)

  const download = page.waitForEvent('download')
  await button(page, 'Download CSV').click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text.trim().split('\r\n')).toHaveLength(count + 1)
  expect(text).toContain(`'=HYPERLINK(""http://evil.example"") ${mark}`)
}

const LIST = 'values: known, in my data, in campaigns, new; created, added, downloaded'
test(`a list of 20 ${LIST}`, async ({ page, person, openAs }) => checkList(20, { page, person, openAs }))
test(`a list of 200 ${LIST}`, { tag: '@long' }, async ({ page, person, openAs }) => {
  // Creates 199 IODs.
  test.slow()
  await checkList(200, { page, person, openAs })
})

test('a list of 10,001 values is pasted, refused with the limit, and checked without the last one', {
  tag: '@long',
}, async ({ page, person, openAs, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openAs(await person('ana'), '/dashboard/iods/check')
  const lines = Array.from({ length: 10_001 }, (_, n) => `hxxps://site-${n}[.]example[.]org/page`)
  const paste = async (text: string) => {
    await page.evaluate(each => navigator.clipboard.writeText(each), text)
    await page.getByLabel('Values, one per line').focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('ControlOrMeta+V')
  }
  await paste(lines.join('\n'))
  await expect(page.getByRole('alert')).toHaveText(
    'The list has 10,001 values. At most 10,000 can be checked at once: remove some, or check them in parts.',
  )
  await expect(button(page, 'Check')).toBeDisabled()
  await paste(lines.slice(1).join('\n'))
  await expect(page.getByRole('alert')).toHaveCount(0)
  await button(page, 'Check').click()
  await expect(button(page, 'New 10,000')).toBeVisible()
})
