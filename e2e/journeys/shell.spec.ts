import { type BrowserConfig, profileApi } from '@iodine/contracts'
import { expect, type Page, test } from '../support/fixtures.js'
import { pressEscape } from '../support/press-escape.js'

const toast = (page: Page, text: string) => page.getByText(text, { exact: true })
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    return at?.getAttribute('aria-label') ?? at?.textContent ?? ''
  })

test('the overview shows an expiring code with a countdown, the roadmap and contacts', async ({
  context,
  page,
  person,
  openAs,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await page.emulateMedia({ colorScheme: 'dark' })
  await openAs(await person('ada'), '/dashboard')
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  // A chunk that is still loading when the clock jumps times out.
  await page.waitForLoadState('networkidle')

  await page.getByRole('button', { name: 'Generate Code' }).click()
  const code = page.getByLabel('Extension code')
  await expect(page.getByText('Valid for 5 minutes')).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await code.textContent())
  await page.clock.fastForward(240_000)
  await expect(page.getByText(/0:\d\d left/)).toBeVisible()
  await page.clock.fastForward(60_000)
  await expect(code).toHaveCount(0)

  // The clock is paused for the toast, which lasts 3 s. Its chunk, preloaded since the first jump, times out after
  // 120 s.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 30_000))
  await page.route('**/generate-extension-code', route => route.abort())
  await page.getByRole('button', { name: 'Generate Code' }).click()
  const failure = toast(page, 'Failed to generate extension code')
  await expect(failure).toBeVisible()
  await page.clock.runFor(2_500)
  await expect(failure).toBeVisible()
  await page.clock.runFor(1_000)
  await page.clock.resume()
  await expect(failure).toBeHidden()

  for (const item of [
    'IOD creation and management',
    'Campaign management tools',
    'Data import from the browser extension',
    'Voting and community features',
    'Source tracking and attribution',
    'Advanced analytics dashboard',
    'Organization collaboration',
    'AI-powered insights',
    'Advanced graph visualizations',
  ])
    await expect(page.getByRole('listitem').filter({ hasText: item })).toBeVisible()
  await page.getByRole('button', { name: 'Close the first steps' }).click()
  await expect(page.getByRole('heading', { name: 'Product roadmap' })).toBeVisible()
  await expect(page.getByText('AI-powered insights')).toBeHidden()
  const touch = page.getByRole('main').locator('[href^="mailto:"]')
  await expect(touch).toHaveAttribute('href', 'mailto:contact@iodine.local')
  await expect(page.getByRole('link', { name: '#disinformation on Mastodon' })).toBeVisible()

  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
    'rgb(246, 247, 249)',
  )
  await page.getByRole('button', { name: 'Start Creating IODs' }).click()
  await expect(page).toHaveURL(/\/dashboard\/iods$/)
})

test('a user edits the username in the profile, and adds, replaces and deletes an AI key', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const bea = await person('bea')
  await openAs(bea, '/dashboard/profile')
  const main = page.getByRole('main')
  await expect(main.getByText(bea.email)).toBeVisible()
  await expect(main.getByText('User', { exact: true })).toBeVisible()
  const { created_at } = await bea.api.call(profileApi.getProfile)
  const joined = new Date(created_at).toLocaleDateString('en-US', {
    timeZone: 'Europe/Paris',
    dateStyle: 'long',
  })
  await expect(main.getByText(joined)).toBeVisible()

  const edit = page.getByRole('button', { name: 'Edit username' })
  const field = main.getByLabel('Username')
  const save = page.getByRole('button', { name: 'Save' })
  await edit.click()
  await field.fill('a b')
  await expect(main.getByText('Username must contain between 3 and 20 alphanumeric characters')).toBeVisible()
  await field.fill('   ')
  await save.click()
  await expect(toast(page, 'Username cannot be empty')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(main.getByText(`@${bea.username}`)).toBeVisible()
  await expect(edit).toBeFocused()
  const renamed = `r_${bea.username}`.slice(0, 20)
  await edit.press('Enter')
  await field.fill(renamed)
  await field.press('Enter')
  await expect(main.getByText(`@${renamed}`)).toBeVisible()
  await expect(menu(page).getByText(`@${renamed}`)).toBeVisible()

  await expect(main.getByText('Not configured')).toBeVisible()
  await page.getByRole('button', { name: 'Add key' }).click()
  const adding = page.getByRole('dialog', { name: 'Add your OpenAI API key' })
  const key = adding.getByLabel('API key')
  await expect(key).toHaveAttribute('type', 'password')
  await expect(key).toHaveAttribute('placeholder', /^sk-/)
  await expect(key).toBeFocused()
  await key.press('Enter')
  await expect(toast(page, 'API key cannot be empty')).toBeVisible()
  await key.fill('sk-of-bea')
  await key.press('Enter')
  await expect(main.getByText('Configured', { exact: true })).toBeVisible()
  await expect(adding).toBeHidden()

  await page.getByRole('button', { name: 'Edit API key' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit your OpenAI API key' })
  await expect(editing.getByLabel('API key')).toHaveValue('')
  await pressEscape(page)
  await expect(editing).toBeHidden()
  await expect(page.getByRole('button', { name: 'Edit API key' })).toBeFocused()
  await page.getByRole('button', { name: 'Delete API key' }).click()
  const deleting = page.getByRole('dialog', { name: 'Delete your OpenAI API key' })
  await deleting.getByRole('button', { name: 'Cancel' }).click()
  await expect(deleting).toBeHidden()
  expect(await bea.api.call(profileApi.getProfile)).toMatchObject({ has_openai_key: true })
  await page.getByRole('button', { name: 'Delete API key' }).click()
  await deleting.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(main.getByText('Not configured')).toBeVisible()
  expect(await bea.api.call(profileApi.getProfile)).toMatchObject({
    username: renamed,
    has_openai_key: false,
  })

  await page.route('**/api/v1/profile/me', route => route.fulfill({ status: 503, json: { detail: 'x' } }))
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Unable to load profile' })).toBeVisible()
})

test('the legal pages need no sign-in and have a link back', { tag: '@long' }, async ({ page }) => {
  await page.goto('/login')
  for (const [link, path] of [
    ['Terms of Service', '/terms-of-service'],
    ['Privacy Policy', '/privacy-policy'],
  ] as const) {
    await page.getByRole('link', { name: link }).click()
    await expect(page).toHaveURL(new RegExp(`${path}$`))
    await expect(page.getByText('Last updated: June 17, 2025')).toBeVisible()
    await expect(page.getByRole('heading', { level: 2 })).toHaveCount(13)
    await expect(page.getByRole('heading', { level: 2 }).last()).toHaveText('Contact')
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page).toHaveURL(/\/login$/)
    // The pages also link to each other.
    await expect(page.getByLabel('Email')).toBeVisible()
  }
  await page.goto('/terms-of-service')
  await page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: '8. Privacy' }) })
    .getByRole('link')
    .click()
  await expect(page).toHaveURL(/\/privacy-policy$/)
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
})

test('on a narrow screen the sidebar is a drawer', async ({ page, person, openAs }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const cleo = await person('cleo')
  await openAs(cleo, '/dashboard/overview')
  const open = page.getByRole('button', { name: 'Open menu' })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await open.click()
  await expect(drawer.getByText(`@${cleo.username}`)).toBeVisible()
  await drawer.getByRole('button', { name: 'Help Center' }).click()
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(open).toBeFocused()
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await open.click()
  await drawer.getByRole('button', { name: 'Organization' }).click()
  const notice = toast(page, 'Coming Soon - Organization features will be available in a future update.')
  await expect(notice).toBeVisible()
  // At the bottom of the viewport, independent of the scroll position.
  await expect.poll(async () => (await notice.boundingBox())?.y).toBeGreaterThan(700)
  await expect(drawer).toBeHidden()
  await open.click()
  await drawer.getByRole('link', { name: 'Community' }).click()
  await expect(page.getByRole('heading', { name: 'Iodine Community' })).toBeVisible()
  await expect(drawer).toBeHidden()
  await page.setViewportSize({ width: 1000, height: 844 })
  await expect(open).toHaveCount(0)
  expect((await menu(page).boundingBox())?.width).toBeCloseTo(300, -1)
})

test('the keyboard alone suffices from sign-in to a section', async ({ page, app, person }) => {
  const { email } = await person('dan')
  const earlier = await app.mailedLink(email)
  const { keyboard } = page
  await page.goto('/login')
  await expect(page.getByLabel('Email')).toBeFocused()
  await keyboard.type(email)
  await keyboard.press('Enter')
  await expect(toast(page, 'Check your email to sign in')).toBeVisible()
  await expect.poll(() => app.mailedLink(email)).not.toBe(earlier)
  await page.goto(await app.mailedLink(email))
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  // Sections that a fork adds to the menu.
  const { sections } = (await (await page.request.get('/config.json')).json()) as BrowserConfig
  const order: string[] = []
  const fetched: string[] = []
  page.on('request', request => fetched.push(new URL(request.url()).pathname))
  const tab = async (times: number) => {
    for (; times > 0; times--) {
      await keyboard.press('Tab')
      order.push(await focused(page))
    }
  }
  await tab(12 + sections.length)
  expect(order).toEqual([
    'Skip to content',
    'Search everything',
    'Dashboard',
    'My data',
    'IODs',
    'Narratives',
    'Campaigns',
    'Graph',
    'Community',
    'Analytics',
    'Origins',
    ...sections.map(section => section.label),
    'OrganizationLocked',
  ])
  // Focus alone prefetches the focused sections.
  await expect
    .poll(() => fetched.filter(path => path.endsWith('mf-manifest.json')).length)
    .toBe(8 + sections.length)
  await keyboard.press('Enter')
  await expect(
    toast(page, 'Coming Soon - Organization features will be available in a future update.'),
  ).toBeVisible()
  for (let back = 0; back < 7 + sections.length; back++) await keyboard.press('Shift+Tab')
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Indicators of Disinformation|IODs/)
  await expect(page.getByRole('main')).toBeFocused()
})
