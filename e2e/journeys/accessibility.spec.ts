import { campaignsApi, paths } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { expect, type Page, test } from '@playwright/test'
import { EVERY_PAGE_SETTINGS, fillEveryPage, visitEveryPage } from '../support/every-page.js'
import { faultsOf, watchShifts } from '../support/faults.js'
import { keepLog } from '../support/keep-log.js'
import { openAs } from '../support/open-as.js'
import { watchPolicy } from '../support/policy.js'
import { SIZES, tierOf } from '../support/sizes.js'
import { OVERLAYS, reach } from '../support/states.js'

let app: TestApp
let token: string
let made: Awaited<ReturnType<typeof fillEveryPage>>

test.beforeAll(async () => {
  app = await startTestApp({ env: { ...EVERY_PAGE_SETTINGS, ADMIN_EMAILS: 'boss@example.org' } })
  const reader = await app.signUp('boss@example.org', 'reader')
  token = reader.token
  made = await fillEveryPage(reader)
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

/** Technique with the longest title of DISARM's list, and one with a short title. */
const TECHNIQUES = ['T0123', 'T0002']

type Look = (state: string) => Promise<unknown>

/** Looks at a new API token and a new feed key, whose dialogs show them once, and at their list. */
const lookAtSecrets = async (page: Page, look: Look): Promise<void> => {
  for (const [button, title, label, shown] of [
    ['Create token', 'Create an API token', 'Name', 'Your API token'],
    ['Create key', 'Create a feed key', 'Label', 'Your feed key'],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    const form = page.getByRole('dialog', { name: title })
    await form.getByLabel(label).fill('Nightly import of our OpenCTI')
    await form.getByRole('button', { name: 'Create' }).click()
    const secret = page.getByRole('dialog', { name: shown })
    await expect(secret).toBeVisible()
    await look(shown)
    await secret.getByRole('button', { name: 'Done' }).click()
    await expect(secret).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: /^Revoke Nightly/ })).toHaveCount(2)
  await look('list of tokens and keys')
}

/** Looks at the techniques of an open campaign, publishes it, and looks at its feed URLs. */
const lookAtCampaign = async (page: Page, look: Look): Promise<void> => {
  const detail = page.getByRole('dialog', { name: 'Lake mirrors' })
  await detail.getByRole('tab', { name: 'Techniques' }).click()
  await expect(detail.getByRole('region', { name: 'Techniques' }).getByRole('listitem')).toHaveCount(
    TECHNIQUES.length,
  )
  await look('techniques')
  await detail.getByRole('tab', { name: 'Sharing' }).click()
  await detail.getByRole('region', { name: 'Sharing' }).getByText('Publish in feeds').click()
  const question = page.getByRole('dialog', { name: 'Publish the campaign' })
  await expect(question).toBeVisible()
  await look('confirmation of a publication')
  await question.getByRole('button', { name: 'Publish' }).click()
  await expect(question).toHaveCount(0)
  await detail.getByRole('button', { name: 'Feed URLs' }).click()
  await expect(page.getByRole('dialog', { name: 'Feed URLs' })).toBeVisible()
  await look('feed URLs')
}

// `npm run pictures` also checks a large monitor and more states.
for (const viewport of SIZES) {
  test.describe(`at ${viewport.width} px`, tierOf(viewport), () => {
    test.beforeEach(async ({ page }) => {
      // About forty states each: four times their duration on a busy machine.
      test.setTimeout(480_000)
      await page.setViewportSize(viewport)
    })

    for (const set of ['sections', 'linked', 'others'] as const)
      test(`no page (${set}) has a serious accessibility fault, horizontal scrolling, truncated text, layout shifts or policy violations`, {
        tag: set === 'sections' ? [] : '@long',
      }, async ({ page }) => {
        const faults: string[] = []
        const violations = await watchPolicy(page)
        await watchShifts(page)
        const look = async (path: string) => void faults.push(...(await faultsOf(page, path)))
        const reader = { url: app.url, token, isAdmin: true, made }
        await visitEveryPage(page, reader, look, [set])
        expect(faults).toEqual([])
        expect(violations).toEqual([])
      })

    test('no dialog, popover, menu or drawer has such a fault', { tag: '@long' }, async ({ page }) => {
      // Without animations: contrast must be measured in the final rendering.
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const faults: string[] = []
      const violations = await watchPolicy(page)
      await openAs(page, app.url, token, '/dashboard/overview')
      for (const state of OVERLAYS) {
        await reach(page, app.url, state)
        faults.push(...(await faultsOf(page, `${state.path}, ${state.clicks.join(', ')}`)))
      }
      if (viewport.width < 1_000) {
        await page.goto(`${app.url}/dashboard/overview`)
        await page.getByRole('button', { name: 'Open menu' }).click()
        faults.push(...(await faultsOf(page, 'the drawer')))
      }
      expect(faults).toEqual([])
      expect(violations).toEqual([])
    })

    test('no new token or key, technique or feed URL has such a fault', { tag: '@long' }, async ({
      page,
    }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const faults: string[] = []
      const look: Look = async state => faults.push(...(await faultsOf(page, state)))
      const user = await app.signUp()
      const { id } = await user.api.call(campaignsApi.createCampaign, { body: { name: 'Lake mirrors' } })
      for (const tid of TECHNIQUES) await user.api.call(campaignsApi.addTechnique, { params: { id, tid } })
      await openAs(page, app.url, user.token, paths.profile({ tab: 'access' }))
      await lookAtSecrets(page, look)
      await page.goto(app.url + paths.campaign(id))
      await lookAtCampaign(page, look)
      expect(faults).toEqual([])
    })
  })
}

test('the policy of pages and of the API reference permits only scripts from files of the app', {
  tag: '@long',
}, async ({ page }) => {
  const violations = await watchPolicy(page)
  await page.goto(`${app.url}/api/v1/docs`)
  await page.getByText('Request a sign-in link by e-mail').click()
  await expect(page.getByText('requires_beta_code').first()).toBeVisible()
  expect(violations).toEqual([])

  // Pages of the shell also require trusted types, the reference does not.
  for (const path of ['/login', '/api/v1/docs'])
    for (const attack of ['inline', 'handler', 'eval', 'elsewhere', 'style', 'frame'] as const) {
      await page.goto(app.url + path)
      violations.length = 0
      await page.evaluate(kind => {
        const add = (name: string, properties: object) =>
          document.body.append(Object.assign(document.createElement(name), properties))
        try {
          if (kind === 'inline') add('script', { textContent: 'window.ran = true' })
          if (kind === 'handler')
            document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ran = true">')
          if (kind === 'eval') setTimeout('window.ran = true')
          if (kind === 'elsewhere') add('script', { src: 'https://evil.example/x.js' })
          if (kind === 'style')
            add('style', { textContent: 'body { background: url(https://evil.example/pixel) }' })
          if (kind === 'frame') add('iframe', { src: 'https://evil.example' })
        } catch (error) {
          if (!(error instanceof TypeError || error instanceof EvalError)) throw error
        }
      }, attack)
      await expect.poll(() => violations, `${attack} on ${path}`).not.toEqual([])
      const ran = await page.evaluate(() => (window as unknown as { ran?: boolean }).ran)
      expect([path, attack, ran]).toEqual([path, attack, undefined])
    }

  await page.goto(`${app.url}/login`)
  const refused = await page.evaluate(() => {
    const sinks: Record<string, () => unknown> = {
      innerHTML: () => Object.assign(document.createElement('div'), { innerHTML: '<b>x</b>' }),
      worker: () => new Worker('https://evil.example/worker.js'),
      data: () => Object.assign(document.createElement('script'), { src: 'data:text/javascript,ran()' }),
      own: () => Object.assign(document.createElement('script'), { src: '/static/js/own.js' }),
    }
    return Object.entries(sinks).flatMap(([name, write]) => {
      try {
        write()
        return []
      } catch {
        return name
      }
    })
  })
  expect(refused).toEqual(['innerHTML', 'worker', 'data'])
})
