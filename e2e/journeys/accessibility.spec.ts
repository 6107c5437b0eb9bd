import AxeBuilder from '@axe-core/playwright'
import { startTestStack, type TestStack } from '@iodine/harness'
import { expect, type Page, test } from '@playwright/test'
import { fillEveryPage, visitEveryPage } from '../support/every-page.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { watchPolicy } from '../support/policy.js'

let stack: TestStack
let token: string

test.beforeAll(async () => {
  stack = await startTestStack({ env: { ADMIN_EMAILS: 'boss@example.org' } })
  const reader = await stack.signUp('boss@example.org', 'reader')
  token = reader.token
  await fillEveryPage(reader)
})
test.afterEach(() => keepLog(test.info(), stack))
test.afterAll(() => stack?.stop())

const CAMPAIGN = 'Lake mirrors'
/**
 * Overlays and expanded parts of pages: the names to click in order, and what is then shown. A campaign's
 * buttons are clicked once its dialog has its name: it is loaded then.
 */
const OPENED: readonly (readonly [path: string, clicks: string[], shown: string])[] = [
  ['/dashboard/data', ['Create IOD from'], '.bp6-dialog'],
  ['/dashboard/data', ['More actions'], '.bp6-popover'],
  ['/dashboard/data', ['More actions', 'Delete'], '.bp6-dialog'],
  ['/dashboard/iods', ['Create IOD'], '.bp6-dialog'],
  ['/dashboard/iods', ['Activity'], '.bp6-popover'],
  ['/dashboard/iods', ['Details'], '.bp6-popover'],
  ['/dashboard/iods', ['Categories'], '.bp6-popover'],
  ['/dashboard/narratives', ['Convert to IOD'], '.bp6-dialog'],
  ['/dashboard/campaigns', ['Create Campaign'], '.bp6-dialog'],
  ['/dashboard/campaigns', [CAMPAIGN, 'View details'], '.bp6-dialog:has-text("IOD Details")'],
  ['/dashboard/campaigns', [CAMPAIGN, 'Add IOD'], '.bp6-dialog:has-text("Add IODs to Campaign")'],
  ['/dashboard/graph', ['Filters'], 'form[aria-label="Filters"]'],
  ['/dashboard/community', ['View full profile'], 'ul[aria-label="Contributions"]'],
  ['/dashboard/profile', ['Edit username'], 'main form'],
  ['/dashboard/profile', ['Edit API key'], '.bp6-dialog'],
  ['/dashboard/overview', ['Organization'], '.bp6-toast'],
]

/** Serious axe violations of a page in its present state. A single run suffices, as no page has frames. */
const faultsOf = async (page: Page, where: string): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${where}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`no page has a serious accessibility fault, scrolls sideways or breaks its policy at ${viewport.width} px`, async ({
    page,
  }) => {
    test.setTimeout(240_000)
    await page.setViewportSize(viewport)
    const faults: string[] = []
    const violations = await watchPolicy(page)
    const look = async (path: string) => {
      faults.push(...(await faultsOf(page, path)))
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (overflow > 0) faults.push(`${path}: scrolls sideways by ${overflow} px`)
    }
    await visitEveryPage(page, { url: stack.url, token, admin: 'Beta Code Management' }, look)
    expect(faults).toEqual([])
    expect(violations).toEqual([])
  })
}

test('no dialog, popover, menu or drawer has a serious accessibility fault', async ({ page }) => {
  test.setTimeout(240_000)
  // Without animations: contrast must be measured in the final rendering.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const faults: string[] = []
  const violations = await watchPolicy(page)
  await openAs(page, stack.url, token, '/dashboard/overview')
  for (const [path, clicks, shown] of OPENED) {
    await page.goto(stack.url + path)
    for (const name of clicks) {
      const control = page
        .getByRole('button', { name })
        .or(page.getByRole('menuitem', { name }))
        .or(page.getByRole('article', { name }))
      await control.first().click()
      if (name === CAMPAIGN) await expect(page.getByRole('dialog', { name })).toBeVisible()
    }
    await expect(page.locator(shown)).toBeVisible()
    faults.push(...(await faultsOf(page, `${path}, ${clicks.join(', ')}`)))
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  faults.push(...(await faultsOf(page, 'the drawer')))
  expect(faults).toEqual([])
  expect(violations).toEqual([])
})

test('the API reference keeps to the policy, under which no script of a page runs that is not a file of ours', async ({
  page,
}) => {
  const violations = await watchPolicy(page)
  await page.goto(`${stack.url}/api/v1/docs`)
  await page.getByText('Ask for a sign-in link by e-mail').click()
  await expect(page.getByText('requires_beta_code').first()).toBeVisible()
  expect(violations).toEqual([])

  await page.goto(`${stack.url}/login`)
  for (const attack of ['inline', 'handler', 'eval', 'elsewhere', 'style', 'frame'] as const) {
    violations.length = 0
    const ran = await page.evaluate(async kind => {
      const add = (name: string, properties: object) =>
        document.body.append(Object.assign(document.createElement(name), properties))
      const state = window as unknown as { ran?: boolean }
      if (kind === 'inline') add('script', { textContent: 'window.ran = true' })
      if (kind === 'handler')
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ran = true">')
      if (kind === 'eval') setTimeout('window.ran = true')
      if (kind === 'elsewhere') add('script', { src: 'https://evil.example/x.js' })
      if (kind === 'style')
        add('style', { textContent: 'body { background: url(https://evil.example/pixel) }' })
      if (kind === 'frame') add('iframe', { src: 'https://evil.example' })
      await new Promise(done => setTimeout(done, 200))
      return state.ran
    }, attack)
    expect([attack, ran]).toEqual([attack, undefined])
    expect([attack, violations]).not.toEqual([attack, []])
  }
})
