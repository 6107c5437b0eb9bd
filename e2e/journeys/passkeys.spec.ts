import { authApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { linkIn } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { addPasskey, plugAuthenticator, withoutSuggestions } from '../support/authenticator.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'

let app: TestApp
test.beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org', ADMIN_PASSKEYS: 'required' } })
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

test('a passkey is added, signs in, and is rejected once removed', async ({ page }) => {
  await withoutSuggestions(page)
  const { cdp, authenticatorId, touch } = await plugAuthenticator(page)
  const { token } = await app.signUp('keyholder@example.org', 'keyholder')
  await openAs(page, app.url, token, '/dashboard/profile?tab=security')
  await touch(() => addPasskey(page, 'My <laptop>'))
  await expect(page.getByText('My <laptop>')).toBeVisible()
  await expect(page.getByText('never used')).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await touch(async () => {
    await button.click()
    await expect(page.getByText('@keyholder').first()).toBeVisible()
  })
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByRole('tab', { name: 'Security' }).click()
  await expect(page.getByText(/last used/)).toBeVisible()

  // A cloned authenticator has an earlier signature counter.
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials
  expect(credential?.signCount).toBeGreaterThan(0)
  await cdp.send('WebAuthn.removeCredential', {
    authenticatorId,
    credentialId: credential?.credentialId ?? '',
  })
  await cdp.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: { ...(credential as NonNullable<typeof credential>), signCount: 0 },
  })
  await page.getByRole('button', { name: 'Logout' }).click()
  await touch(async () => {
    await button.click()
    await expect(page.getByText('This passkey was not accepted')).toBeVisible()
  })

  await openAs(
    page,
    app.url,
    (await app.signUp('keyholder@example.org', null)).token,
    '/dashboard/profile?tab=security',
  )
  await page.getByRole('button', { name: 'Rename passkey: My <laptop>' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Old laptop')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove passkey: Old laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Passkey removed')).toBeVisible()
  await expect(page.getByText('Old laptop')).toHaveCount(0)
  await page.getByRole('button', { name: 'Logout' }).click()
  await touch(async () => {
    await button.click()
    await expect(page.getByText('This passkey was not accepted')).toBeVisible()
  })
  await expect(page).toHaveURL(/\/login$/)
})

test('the login screen suggests a passkey at the e-mail field', { tag: '@long' }, async ({ page }) => {
  const { touch } = await plugAuthenticator(page)
  const { token } = await app.signUp('suggested@example.org', 'suggested')
  await openAs(page, app.url, token, '/dashboard/profile?tab=security')
  await touch(() => addPasskey(page, 'Phone'))
  // The virtual authenticator accepts the suggestion immediately.
  await touch(async () => {
    // The name also stays in the menu until the session has ended.
    const signedIn = page.waitForResponse('**/api/v1/auth/verify-passkey')
    await page.getByRole('button', { name: 'Logout' }).click()
    expect((await signedIn).status()).toBe(200)
    await expect(page.getByText('@suggested').first()).toBeVisible()
  })
})

test('administration requires a session opened by a passkey, if so configured', {
  tag: '@long',
}, async ({ page }) => {
  await withoutSuggestions(page)
  const { touch } = await plugAuthenticator(page)
  await app.api.call(authApi.requestMagicLink, { body: { email: 'boss@example.org' } })
  await page.goto(linkIn(await app.mail.waitForMail('boss@example.org')))
  await page.getByLabel('Username').fill('the_boss')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Admin' }).click()
  await expect(page.getByText('Sign in with a passkey to do this')).toBeVisible()

  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByRole('tab', { name: 'Security' }).click()
  await touch(() => addPasskey(page, 'Security key'))
  await page.getByRole('button', { name: 'Logout' }).click()
  await touch(async () => {
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page.getByText('@the_boss').first()).toBeVisible()
  })
  await page.getByRole('link', { name: 'Admin' }).click()
  await page.getByRole('button', { name: 'Generate code' }).click()
  await expect(page.getByText('Beta code created')).toBeVisible()
})

test('a browser without passkey support gets no passkey option', { tag: '@long' }, async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'PublicKeyCredential', { value: undefined })
  })
  await page.goto(`${app.url}/login`)
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toHaveCount(0)
})
