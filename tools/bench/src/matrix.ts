/**
 * Time to draw DISARM's matrix with all 391 cells of which a campaign uses 100, and to show a choice, in Chromium: from
 * the click until the changed cells are painted. The request that stores the choice is not awaited.
 *
 *   npm run bench -- matrix
 *
 * Aims: 150 ms to draw, 50 ms for a choice. ROUNDS: repetitions, default 20.
 */
import { loadavg } from 'node:os'
import { campaignsApi, LIMITS, paths } from '@iodine/contracts'
import { TECHNIQUES } from '@iodine/exchange/disarm'
import { startTestApp } from '@iodine/harness'
import { NO_LIMITS } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { table } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 20)
const current = TECHNIQUES.filter(({ until }) => until === null).map(({ id }) => id)

/** Clicks an element. Resolves to the milliseconds until a frame with so many matching elements is painted. */
const clickToPaint = (page: Page, clicked: string, shown: string, count: number): Promise<number> =>
  page.evaluate(
    args =>
      new Promise<number>(resolve => {
        const start = performance.now()
        document.querySelector<HTMLElement>(args.clicked)?.click()
        const look = () =>
          document.querySelectorAll(args.shown).length === args.count
            ? setTimeout(() => resolve(performance.now() - start))
            : requestAnimationFrame(look)
        requestAnimationFrame(look)
      }),
    { clicked, shown, count },
  )

const summary = (name: string, times: number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)
  return [name, times.length, at(0), at(0.5), at(0.95)]
}

const load = loadavg()[0]?.toFixed(1)
const browser = await launchBrowser()
try {
  const app = await startTestApp({ env: NO_LIMITS })
  try {
    const user = await app.signUp()
    const { id } = await user.api.call(campaignsApi.createCampaign, { body: { name: 'Mirrors' } })
    // One is left, so that a choice can add it.
    for (const tid of current.filter((_, n) => n % 3 === 0).slice(0, LIMITS.techniquesMax - 1))
      await user.api.call(campaignsApi.addTechnique, { params: { id, tid } })
    const page = await openPage(browser, user.token)
    await page.goto(app.url + paths.matrix({ campaign: id }))
    await page.getByRole('gridcell').first().waitFor()
    const [drawn, chosen]: [number[], number[]] = [[], []]
    const cells = page.getByRole('gridcell')
    await page.getByRole('button', { name: 'Unfold all' }).click()
    const search = page.getByPlaceholder('Search techniques...')
    for (let n = 0; n < rounds; n++) {
      await search.fill('no such technique')
      await cells.first().waitFor({ state: 'detached' })
      const clear = 'button[aria-label="Clear search"]'
      drawn.push(await clickToPaint(page, clear, '[role="gridcell"]', current.length))
    }
    await page.getByText('Choose', { exact: true }).click()
    const free = `[data-tid="${current.find((_, n) => n % 3 !== 0)}"]`
    for (let n = 0; n < rounds; n++)
      chosen.push(await clickToPaint(page, free, `${free}[aria-selected="${n % 2 === 0}"]`, 1))
    table(
      ['matrix', 'rounds', 'best, ms', 'median, ms', '95 %, ms'],
      [summary('391 cells drawn', drawn), summary('choice shown', chosen)],
    )
    console.log(`Load at the start: ${load}`)
  } finally {
    await app.stop()
  }
} finally {
  await browser.close()
}
