import { mock } from 'node:test'
import { adminApi, authApi, profileApi } from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { apiClient, linkIn } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { holdRequests } from '../support/hold-requests.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { pressEscape } from '../support/press-escape.js'

let stack: TestStack
test.beforeAll(async () => {
  stack = await startTestStack({ env: { BETA_REQUIRED: 'true', ADMIN_EMAILS: 'boss@example.org' } })
})
test.afterEach(() => keepLog(test.info(), stack))
test.afterAll(() => stack?.stop())

const admin = () => stack.signUp('boss@example.org', 'the_boss')

test('a new person needs a beta code, and comes back without one', { tag: '@long' }, async ({ page }) => {
  const { api } = await admin()
  const { code } = await api.call(adminApi.createBetaCode, { body: { email: '' } })

  await page.goto(`${stack.url}/dashboard`)
  await expect(page).toHaveURL(/\/login$/)
  await page.getByLabel('Email').fill('new@example.org')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Please enter your beta invitation code')).toBeVisible()
  await page.getByLabel('Beta code').fill('WRONG-CODE1')
  await page.getByRole('button', { name: 'Validate' }).click()
  await expect(page.getByText('Invalid beta code')).toBeVisible()
  await page.getByLabel('Beta code').fill(code.toLowerCase())
  await page.getByRole('button', { name: 'Validate' }).click()
  await expect(page.getByText('Check your email to sign in')).toBeVisible()

  const link = linkIn(await stack.mail.waitForMail('new@example.org'))
  await page.goto(link)
  await expect(page).toHaveURL(/\/setup-username$/)
  await page.getByLabel('Username').fill('no')
  await expect(page.getByText('Username must contain between 3 and 20 alphanumeric characters')).toBeVisible()
  await page.getByLabel('Username').fill('the_boss')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('This username is already taken').first()).toBeVisible()
  await page.getByLabel('Username').fill('newcomer')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('@newcomer').first()).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.goto(link)
  await expect(page).toHaveURL(/\/login$/)
  await page.getByLabel('Email').fill('New@Example.org ')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Check your email to sign in')).toBeVisible()
  // Both links lead to the landing screen.
  const again = linkIn(await stack.mail.waitForMail('new@example.org'))
  await page.goto(again.replace('/magic-login?', '/auth/verify?'))
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await page.goto(`${stack.url}/login`)
  await expect(page).toHaveURL(/\/dashboard\/overview$/)

  const [used] = await api.call(adminApi.listBetaCodes)
  expect(used).toMatchObject({ code, used: true })
})

test('a link works for 15 minutes; an expired and a wrong one lead to login without a word', {
  tag: '@long',
}, async ({ page }) => {
  await admin()
  const link = async () => {
    await stack.api.call(authApi.requestMagicLink, { body: { email: 'boss@example.org' } })
    return linkIn(await stack.mail.waitForMail('boss@example.org'))
  }
  /** Opens an address after moving the clock of all services, which run in this process, by `minutes`. */
  const openLater = async (address: string, minutes: number) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + minutes * 60_000 })
    const verified = page.waitForResponse('**/auth/verify-magic-link')
    await page.goto(address)
    const response = await verified
    mock.timers.reset()
    return response.status()
  }
  expect(await openLater(await link(), 14)).toBe(200)
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await page.evaluate(() => localStorage.clear())
  expect(await openLater(await link(), 16)).toBe(400)
  await expect(page).toHaveURL(/\/login$/)
  for (const path of [`/magic-login?token=${'x'.repeat(43)}`, '/auth/verify']) {
    await page.goto(stack.url + path)
    await expect(page).toHaveURL(/\/login$/)
  }
  await expect(page.getByLabel('Email')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('signing out, and in again, in one tab does so in the other', { tag: '@long' }, async ({
  context,
  page,
}) => {
  const { token } = await admin()
  await openAs(page, stack.url, token, '/dashboard/overview')
  await expect(page.getByText('@the_boss').first()).toBeVisible()
  const other = await context.newPage()
  await other.goto(`${stack.url}/dashboard/profile`)
  await expect(other.getByText('boss@example.org').first()).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await expect(other).toHaveURL(/\/login$/)
  expect(await other.evaluate(() => localStorage.getItem('access_token'))).toBeNull()
  const next = await admin()
  await page.evaluate(value => localStorage.setItem('access_token', value), next.token)
  await expect(other).toHaveURL(/\/dashboard\/overview$/)
})

test('a session that ends elsewhere leads to login at the next call', { tag: '@long' }, async ({ page }) => {
  const { token, api } = await admin()
  await openAs(page, stack.url, token, '/dashboard/iods')
  await expect(page.getByText('No IODs yet')).toBeVisible()
  await api.call(authApi.logout)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page).toHaveURL(/\/login$/)
  expect(await page.evaluate(() => localStorage.getItem('access_token'))).toBeNull()
})

test('administration is for administrators, and an unknown section says so', { tag: '@long' }, async ({
  page,
}) => {
  const boss = await admin()
  await openAs(page, stack.url, boss.token, '/dashboard/admin')
  await expect(page.getByRole('heading', { name: 'Beta Code Management' })).toBeVisible()
  await page.getByLabel('Email').fill('friend@example.org')
  await page.getByRole('button', { name: 'Generate code' }).click()
  await expect(page.getByText('Beta code created')).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: 'friend@example.org' })
  await expect(row).toContainText('Available')

  const [bound] = await boss.api.call(adminApi.listBetaCodes)
  const anonymous = stack.api
  await anonymous.call(authApi.requestMagicLink, {
    body: { email: 'friend@example.org', invite_code: bound?.code },
  })
  const token =
    new URL(linkIn(await stack.mail.waitForMail('friend@example.org'))).searchParams.get('token') ?? ''
  const friend = await anonymous.call(authApi.verifyMagicLink, { body: { token } })
  await openAs(page, stack.url, friend.access_token, '/dashboard/admin')
  await expect(page.getByText('Access denied')).toBeVisible()
  await expect(page.getByText("You don't have permission to access this page.")).toBeVisible()
  await expect(page.getByRole('link', { name: 'Admin' })).toHaveCount(0)
  await page.goto(`${stack.url}/dashboard/nowhere`)
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
})

test('a remote that throws while rendering leaves an error card, and Retry begins anew', {
  tag: '@long',
}, async ({ page }) => {
  const { token } = await admin()
  await page.route('**/api/v1/campaigns', route => route.fulfill({ json: [null] }))
  await openAs(page, stack.url, token, '/dashboard/campaigns')
  await expect(page.getByText('Campaigns could not be shown')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Graph' })).toBeVisible()
  await page.unroute('**/api/v1/campaigns')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No campaigns available yet')).toBeVisible()
})

test('a remote that hangs gives way to an error card after 120 s', { tag: '@long' }, async ({ page }) => {
  const { token } = await admin()
  await page.clock.install()
  await openAs(page, stack.url, token, '/dashboard/overview')
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

test('a remote whose code throws, or that is slow, costs its own place alone', { tag: '@long' }, async ({
  page,
}) => {
  const { token } = await admin()
  await page.route('**/remotes/mfe-community/**/*parcel*.js', route =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken deployment")' }),
  )
  await openAs(page, stack.url, token, '/dashboard/community')
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

test('what is being typed survives Escape, another page and a lost session, and ends with Logout', {
  tag: '@long',
}, async ({ page }) => {
  const boss = await admin()
  const signIn = async () => {
    await stack.api.call(authApi.requestMagicLink, { body: { email: 'boss@example.org' } })
    await page.goto(linkIn(await stack.mail.waitForMail('boss@example.org')))
    await expect(page).toHaveURL(/\/dashboard\/overview$/)
  }
  const open = (section: string) => page.getByRole('link', { name: section, exact: true }).click()
  const text = page.getByLabel('Text (required)')
  const value = page.getByRole('dialog').getByLabel('Value (required)')
  await openAs(page, stack.url, boss.token, '/dashboard/narratives')
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

test('a link of another account asks before it swaps, and the old session ends', { tag: '@long' }, async ({
  page,
}) => {
  const { token } = await admin()
  const link = async () => {
    await stack.api.call(authApi.requestMagicLink, { body: { email: 'second@example.org' } })
    return linkIn(await stack.mail.waitForMail('second@example.org'))
  }
  const { api } = await admin()
  const { code } = await api.call(adminApi.createBetaCode, { body: { email: 'second@example.org' } })
  await stack.api.call(authApi.requestMagicLink, {
    body: { email: 'second@example.org', invite_code: code },
  })
  const first = new URL(linkIn(await stack.mail.waitForMail('second@example.org')))
  const second = await stack.api.call(authApi.verifyMagicLink, {
    body: { token: first.searchParams.get('token') ?? '' },
  })
  await apiClient(stack.url, second.access_token).call(profileApi.setupUsername, {
    body: { username: 'second_one' },
  })
  await openAs(page, stack.url, token, '/dashboard/overview')
  await expect(page.getByText('@the_boss').first()).toBeVisible()

  const mailed = await link()
  await page.goto(mailed)
  await expect(page.getByText('You are signed in as boss@example.org')).toBeVisible()
  await page.getByRole('button', { name: 'Stay' }).click()
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await expect(page.getByText('@the_boss').first()).toBeVisible()

  // Staying has left the link unused.
  await page.goto(mailed)
  await page.getByRole('button', { name: 'Continue as second@example.org' }).click()
  await expect(page.getByText('@second_one').first()).toBeVisible()
  const old = await fetch(`${stack.url}/api/v1/profile/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(old.status).toBe(401)
})

test('My Profile shows where the account is signed in, and ends sessions', { tag: '@long' }, async ({
  page,
  browser,
}) => {
  const { token } = await admin()
  const other = await admin()
  const elsewhere = await browser.newPage()
  await openAs(elsewhere, stack.url, other.token, '/dashboard/overview')
  await expect(elsewhere.getByText('@the_boss').first()).toBeVisible()

  await openAs(page, stack.url, token, '/dashboard/profile')
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByText('This session')).toHaveCount(1)
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('button', { name: 'End sessions' }).click()
  await expect(page.getByText('All other sessions ended')).toBeVisible()
  await expect(page.getByRole('button', { name: 'End all other sessions' })).toHaveCount(0)

  await elsewhere.getByRole('link', { name: 'IODs', exact: true }).click()
  await expect(elsewhere).toHaveURL(/\/login$/)
  await elsewhere.close()
  await page.reload()
  await expect(page.getByText('This session')).toHaveCount(1)
})
