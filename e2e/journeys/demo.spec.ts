import { campaignsApi, capturesApi, evidenceApi, graphApi, iodsApi, narrativesApi } from '@iodine/contracts'
import { type StartedApp, startApp } from '@iodine/harness'
import { apiClient } from '@iodine/test-kit'
import { expect, test } from '@playwright/test'
import { keepLog } from '../support/keep-log.js'

/** Paths of sections, with a text that each shows once it has data. */
const SECTIONS = [
  ['overview', 'Product roadmap'],
  ['data', '@captain_osk'],
  ['iods', 'Showing'],
  ['narratives', 'One server carries Varnel Watch.'],
  ['campaigns', 'Giant mirrors over Lake Varnel'],
  ['campaigns/matrix', 'Chat Apps'],
  ['graph', 'entities'],
  ['community', '@night_reader'],
  ['analytics', 'Most disputed'],
  [
    'origins?text=A+worker+of+the+dam+told+us+tonight%3A+the+siren+of+Varnel+was+switched+off',
    'Earliest known here',
  ],
  ['profile', 'analyst@iodine.example'],
] as const

let app: StartedApp
test.afterEach(async () => {
  await keepLog(test.info(), app)
  await app?.stop()
})

test('the demo fills every section once, and states that no AI model is used', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(300_000)
  app = await startApp({ RATE_LIMITS: 'off' }, ['--demo'])
  await page.goto(`${app.url}/login`)
  await page.getByLabel('Email').fill('analyst@iodine.example')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.goto(await app.mailedLink('analyst@iodine.example'))
  await expect(page).toHaveURL(/\/dashboard\/overview$/)
  await expect(page.getByText('@mirror_desk').first()).toBeVisible()

  for (const [section, text] of SECTIONS) {
    await page.goto(`${app.url}/dashboard/${section}`)
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await page.screenshot({ path: test.info().outputPath(`${section.replace(/\W.*/, '')}.png`) })
  }
  await page.goto(`${app.url}/dashboard/narratives`)
  await expect(page.getByText('not an AI model')).toBeVisible()
  await page.getByLabel('Text (required)').fill('Giant mirrors heat Lake Varnel.')
  await page.getByRole('button', { name: 'Extract narratives' }).click()
  await expect(page.getByText('1 triplet extracted')).toBeVisible()

  const token = await page.evaluate(() => localStorage.getItem('access_token'))
  const { call } = apiClient(app.url, token ?? '')
  const look = async () => {
    const iods = await call(iodsApi.listIods)
    const ids = iods.map(({ id }) => id)
    const counts = await call(evidenceApi.countEvidence, { body: { ids } })
    return {
      evidence: Object.values(counts).reduce((sum, count) => sum + count, 0),
      sealed: (await call(capturesApi.listCaptures)).filter(({ state }) => state === 'sealed').length,
      iods: iods.length,
      voted: iods.filter(({ votes }) => votes.length > 1).length,
      narratives: (await call(narrativesApi.listNarratives)).length,
      techniques: await call(campaignsApi.countTechniques),
      nodes: (await call(graphApi.getTriplets)).nodes.length,
    }
  }
  const first = await look()
  expect(first.iods).toBeGreaterThanOrEqual(60)
  expect(first.evidence).toBeGreaterThan(30)
  expect(first.sealed).toBeGreaterThan(8)
  expect(first.voted).toBeGreaterThan(40)
  expect(first.narratives).toBe(31)
  expect(first.techniques.filter(({ quotes }) => quotes > 0)).toHaveLength(4)
  expect(first.techniques.map(({ id }) => id)).toContain('T0043')
  expect(first.nodes).toBeGreaterThan(60)
  await app.cutPower()
  await app.start()
  expect(await look()).toEqual(first)
})
