import { authApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { linkIn } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { holdRequests } from '../support/hold-requests.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { pressEscape } from '../support/press-escape.js'

let app: TestApp
test.beforeAll(async () => {
  app = await startTestApp({ env: { BETA_REQUIRED: 'true', ADMIN_EMAILS: 'boss@example.org' } })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

const admin = () => app.signUp('boss@example.org', 'the_boss')

test('a remote that throws during rendering shows an error card, and Retry renders it again', {
  tag: '@long',
}, async ({ page }) => {
  const { token } = await admin()
  await page.route('**/api/v1/campaigns', route => route.fulfill({ json: [null] }))
  await openAs(page, app.url, token, '/dashboard/campaigns')
  await expect(page.getByText('Campaigns could not be shown')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Graph' })).toBeVisible()
  await page.unroute('**/api/v1/campaigns')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No campaigns available yet')).toBeVisible()
})

test('a remote that hangs is replaced by an error card after 120 s', { tag: '@long' }, async ({ page }) => {
  const { token } = await admin()
  await page.clock.install()
  await openAs(page, app.url, token, '/dashboard/overview')
  // A chunk that is still loading when the clock jumps times out.
  await page.waitForLoadState('networkidle')
  const hung = '**/remotes/mfe-narratives/remoteEntry*'
  await page.route(hung, () => {})
  await page.getByRole('link', { name: 'Narratives' }).click()
  await expect(page.getByRole('main').getByText('Loading...')).toBeVisible()
  await page.clock.fastForward(100_000)
  await expect(page.getByRole('main').getByText('Loading...')).toBeVisible()
  await page.clock.fastForward(21_000)
  await expect(page.getByText('Narratives could not be shown')).toBeVisible()
  await page.unroute(hung)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'Analyze new text' })).toBeVisible()
})

test('a remote that throws or is slow affects only its own area', { tag: '@long' }, async ({ page }) => {
  const { token } = await admin()
  await page.route('**/remotes/mfe-community/**/*parcel*.js', route =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken deployment")' }),
  )
  await openAs(page, app.url, token, '/dashboard/community')
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  const release = await holdRequests(page, '**/remotes/mfe-graph/mf-manifest.json*')
  await page.getByRole('link', { name: 'Graph' }).click()
  await expect(page.getByRole('main').getByText('Loading...')).toBeVisible()
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await expect(page.getByText('boss@example.org').first()).toBeVisible()
  await page.getByRole('link', { name: 'Graph' }).click()
  release()
  await expect(page.getByRole('heading', { name: 'Narrative Triplets Graph' })).toBeVisible()
})

test('typed text survives Escape, another page and a lost session, and is discarded by Logout', {
  tag: '@long',
}, async ({ page }) => {
  const boss = await admin()
  const signIn = async () => {
    await app.api.call(authApi.requestMagicLink, { body: { email: 'boss@example.org' } })
    await page.goto(linkIn(await app.mail.waitForMail('boss@example.org')))
    await expect(page).toHaveURL(/\/dashboard\/overview$/)
  }
  const open = (section: string) => page.getByRole('link', { name: section, exact: true }).click()
  const text = page.getByLabel('Text (required)')
  const value = page.getByRole('dialog').getByLabel('Value (required)')
  await openAs(page, app.url, boss.token, '/dashboard/narratives')
  await text.fill('They hide the')

  await open('IODs')
  await page.getByRole('button', { name: 'Create IOD' }).first().click()
  await value.fill('#half')
  await page.getByRole('dialog').getByRole('button', { name: 'Create IOD' }).click()
  await expect(page.getByText('Veuillez remplir tous les champs requis')).toBeVisible()
  await expect(page.getByRole('dialog').getByLabel('Type (required)')).toBeFocused()
  await pressEscape(page)
  await expect(value).toBeHidden()

  await boss.api.call(authApi.logout)
  await open('Narratives')
  await expect(page).toHaveURL(/\/login$/)
  await signIn()
  await open('Narratives')
  await expect(text).toHaveValue('They hide the')
  await open('IODs')
  await page.getByRole('button', { name: 'Create IOD' }).first().click()
  await expect(value).toHaveValue('#half')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(value).toBeHidden()

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await signIn()
  await open('Narratives')
  await expect(text).toHaveValue('')
})
