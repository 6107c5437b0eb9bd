/**
 * What a campaign of 5,000 IODs costs beside one of 50, both in one product and in turns: opening it in Chromium from
 * the list, until its first rows and until everything of it is shown, and adding an IOD over the API.
 *
 *   npm run bench -- campaigns
 */
import { campaignsApi, iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { iodInput, median, NO_LIMITS, type SignedInUser, signUp } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { launchBrowser } from './lib/browser.js'
import { atOnce, count, table, timed } from './lib/measure.js'

const SIZES = { small: 50, large: Number(process.env.LARGE ?? 5_000) }
const rounds = Number(process.env.ROUNDS ?? 9)
type Side = keyof typeof SIZES
const SIDES = Object.keys(SIZES) as Side[]
const WIDTH = 8

// First, as it ends with this process whatever happens, which the product doesn't.
const browser = await launchBrowser()
const product = await startProduct({ ...NO_LIMITS })
try {
  const mail = {
    waitForMail: async (to: string) => ({
      to: [to],
      from: '',
      subject: '',
      html: '',
      raw: '',
      text: await product.mailedLink(to),
    }),
  }
  const user = await signUp({ url: product.url, mail }, 'bench@example.org', 'bench')
  const ids = { small: await seed(user, 'small'), large: await seed(user, 'large') }

  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${product.url}/privacy-policy`)
  await page.evaluate(token => localStorage.setItem('access_token', token), user.token)
  const rows: Record<Side, number[]> = { small: [], large: [] }
  const whole: Record<Side, number[]> = { small: [], large: [] }
  const adds: Record<Side, number[]> = { small: [], large: [] }
  // The first round warms both sides and is not counted.
  for (let round = 0; round <= rounds; round++)
    for (const side of SIDES) {
      const took = await open(page, side)
      const iod = await user.api.call(iodsApi.createIod, { body: iodInput() })
      const added = await timed(() =>
        user.api.call(campaignsApi.addIod, { params: { id: ids[side] }, body: { iod_id: iod.id } }),
      )
      if (round === 0) continue
      rows[side].push(took.rows)
      whole[side].push(took.whole)
      adds[side].push(added)
    }
  const bytesOf = async (side: Side, method: string, path: string, body?: object) =>
    JSON.stringify((await user.api.send(method, `/campaigns/${ids[side]}${path}`, body)).body).length
  const iod = await user.api.call(iodsApi.createIod, { body: iodInput() })
  const answers: Record<Side, number> = { small: 0, large: 0 }
  const details: Record<Side, number> = { small: 0, large: 0 }
  for (const side of SIDES) {
    answers[side] = await bytesOf(side, 'POST', '/add-iod', { iod_id: iod.id })
    details[side] = await bytesOf(side, 'GET', '')
  }

  const row = (what: string, of: Record<Side, number>) => [
    what,
    count(of.small),
    count(of.large),
    (of.large / of.small).toFixed(2),
  ]
  const medians = (of: Record<Side, number[]>) => ({ small: median(of.small), large: median(of.large) })
  table(
    [`medians of ${rounds}`, ...SIDES.map(side => `${SIZES[side].toLocaleString('en')} IODs`), 'ratio'],
    [
      row('opened, until rows show, ms', medians(rows)),
      row('opened, until statistics are complete, ms', medians(whole)),
      row('an IOD added over the API, ms', medians(adds)),
      row('answer to an addition, bytes', answers),
      row('the whole campaign, bytes', details),
    ],
  )
} finally {
  await browser.close()
  await product.stop()
}

/** A campaign with voted IODs of its own; resolves to its id. */
async function seed({ api }: SignedInUser, side: Side): Promise<string> {
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

/** Opens a campaign from a freshly loaded list, and how long that takes, in milliseconds. */
async function open(page: Page, name: Side): Promise<{ rows: number; whole: number }> {
  await page.goto(`${product.url}/dashboard/campaigns`)
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
    return { rows, whole: performance.now() - from }
  }, name)
}
