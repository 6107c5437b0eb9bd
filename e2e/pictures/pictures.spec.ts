import { join } from 'node:path'
import { CATEGORIES, campaignsApi, collectorApi, iodsApi, LIMITS, narrativesApi } from '@iodine/contracts'
import { startTestApp, type TestApp } from '@iodine/harness'
import { blogArticle, iodInput, type SignedInUser, telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, type Page, type Route, test, type ViewportSize } from '@playwright/test'
import { EVERY_PAGE_SETTINGS, fillEveryPage, visitEveryPage } from '../support/every-page.js'
import { faultsOf, watchShifts } from '../support/faults.js'
import { openAs } from '../support/open-as.js'
import { watchPolicy } from '../support/policy.js'
import { SIZES } from '../support/sizes.js'
import { OVERLAYS, reach, SECTIONS } from '../support/states.js'

const FOLDER = join(import.meta.dirname, '../../pictures')
const LARGE = { width: 1920, height: 1080 }
const IODS = 300
const CAMPAIGNS = 40
const TECHNIQUES = ['T0002', 'T0007', 'T0023.001', 'T0048.001', 'T0081.005', 'T0096.002', 'T0115.002']
const API = '**/api/v1/**'
const OWN_PROFILE = '**/api/v1/profile/me'

/** Creates as much data as a year of work. */
const fillMany = async ({ api }: SignedInUser): Promise<void> => {
  const ids: string[] = []
  for (let n = 0; n < IODS; n++) {
    const body = iodInput({ category: CATEGORIES[n % CATEGORIES.length], description: `Seen in post ${n}` })
    ids.push((await api.call(iodsApi.createIod, { body })).id)
    if (n % 3 === 0)
      await api.call(iodsApi.voteIod, {
        params: { id: ids.at(-1) ?? '' },
        body: { vote_type: n % 2 ? 'NEGATIVE' : 'POSITIVE' },
      })
  }
  for (let n = 0; n < CAMPAIGNS; n++) {
    const body = { name: `Operation ${n}`, description: `Posts and domains of wave ${n}` }
    const { id } = await api.call(campaignsApi.createCampaign, { body })
    await api.call(campaignsApi.addIods, { params: { id }, body: { iod_ids: ids.slice(n, n * 7 + 1) } })
    for (const tid of TECHNIQUES.slice(0, n))
      await api.call(campaignsApi.addTechnique, { params: { id, tid } })
  }
}

/** Creates records with the longest values, as one word and as many. */
const fillLong = async ({ api }: SignedInUser): Promise<void> => {
  const word = 'Spiegel'.repeat(LIMITS.fieldMax).slice(0, LIMITS.fieldMax)
  const words = 'Mirrors over the lake. '.repeat(LIMITS.fieldMax).slice(0, LIMITS.fieldMax)
  for (const text of [word, words]) {
    for (const [source, record] of [
      ['tiktok', tiktokPost({ description: text })],
      ['telegram', telegramPost({ description: text })],
      ['blog', blogArticle({ title: text, description: text })],
    ] as const)
      await api.call(collectorApi.ingestRecords, { params: { source }, body: { records: [record] } })
    const { id } = await api.call(iodsApi.createIod, { body: iodInput({ value: text, description: text }) })
    const campaign = await api.call(campaignsApi.createCampaign, { body: { name: text, description: text } })
    await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: id } })
    await api.call(narrativesApi.createNarrative, { body: { text } })
  }
}

for (const viewport of [...SIZES, LARGE])
  test(`every state at ${viewport.width} px`, async ({ page }) => {
    const app: TestApp = await startTestApp({
      env: { ...EVERY_PAGE_SETTINGS, ADMIN_EMAILS: 'boss@example.org', RATE_LIMITS: 'off' },
    })
    try {
      await lookAtAll(page, app, viewport)
    } finally {
      await app.stop()
    }
  })

async function lookAtAll(page: Page, app: TestApp, viewport: ViewportSize): Promise<void> {
  const faults: string[] = await watchPolicy(page)
  await watchShifts(page)
  await page.setViewportSize(viewport)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  let taken = 0
  const look = async (name: string) => {
    const file = `${String(++taken).padStart(3, '0')} ${name.replaceAll(/[^\w,-]+/g, ' ').trim()}.png`
    await page.screenshot({ path: join(FOLDER, String(viewport.width), file) })
    faults.push(...(await faultsOf(page, name)))
  }
  /** Takes a screenshot of every section once its requests are done. */
  const lookAtSections = async (as: string) => {
    for (const section of SECTIONS) {
      await page.goto(`${app.url}/dashboard/${section}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.waitForLoadState('networkidle')
      await look(`${as}, ${section}`)
    }
  }

  const boss = await app.signUp('boss@example.org', 'boss')
  await openAs(page, app.url, boss.token, '/dashboard/overview')
  await lookAtSections('empty')

  const made = await fillEveryPage(boss)
  await page.evaluate(() => localStorage.clear())
  const { token } = boss
  await visitEveryPage(page, { url: app.url, token, isAdmin: true, made }, look)
  await openAs(page, app.url, boss.token, '/dashboard/overview')
  for (const state of OVERLAYS) {
    await reach(page, app.url, state)
    await look(`${state.path.slice('/dashboard/'.length)}, ${state.clicks.join(', ')}`)
  }
  if (viewport.width < 1_000) {
    await page.goto(`${app.url}/dashboard/overview`)
    await page.getByRole('button', { name: 'Open menu' }).click()
    await look('drawer')
  }

  await fillMany(boss)
  await lookAtSections('many')
  await page.goto(`${app.url}/dashboard/campaigns`)
  await page.getByRole('article', { name: 'Operation 39' }).click()
  await expect(page.getByRole('dialog', { name: 'Operation 39' })).toBeVisible()
  await look('many, a campaign')
  await page.getByRole('tab', { name: 'Techniques' }).click()
  await page.getByRole('button', { name: 'Choose techniques' }).click()
  await expect(page.getByRole('checkbox', { name: 'T0002' })).toBeVisible()
  await look('many, techniques')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Add IOD' }).click()
  await expect(page.getByRole('dialog', { name: 'Add IODs to Campaign' })).toBeVisible()
  await look('many, the picker')

  await fillLong(boss)
  await lookAtSections('long')
  await page.goto(`${app.url}/dashboard/campaigns`)
  await page.getByRole('article').first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await look('long, a campaign')

  const answer = async (how: (route: Route) => Promise<void>, as: string, until: () => Promise<unknown>) => {
    await page.route(API, how)
    await page.route(OWN_PROFILE, route => route.continue())
    for (const section of SECTIONS) {
      await page.goto(`${app.url}/dashboard/${section}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await until()
      await look(`${as}, ${section}`)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
  await answer(
    () => new Promise(() => {}),
    'loading',
    () => page.waitForTimeout(1_000),
  )
  const down = { status: 503, json: { detail: 'Service unavailable' } }
  await answer(
    route => route.fulfill(down),
    'failed',
    () => page.waitForLoadState('networkidle'),
  )

  expect(faults).toEqual([])
}
