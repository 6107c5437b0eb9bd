import { readFile } from 'node:fs/promises'
import { campaignsApi } from '@iodine/contracts'
import { expect, test } from '../support/fixtures.js'
import { pressEscape } from '../support/press-escape.js'
import { expectFits, SIZES } from '../support/sizes.js'

const NAMES = ['T0023.001 Reframe Context', 'T0007 Create Inauthentic Social Media Pages and Groups']

for (const size of SIZES)
  test(`techniques of DISARM are searched, chosen, removed and exported at ${size.width} px`, {
    tag: '@long',
  }, async ({ page, person, openAs }) => {
    await page.setViewportSize(size)
    const [ana, bo] = [await person('ana'), await person('bo')]
    const name = `Techniques at ${size.width}`
    const { id } = await ana.api.call(campaignsApi.createCampaign, { body: { name } })
    await openAs(bo, `/dashboard/campaigns/${id}`)
    const detail = page.getByRole('dialog', { name, exact: true })
    const block = detail.getByRole('region', { name: 'Techniques' })
    await expect(block.getByText('No techniques named')).toBeVisible()

    await block.getByRole('button', { name: 'Choose techniques' }).click()
    const dialog = page.getByRole('dialog', { name: 'Techniques of the campaign' })
    const search = dialog.getByPlaceholder('Search by id, name or tactic...')
    await expect(search).toBeFocused()
    await expect(dialog.getByText('298 technique(s), 0 chosen')).toBeVisible()
    await expectFits(page)
    for (const [index, technique] of NAMES.entries()) {
      await search.fill(technique.slice(0, 5).toLowerCase())
      await dialog.getByRole('checkbox', { name: technique }).click()
      await expect(dialog.getByRole('checkbox', { name: technique })).toBeChecked()
      await expect(dialog.getByText(`${index + 1} chosen`)).toBeVisible()
    }
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(dialog).toBeHidden()
    await expect(block.getByRole('button', { name: 'Choose techniques' })).toBeFocused()
    await expect(block.getByRole('listitem')).toHaveText(NAMES)
    for (const tag of await block.getByRole('listitem').all()) {
      const [inner, outer] = [await tag.boundingBox(), await block.boundingBox()]
      expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0))
    }
    await block.scrollIntoViewIfNeeded()
    await expectFits(page)
    // What is chosen shows at once; a reload would lose what is not sent yet.
    const chosen = async () => (await bo.api.call(campaignsApi.listTechniques, { params: { id } })).length
    await expect.poll(chosen).toBe(NAMES.length)

    await page.reload()
    await expect(block.getByRole('listitem')).toHaveText(NAMES)
    await detail.getByRole('button', { name: 'Export in another format' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'STIX 2.1 bundle', exact: true }).click(),
    ])
    const { objects } = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      objects: { type: string; name?: string }[]
    }
    const patterns = objects.filter(({ type }) => type === 'attack-pattern')
    expect(patterns.map(pattern => pattern.name)).toEqual(NAMES.map(each => each.replace(/^\S+ /, '')))

    await block.getByRole('button', { name: `Remove ${NAMES[0]}` }).click()
    await expect(block.getByRole('listitem')).toHaveText([NAMES[1] as string])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(block.getByRole('listitem')).toHaveText([...NAMES].reverse())
    await block.getByRole('button', { name: `Remove ${NAMES[1]}` }).click()
    await expect(page.getByText(`Technique removed: ${NAMES[1]}`)).toBeVisible()
    const kept = await ana.api.call(campaignsApi.listTechniques, { params: { id } })
    expect(kept.map(technique => [technique.id, technique.by_username])).toEqual([['T0023.001', bo.username]])
    await pressEscape(page)
    await expect(page).toHaveURL(/\/dashboard\/campaigns$/)
  })
