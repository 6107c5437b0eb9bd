import { startTestApp, type TestApp } from '@iodine/harness'
import { expect, test } from '@playwright/test'
import { fillEveryPage, visitEveryPage } from '../support/every-page.js'
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
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org' } })
  const reader = await app.signUp('boss@example.org', 'reader')
  token = reader.token
  made = await fillEveryPage(reader)
})
test.afterEach(() => keepLog(test.info(), app))
test.afterAll(() => app?.stop())

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
