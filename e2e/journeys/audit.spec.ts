import { readFileSync } from 'node:fs'
import { type AuditAction, adminApi, auditApi, campaignsApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import type { ApiClient, SignedInUser } from '@iodine/test-kit'
import { expect, type Page, test } from '@playwright/test'
import { MongoClient } from 'mongodb'
import { faultsOf } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { SIZES } from '../support/sizes.js'

const LOG = '/dashboard/admin?tab=audit-log'
const HOSTILE = '<img src=x onerror=alert(1)>'

let app: TestApp
let mongo: MongoClient

test.beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org,chief@example.org' } })
  mongo = await MongoClient.connect(app.mongoUrl)
})
test.beforeEach(async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(async () => {
  await mongo?.close()
  await app?.stop()
})

const collection = (name: string) => mongo.db(`${app.prefix}_auth`).collection(name)
const logOf = (page: Page) => page.getByRole('tabpanel', { name: 'Audit log' })
const rowOf = (page: Page, text: string) => logOf(page).getByRole('row').filter({ hasText: text })
const expectTotal = (page: Page, text: string) =>
  expect(logOf(page).getByText(text, { exact: true })).toBeVisible()

/** Waits until the log has these actions of a user, newest first: services deliver entries after their response. */
const expectLogged = (api: ApiClient, actor: string, actions: AuditAction[]) =>
  expect
    .poll(async () => {
      const entries = await api.call(auditApi.listAudit, { query: { actor, limit: '100' } })
      return entries.map(({ action }) => action)
    })
    .toEqual(actions)

/** Exports, publishes and deletes a campaign, and creates an API token, as a member. */
const actAsMember = async (page: Page, member: SignedInUser, boss: ApiClient): Promise<string> => {
  const name = 'Mirrors'
  const actor = member.username ?? ''
  const { id } = await member.api.call(campaignsApi.createCampaign, { body: { name } })
  await openAs(page, app.url, member.token, `/dashboard/campaigns/${id}`)
  const detail = page.getByRole('dialog', { name, exact: true })
  await detail.getByRole('button', { name: 'More formats' }).click()
  await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV', exact: true }).click(),
  ])
  // The log has entries in the order of delivery.
  await expectLogged(boss, actor, ['campaign.exported'])
  await detail.getByRole('tab', { name: 'Sharing' }).click()
  await detail.getByRole('region', { name: 'Sharing' }).getByText('Publish in feeds').click()
  const question = page.getByRole('dialog', { name: 'Publish the campaign' })
  await question.getByRole('button', { name: 'Publish' }).click()
  await expect(question).toHaveCount(0)
  await expectLogged(boss, actor, ['campaign.published', 'campaign.exported'])

  await page.goto(`${app.url}/dashboard/profile?tab=access`)
  await page.getByRole('button', { name: 'Create token' }).click()
  const form = page.getByRole('dialog', { name: 'Create an API token' })
  await form.getByLabel('Name').fill('Nightly import')
  await form.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog', { name: 'Your API token' }).getByRole('button', { name: 'Done' }).click()
  return id
}

/** Creates a beta code, changes a user's limit and suspends the user, as an administrator. */
const actAsAdministrator = async (page: Page, token: string, name: string): Promise<void> => {
  await openAs(page, app.url, token, '/dashboard/admin')
  await page.getByRole('button', { name: 'Generate code' }).click()
  await expect(page.getByText('Beta code created')).toBeVisible()
  await page.getByRole('tab', { name: 'People' }).click()
  await page.getByPlaceholder('Search by username, e-mail or id...').fill(name)
  await page.getByRole('button', { name: `Manage ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Account' })
  await dialog.getByRole('button', { name: 'Change limit: IODs created in total' }).click()
  await dialog.getByRole('textbox', { name: 'Limit: IODs created in total' }).fill('7')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('0 of 7', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  const asking = page.getByRole('dialog', { name: 'Suspend account' })
  await asking.getByRole('button', { name: 'Suspend' }).click()
  await expect(dialog.getByText('Suspended', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
}

for (const size of SIZES)
  test(`the log contains actions of members and administrators, and filters find them at ${size.width} px`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.setViewportSize(size)
    const name = `member${size.width}`
    const member = await app.signUp(`${name}@example.org`, name)
    const boss = await app.signUp('boss@example.org', 'the_boss')
    const campaign = await actAsMember(page, member, boss.api)
    await actAsAdministrator(page, boss.token, name)
    await expectLogged(boss.api, name, ['api-token.created', 'campaign.published', 'campaign.exported'])

    await page.getByRole('tab', { name: 'Audit log' }).click()
    await expect(page).toHaveURL(/\?tab=audit-log$/)
    const log = logOf(page)
    await expect(log.getByText(/^Log verified: .* \d+ entries since/)).toBeVisible()
    await expect(rowOf(page, 'Administrator signed in (link)').first()).toContainText('@the_boss')
    for (const [action, who, subject] of [
      ['Campaign exported (csv)', `@${name}`, campaign],
      ['Campaign published', `@${name}`, campaign],
      ['API token created', `@${name}`, 'API token'],
      ['Beta code created', '@the_boss', 'Beta code'],
      ['Limits of an account changed (iods)', '@the_boss', `@${name}`],
      ['Account suspended', '@the_boss', `@${name}`],
    ] as const) {
      const row = rowOf(page, action).first()
      // After a minute, the text changes from "just now".
      for (const text of [/just now|minutes? ago/, who, 'browser, 127.0.0.0/24', subject])
        await expect(row).toContainText(text)
    }
    expect(await faultsOf(page, 'the log')).toEqual([])

    await log.getByLabel('Actor', { exact: true }).fill(`@${name}`)
    await expectTotal(page, '3 entries')
    await log.getByLabel('Action').selectOption({ label: 'Campaign exported' })
    await expectTotal(page, '1 entry')
    await expect(page).toHaveURL(/&by=%40member\d+&action=campaign\.exported$/)
    await page.reload()
    await expectTotal(page, '1 entry')
    await expect(log.getByLabel('Actor', { exact: true })).toHaveValue(`@${name}`)
    await log.getByRole('button', { name: /^Details of entry/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Audit Log Entry' })
    for (const text of ['browser, 127.0.0.0/24', campaign, member.id])
      await expect(dialog.getByText(text, { exact: true })).toBeVisible()
    expect(await faultsOf(page, 'an entry')).toEqual([])
    await page.keyboard.press('Escape')
    await expect(log.getByRole('button', { name: /^Details of entry/ })).toBeFocused()

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      log.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const rows = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(rows[0]).toContain('seq,id,at,action,')
    expect(rows.slice(1)).toEqual([
      expect.stringContaining(
        `,campaign.exported,done,user,${member.id},web,127.0.0.0/24,campaign,${campaign},`,
      ),
    ])
    await log.getByRole('button', { name: 'Clear filters' }).click()
    await expect(page).toHaveURL(/\?tab=audit-log$/)
    await expect(log.getByLabel('Actor', { exact: true })).toHaveValue('')
    await expect(log.getByLabel('Action')).toBeFocused()

    await log.getByLabel('Target').fill(name)
    await expectTotal(page, '2 entries')
    await expect(rowOf(page, 'Account suspended')).toBeVisible()
    const day = (offset: number) =>
      page.evaluate(days => new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv'), offset)
    await log.getByLabel('From', { exact: true }).fill(await day(2))
    await expectTotal(page, '0 entries')
    await expect(log.getByText('No entry matches these filters.')).toBeVisible()
    expect(await faultsOf(page, 'nothing found')).toEqual([])
    await log.getByLabel('From', { exact: true }).fill(await day(-2))
    await log.getByLabel('To', { exact: true }).fill(await day(2))
    await expectTotal(page, '2 entries')
    await log.getByLabel('To', { exact: true }).fill(await day(-2))
    await expectTotal(page, '0 entries')
    await log.getByRole('button', { name: 'Clear filters' }).click()
    await log.getByLabel('Actor type').selectOption('System')
    await expect(rowOf(page, 'Settings at start').first()).toBeVisible()
    await expect(rowOf(page, '@the_boss')).toHaveCount(0)
    await log.getByLabel('Target').fill('<b>nobody')
    await expectTotal(page, '0 entries')
  })

test('a long log loads page by page, and shows a hostile username as text', { tag: '@long' }, async ({
  page,
}) => {
  const chief = await app.signUp('chief@example.org', 'the_chief')
  for (let made = 0; made < 50; made++) await chief.api.call(adminApi.createBetaCode, { body: {} })
  const made = Array.from({ length: 50 }, () => 'beta-code.created' as const)
  await expectLogged(chief.api, chief.id, [...made, 'admin.signed-in'])
  await collection('users').updateOne({ email: 'chief@example.org' }, { $set: { username: HOSTILE } })
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await openAs(page, app.url, chief.token, `${LOG}&by=${chief.id}`)
  await expectTotal(page, '51 entries')
  const rows = rowOf(page, `@${HOSTILE}`)
  await expect(rows).toHaveCount(50)
  await expect(rowOf(page, 'Administrator signed in')).toHaveCount(0)
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await expect(rows).toHaveCount(51)
  await expect(rows.last()).toContainText('Administrator signed in (link)')
  await expect(page.getByRole('button', { name: 'Show older entries' })).toHaveCount(0)
  await expect(page.getByRole('main').locator('img')).toHaveCount(0)
  expect(dialogs).toEqual([])
})
