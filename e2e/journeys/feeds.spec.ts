import { campaignsApi, iodsApi } from '@iodine/contracts'
import { iodInput, TaxiiReader } from '@iodine/test-kit'
import { expect, test } from '../support/fixtures.js'
import { expectFits, SIZES } from '../support/sizes.js'

for (const size of SIZES)
  test(`a campaign is published, pulled with a key, and withdrawn at ${size.width} px`, {
    tag: '@long',
  }, async ({ page, person, openAs, product }) => {
    await page.setViewportSize(size)
    const ana = await person('ana')
    const name = `Feed at ${size.width}`
    const { id } = await ana.api.call(campaignsApi.createCampaign, { body: { name } })
    const iod = await ana.api.call(iodsApi.createIod, { body: iodInput() })
    await ana.api.call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod.id } })

    await openAs(ana, '/dashboard/profile')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const form = page.getByRole('dialog', { name: 'Make a feed key' })
    await form.getByLabel('Label').fill('Our OpenCTI')
    await expectFits(page)
    await form.getByRole('button', { name: 'Make' }).click()
    const shown = page.getByRole('dialog', { name: 'Your feed key' })
    const key = await shown.getByLabel('Key', { exact: true }).inputValue()
    const root = await shown.getByLabel('TAXII server URL', { exact: true }).inputValue()
    await expectFits(page)
    await shown.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByText('Never used')).toBeVisible()

    await page.goto(`/dashboard/campaigns/${id}`)
    const detail = page.getByRole('dialog', { name, exact: true })
    const sharing = detail.getByRole('region', { name: 'Sharing' })
    await sharing.getByText('Publish in feeds').click()
    const question = page.getByRole('dialog', { name: 'Publish the campaign' })
    await question.getByRole('button', { name: 'Publish' }).click()
    await expect(sharing.getByText(/object\(s\) published/)).toBeVisible({ timeout: 30_000 })
    await sharing.scrollIntoViewIfNeeded()
    await sharing.getByRole('button', { name: 'Addresses' }).click()
    const addresses = page.getByRole('dialog', { name: 'Addresses of the feed' })
    const collection = await addresses.getByLabel('TAXII collection', { exact: true }).inputValue()
    await expectFits(page)
    await addresses.getByRole('button', { name: 'Done' }).click()

    expect(root).toBe(`${product.url}/taxii2/iodine/`)
    const authorization = `Basic ${Buffer.from(`iodine:${key}`).toString('base64')}`
    const reader = new TaxiiReader({ root, authorization }, collection)
    const pulled = await reader.pull()
    expect(pulled.find(({ type }) => type === 'indicator')?.name).toBe(iod.value)

    await sharing.getByText('Publish in feeds').click()
    await page
      .getByRole('dialog', { name: 'Withdraw the campaign' })
      .getByRole('button', { name: 'Withdraw' })
      .click()
    await expect(sharing.getByText('Withdrawn: revoked where it was pulled.')).toBeVisible({
      timeout: 30_000,
    })
    await reader.pull()
    expect([...reader.objects.values()].find(({ type }) => type === 'indicator')?.revoked).toBe(true)

    await page.goto('/dashboard/profile')
    await expect(page.getByText(/^Used/)).toBeVisible()
    await page.getByRole('button', { name: 'Revoke Our OpenCTI' }).click()
    await page
      .getByRole('dialog', { name: 'Revoke the feed key' })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await expect(page.getByRole('button', { name: 'Revoke Our OpenCTI' })).toHaveCount(0)
    await expect(reader.pull()).rejects.toThrow(/^401/)
  })
