import { readFileSync } from 'node:fs'
import { campaignsApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { expect, test } from '@playwright/test'
import { faultsOf } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'

let stack: TestStack

test.beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: 'boss@example.org' } })
})
test.afterEach(() => keepLog(test.info(), stack))
test.afterAll(() => stack?.stop())

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

for (const size of SIZES)
  test(`an administrator finds who exported and deleted a campaign, and downloads the log at ${size.width} px`, async ({
    page,
  }) => {
    test.setTimeout(120_000)
    await page.setViewportSize(size)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const name = `member_${size.width}`
    const member = await stack.signUp(`${name}@example.org`, name)
    const campaign = await member.api.call(campaignsApi.createCampaign, { body: { name: 'Mirrors' } })
    expect((await member.api.send('GET', `/campaigns/${campaign.id}/export?format=stix`)).status).toBe(200)
    await member.api.call(campaignsApi.deleteCampaign, { params: { id: campaign.id } })
    const boss = await stack.signUp('boss@example.org', 'the_boss')

    await openAs(page, stack.url, boss.token, '/dashboard/admin')
    await page.getByRole('tab', { name: 'Audit log' }).click()
    await expect(page).toHaveURL(/\?tab=audit-log$/)
    const log = page.getByRole('tabpanel', { name: 'Audit log' })
    await expect(log.getByText(/^Chain intact, \d+ entries since/)).toBeVisible()
    await expect(
      log.getByRole('row').filter({ hasText: 'Administrator signed in (link)' }).first(),
    ).toContainText('@the_boss')
    expect(await faultsOf(page, 'the log')).toEqual([])

    await log.getByLabel('Done by').fill(`@${name}`)
    await expect(log.getByText('2 entries', { exact: true })).toBeVisible()
    const exported = log.getByRole('row').filter({ hasText: 'Campaign exported (stix)' })
    await expect(exported).toContainText(campaign.id)
    await log.getByLabel('Action').selectOption({ label: 'Campaign deleted' })
    await expect(log.getByText('1 entry', { exact: true })).toBeVisible()
    await expect(exported).toHaveCount(0)
    await page.reload()
    await expect(log.getByText('1 entry', { exact: true })).toBeVisible()

    await log.getByRole('button', { name: /^Details of entry/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Entry of the Audit Log' })
    await expect(dialog.getByText('browser, 127.0.0.0/24')).toBeVisible()
    await expect(dialog.getByText(campaign.id)).toBeVisible()
    expect(await faultsOf(page, 'an entry')).toEqual([])
    await page.keyboard.press('Escape')

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const rows = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(rows).toHaveLength(2)
    expect(rows[1]).toContain(`,campaign.deleted,done,user,${member.id},`)
    await log.getByRole('button', { name: 'Clear filters' }).click()
    await expect(log.getByRole('row').filter({ hasText: 'Audit log downloaded (csv)' }).first()).toBeVisible()

    await log.getByLabel('About').fill('<b>nobody')
    await expect(log.getByText('Nothing in the log matches these filters.')).toBeVisible()
    expect(await faultsOf(page, 'nothing found')).toEqual([])
  })
