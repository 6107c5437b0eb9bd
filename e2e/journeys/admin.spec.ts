import { backupsInternal, iodsApi, profileApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { apiClient, iodInput } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { faultsOf } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { SIZES } from '../support/sizes.js'

let app: TestApp

test.beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org' } })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

for (const size of SIZES)
  test(`an administrator finds a user, changes a limit, suspends and unsuspends them at ${size.width} px`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.setViewportSize(size)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const name = `reader_${size.width}`
    const reader = await app.signUp(`${name}@example.org`, name)
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const body = { name: 'Nightly report', scopes: ['read' as const], expires_at }
    const { token } = await reader.api.call(profileApi.createApiToken, { body })
    const feedKey = { label: 'Their OpenCTI', tlp: 'green' as const }
    const { key } = await reader.api.call(profileApi.createFeedKey, { body: feedKey })
    const boss = await app.signUp('boss@example.org', 'the_boss')
    await openAs(page, app.url, boss.token, '/dashboard/admin')
    await page.getByRole('tab', { name: 'People' }).click()
    await expect(page).toHaveURL(/\?tab=people$/)
    const people = page.getByRole('tabpanel', { name: 'People' })
    await people.getByPlaceholder('Search by username, e-mail or id...').fill('<b>.*')
    await expect(people.getByText('No accounts found')).toBeVisible()
    await people.getByPlaceholder('Search by username, e-mail or id...').fill(name.toUpperCase())
    await expect(people.getByText('1 account', { exact: true })).toBeVisible()
    const row = people.getByRole('row').filter({ hasText: `@${name}` })
    await expect(row).toContainText('Active')
    expect(await faultsOf(page, 'people')).toEqual([])
    await row.getByRole('button', { name: `Manage ${name}` }).click()

    const dialog = page.getByRole('dialog', { name: 'Manage Account' })
    await dialog.getByRole('button', { name: 'Change limit: IODs created in total' }).click()
    const field = dialog.getByRole('textbox', { name: 'Limit: IODs created in total' })
    await field.fill('many')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('A limit is a whole number, 1 or more')).toBeVisible()
    await field.fill('1')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByText('0 of 1', { exact: true })).toBeVisible()
    await expect(dialog.getByText('Custom limit')).toBeVisible()
    expect(await faultsOf(page, 'an account')).toEqual([])
    await reader.api.call(iodsApi.createIod, { body: iodInput() })
    expect((await reader.api.send('POST', '/iods', iodInput())).status).toBe(413)

    await expect(dialog.getByText('1 session, 1 valid API token, 1 valid feed key')).toBeVisible()
    await expect(page.getByText('Nightly report')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Revoke API tokens and feed keys (2)' }).click()
    const revoking = page.getByRole('dialog', { name: 'Revoke API tokens and feed keys' })
    await expect(revoking).toContainText(`API tokens and feed keys of @${name} stop working at once`)
    expect(await faultsOf(page, 'revoking')).toEqual([])
    await revoking.getByRole('button', { name: 'Cancel' }).click()
    expect((await apiClient(app.url, token).send('GET', '/profile/me')).status).toBe(200)
    await dialog.getByRole('button', { name: 'Revoke API tokens and feed keys (2)' }).click()
    await revoking.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect(dialog.getByText('1 session, 0 valid API tokens, 0 valid feed keys')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Revoke API tokens and feed keys (0)' })).toBeDisabled()
    expect((await apiClient(app.url, token).send('GET', '/profile/me')).status).toBe(401)
    const feeds = await fetch(`${app.url}/taxii2/`, { headers: { authorization: `Bearer ${key}` } })
    expect(feeds.status).toBe(401)
    expect((await reader.api.send('GET', '/profile/me')).status).toBe(200)

    await dialog.getByRole('button', { name: 'Suspend' }).click()
    const asking = page.getByRole('dialog', { name: 'Suspend account' })
    await asking.getByRole('button', { name: 'Suspend' }).click()
    await expect(dialog.getByText('Suspended', { exact: true })).toBeVisible()
    expect((await reader.api.send('GET', '/profile/me')).status).toBe(401)
    await dialog.getByRole('button', { name: 'Unsuspend' }).click()
    await expect(dialog.getByText('Active', { exact: true })).toBeVisible()
    const again = await app.signUp(`${name}@example.org`, name)
    expect((await again.api.call(profileApi.getProfile)).username).toBe(name)
  })

for (const size of SIZES)
  test(`an administrator sees services, of which one is down, queues and backups at ${size.width} px`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.setViewportSize(size)
    const boss = await app.signUp('boss@example.org', 'the_boss')
    await openAs(page, app.url, boss.token, '/dashboard/admin?tab=system')
    const part = (name: string) =>
      page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) })
    await expect(part('campaigns')).toContainText('up')
    await expect(part('Timestamps of sealed evidence')).toContainText('every 60 min')
    await expect(page.getByText('No backup is known.')).toBeVisible()
    await app.peers.call('auth', backupsInternal.noteFailedBackup, {
      body: { failed_at: new Date().toISOString(), duration_ms: 1_000, fault: 'no-room' },
    })
    await expect(page.getByText('The last backup failed: the disk was full.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Backups' }).getByText('failed').first()).toBeVisible()
    await app.parts.campaigns.stop()
    try {
      await expect(part('campaigns')).toContainText('down', { timeout: 60_000 })
      await expect(part('iods')).toContainText('up')
      expect(await faultsOf(page, 'system')).toEqual([])
    } finally {
      await app.parts.campaigns.start()
    }
    await expect(part('campaigns')).not.toContainText('down', { timeout: 60_000 })
  })
