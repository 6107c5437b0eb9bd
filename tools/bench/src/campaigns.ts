/**
 * Cost of a campaign of 5,000 IODs against one of 50, in one product and in turns: opening it in Chromium
 * from the list, until its first rows, its statistics and all of its IODs are there, and adding an IOD and
 * reading the statistics over the API.
 *
 *   npm run bench -- campaigns
 */
import { campaignsApi, iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { iodInput, type SignedInUser } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { startBed } from './lib/bed.js'
import { launchBrowser, openPage } from './lib/browser.js'
import { atOnce, count, interleave, mapValues, medians, ratio, table, timed, whole } from './lib/measure.js'

const SIZES = { small: 50, large: Number(process.env.LARGE ?? 5_000) }
const rounds = Number(process.env.ROUNDS ?? 9)
type Side = keyof typeof SIZES
const WIDTH = 8

const browser = await launchBrowser()
const bed = await startBed(startProduct)
try {
  const { api, token } = await bed.signUp()
  const ids = { small: await seed(api, 'small'), large: await seed(api, 'large') }
  const page = await openPage(browser, token)
  const add = (id: string, iod_id: string) =>
    api.call(campaignsApi.addIod, { params: { id }, body: { iod_id } })
  const statistics = (id: string) => api.call(campaignsApi.getStatistics, { params: { id } })
  const times = await interleave(
    rounds,
    mapValues(ids, (id, side) => async () => {
      const shown = await open(page, side)
      const iod = await api.call(iodsApi.createIod, { body: iodInput() })
      const added = await timed(() => add(id, iod.id))
      const counted = await timed(() => statistics(id))
      await bed.client
        .db('iodine_campaigns')
        .collection('campaigns')
        .updateOne({ name: side }, { $unset: { counted: 1 } })
      const anew = await timed(() => statistics(id))
      return { ...shown, added, counted, anew }
    }),
    1,
  )
  const iod = await api.call(iodsApi.createIod, { body: iodInput() })
  const bytesOf = (body: unknown) => JSON.stringify(body).length
  const figures = async (side: Side) => ({
    ...medians(times[side]),
    answer: bytesOf(await add(ids[side], iod.id)),
    detail: bytesOf(await api.call(campaignsApi.getCampaign, { params: { id: ids[side] } })),
  })
  const [small, large] = [await figures('small'), await figures('large')]
  const row = (what: string, field: keyof typeof small) => [
    what,
    count(small[field]),
    count(large[field]),
    ratio(large[field], small[field]),
  ]
  table(
    [`medians of ${rounds}`, ...Object.values(SIZES).map(size => `${whole(size)} IODs`), 'ratio'],
    [
      row('opened, until rows show, ms', 'rows'),
      row('opened, until statistics are complete, ms', 'complete'),
      row('opened, until all IODs are there, ms', 'whole'),
      row('an IOD added over the API, ms', 'added'),
      row('statistics over the API, ms', 'counted'),
      row('the same, counted from nothing, ms', 'anew'),
      row('answer to an addition, bytes', 'answer'),
      row('the whole campaign, bytes', 'detail'),
    ],
  )
} finally {
  await browser.close()
  await bed.stop()
}

/** Creates a campaign with its own voted IODs; resolves to its id. */
async function seed(api: SignedInUser['api'], side: Side): Promise<string> {
  const { id } = await api.call(campaignsApi.createCampaign, {
    body: { name: side, description: 'Of a bench' },
  })
  await atOnce(SIZES[side], WIDTH, async n => {
    const iod = await api.call(iodsApi.createIod, {
      body: iodInput({ category: n % 3 ? 'SENTENCE' : 'KEYWORDS' }),
    })
    if (n % 2) await api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'POSITIVE' } })
    await api.call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod.id } })
  })
  return id
}

/** Opens a campaign from a freshly loaded list; resolves to the times in milliseconds. */
async function open(page: Page, name: Side): Promise<{ rows: number; complete: number; whole: number }> {
  await page.goto(`${bed.url}/dashboard/campaigns`)
  await page.getByRole('article', { name, exact: true }).getByRole('link').waitFor()
  await page.waitForLoadState('networkidle')
  return page.evaluate(async campaign => {
    const shown = (selector: string) =>
      new Promise<void>(resolve => {
        const look = () => (document.querySelector(selector) ? resolve() : void requestAnimationFrame(look))
        look()
      })
    const link = document.querySelector<HTMLElement>(`[role=article][aria-label="${campaign}"] a`)
    const from = performance.now()
    link?.click()
    await shown('[role=dialog] tr[aria-rowindex="2"]')
    const rows = performance.now() - from
    await shown('[role=dialog] [aria-label="Sources"]')
    const complete = performance.now() - from
    await shown('[role=dialog] button[aria-label="Export in another format"]:enabled')
    return { rows, complete, whole: performance.now() - from }
  }, name)
}
