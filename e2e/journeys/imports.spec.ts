import { readFile } from 'node:fs/promises'
import { campaignsApi } from '@iodine/contracts'
import { expect, test } from '../support/fixtures.js'

const id = (type: string, n: number) => `${type}--00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const AMBER = 'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82'

test('a bundle of another tool is planned, imported, kept, and exported byte for byte', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = Date.now().toString(36)
  const marked = `"object_marking_refs":["${AMBER}"]`
  const objects = [
    `{"type":"indicator", "id":"${id('indicator', 1)}","modified":"2026-01-01T00:00:00Z",${marked},"score":1.0,"pattern_type":"stix","pattern":"[url:value = 'https://example.org/${mark}']","name":"a"}`,
    `{"type":"malware","id":"${id('malware', 1)}","name":"x","name":"doubled","big":9007199254740993}`,
    `{"type":"relationship","id":"${id('relationship', 1)}","relationship_type":"indicates","source_ref":"${id('indicator', 1)}","target_ref":"${id('malware', 1)}"}`,
  ]
  const campaign = await ana.api.call(campaignsApi.createCampaign, { body: { name: 'Theirs' } })
  await openAs(ana, `/dashboard/campaigns/${campaign.id}`)
  const detail = page.getByRole('dialog', { name: 'Theirs' })
  const sharing = detail.getByRole('region', { name: 'Sharing' })
  await expect(sharing.getByText('TLP:GREEN').first()).toBeVisible()

  await detail.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import IODs' })
  await dialog.locator('input[type=file]').setInputFiles({
    name: 'theirs.json',
    mimeType: 'application/json',
    buffer: Buffer.from(`{"type":"bundle","id":"bundle--1","objects":[${objects.join(', ')}]}`),
  })
  await expect(dialog.getByRole('status')).toHaveText('1 IOD(s), 2 object(s) kept as they are, TLP:AMBER')
  await expect(detail.getByText(`https://example.org/${mark}`)).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Import 3 object(s)' }).click()
  await expect(page.getByText('3 object(s) imported')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(detail.getByText(`https://example.org/${mark}`)).toBeVisible()
  await expect(sharing.getByLabel('Sharing level')).toHaveValue('amber')

  await sharing.getByRole('button', { name: 'Kept objects (3)' }).click()
  const kept = page.getByRole('dialog', { name: 'Kept objects' })
  await expect(kept.getByRole('row').filter({ hasText: 'malware' })).toContainText('1')
  await kept.getByRole('button', { name: 'Close' }).last().click()

  const exported = async () => {
    await detail.getByRole('button', { name: 'Export in another format' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'STIX 2.1 bundle', exact: true }).click(),
    ])
    await expect(page.getByRole('menu')).toHaveCount(0)
    return readFile(await file.path(), 'utf8')
  }
  const file = await exported()
  for (const object of objects) expect(file).toContain(object)
  expect(JSON.parse(file).type).toBe('bundle')

  await sharing.getByRole('button', { name: 'Kept objects (3)' }).click()
  await kept.getByRole('button', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: 'Remove imported objects' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await expect(page.getByText('Imported objects removed')).toBeVisible()
  await expect(sharing.getByRole('button', { name: /^Kept objects/ })).toHaveCount(0)
  expect(await exported()).not.toContain('doubled')
  await expect(detail.getByText(`https://example.org/${mark}`)).toBeVisible()
})

test('events of MISP and files with a level are imported by the server, and keep both', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = Date.now().toString(36)
  const event = `{"uuid":"00000000-0000-4000-8000-000000000001","info":"Theirs", "Tag":[{"name":"tlp:amber"}],"Attribute":[{"type":"url","value":"https://example.org/misp/${mark}","x":1.0} , {"type":"email-src","value":"a@example.org"}]}`
  const campaign = await ana.api.call(campaignsApi.createCampaign, { body: { name: 'Events' } })
  await openAs(ana, `/dashboard/campaigns/${campaign.id}`)
  const detail = page.getByRole('dialog', { name: 'Events' })
  const sharing = detail.getByRole('region', { name: 'Sharing' })
  const dialog = page.getByRole('dialog', { name: 'Import IODs' })
  const choose = async (name: string, text: string) => {
    await detail.getByRole('button', { name: 'Import' }).click()
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
  }
  await choose('event.json', `{"Event": ${event}}`)
  await expect(dialog.getByRole('status')).toHaveText('1 IOD(s), 2 object(s) kept as they are, TLP:AMBER')
  await dialog.getByRole('button', { name: 'Import 3 object(s)' }).click()
  await expect(page.getByText('3 object(s) imported')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(detail.getByText(`https://example.org/misp/${mark}`)).toBeVisible()
  await expect(sharing.getByLabel('Sharing level')).toHaveValue('amber')

  await detail.getByRole('button', { name: 'Export in another format' }).click()
  const exported = async (name: string) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name, exact: true }).click(),
    ])
    await expect(page.getByRole('menu')).toHaveCount(0)
    return readFile(await file.path(), 'utf8')
  }
  expect(await exported('MISP event')).toBe(`{"Event":${event}}\n`)
  await detail.getByRole('button', { name: 'Export in another format' }).click()
  const csv = await exported('CSV')
  expect(csv).toMatch(/,tlp\r\n.*,amber\r\n$/s)

  const secret = `value,category,tlp\nsecret ${mark},SENTENCE,TLP:RED\n`
  await choose('marked.csv', secret)
  await expect(dialog.getByRole('status')).toHaveText('1 IOD(s), 0 refused, TLP:RED')
  await dialog.getByRole('button', { name: 'Import 1 IOD(s)' }).click()
  await expect(dialog).toBeHidden()
  await expect(detail.getByText(`secret ${mark}`)).toBeVisible()
  await expect(sharing.getByLabel('Sharing level')).toHaveValue('red')
})
