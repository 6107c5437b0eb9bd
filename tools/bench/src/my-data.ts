/**
 * The section My data of a member with 10,000 records against one with 100, in Chromium, in turns: time to
 * the first card, frame times while scrolling, and memory on the way to the last record.
 *
 *   npm run bench -- my-data
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { quantile, tiktokPost } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { startBed } from './lib/bed.js'
import { launchBrowser, openPage } from './lib/browser.js'
import { atOnce, count, interleave, mapValues, ratio, table, timed, whole } from './lib/measure.js'

const SIZES = { many: Number(process.env.RECORDS ?? 10_000), few: 100 }
const rounds = Number(process.env.ROUNDS ?? 15)
const FRAMES = 500
const STEP = 80
const BATCH = 500
/** Somewhat longer than the contents of off-screen records are kept. */
const REST_MS = 20_000

const browser = await launchBrowser()
const bed = await startBed(startProduct)

/** A page of a new member with this many records, on the overview. */
const visitor = async (records: number): Promise<Page> => {
  const { api, token } = await bed.signUp()
  await atOnce(Math.ceil(records / BATCH), 1, async () => {
    const batch = Array.from({ length: Math.min(BATCH, records) }, () => tiktokPost())
    await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records: batch } })
  })
  const page = await openPage(browser, token)
  await page.goto(`${bed.url}/dashboard/overview`)
  await page.getByRole('link', { name: 'My data' }).waitFor()
  return page
}

/** Measures from the click in the sidebar to the first card and the tab's count. */
const openSection = async (page: Page, records: number) => {
  await page.getByRole('link', { name: 'My data' }).click()
  await page.getByRole('article').first().waitFor()
  await page.getByRole('tab', { name: `Short videos ${records.toLocaleString('en-US')}` }).waitFor()
}
const leaveSection = async (page: Page) => {
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('button', { name: 'Generate Code' }).waitFor()
}

/** Milliseconds between frames while the page scrolls at constant speed. */
const scroll = (page: Page): Promise<number[]> =>
  page.evaluate(
    ([frames, step]) =>
      new Promise<number[]>(resolve => {
        window.scrollTo(0, 0)
        const times: number[] = []
        const next = (time: number) => {
          times.push(time)
          window.scrollBy(0, step)
          if (times.length <= frames) requestAnimationFrame(next)
          else resolve(times.slice(1).map((at, index) => at - (times[index] ?? 0)))
        }
        requestAnimationFrame(next)
      }),
    [FRAMES, STEP] as const,
  )

const memory = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  await devtools.detach()
  const value = (name: string) => metrics.find(metric => metric.name === name)?.value ?? Number.NaN
  return {
    heapMib: value('JSHeapUsedSize') / 1024 / 1024,
    nodes: value('Nodes'),
    cards: await page.getByRole('article').count(),
  }
}

/** Scrolls to the end repeatedly until this many records are loaded. */
const readOn = (page: Page, records: number) =>
  page.evaluate(
    target =>
      new Promise<void>(resolve => {
        const next = () => {
          const last = [...document.querySelectorAll('article')].at(-1)
          if (Number(last?.getAttribute('aria-posinset')) >= target) return resolve()
          window.scrollTo(0, document.documentElement.scrollHeight)
          setTimeout(next, 20)
        }
        next()
      }),
    records,
  )

try {
  const pages = { many: await visitor(SIZES.many), few: await visitor(SIZES.few) }
  const opened = await interleave(
    rounds,
    mapValues(pages, (page, name) => async () => {
      const ms = await timed(() => openSection(page, SIZES[name]))
      await leaveSection(page)
      return ms
    }),
    1,
  )
  await openSection(pages.many, SIZES.many)
  await openSection(pages.few, SIZES.few)
  const frames = await interleave(
    3,
    mapValues(pages, page => () => scroll(page)),
  )

  const row = (what: string, of: Record<keyof typeof SIZES, number[]>, share: number) => {
    const [many, few] = [quantile(of.many, share), quantile(of.few, share)]
    return [what, count(many), count(few), ratio(many, few)]
  }
  const intervals = mapValues(frames, each => each.flat())
  table(
    ['', `${whole(SIZES.many)} records`, `${SIZES.few} records`, 'ratio'],
    [
      row('open, median (ms)', opened, 0.5),
      row('open, 90 % (ms)', opened, 0.9),
      row('frame, median (ms)', intervals, 0.5),
      row('frame, 95 % (ms)', intervals, 0.95),
      row('frame, 99 % (ms)', intervals, 0.99),
    ],
  )

  const { many } = pages
  await leaveSection(many)
  await openSection(many, SIZES.many)
  const held: string[][] = []
  for (const share of [0.002, 0.01, 0.1, 0.25, 0.5, 1]) {
    const target = Math.ceil(SIZES.many * share)
    await readOn(many, target)
    const arrived = await memory(many)
    await sleep(REST_MS)
    const { heapMib, nodes, cards } = await memory(many)
    held.push([whole(target), arrived.heapMib.toFixed(1), heapMib.toFixed(1), count(nodes), String(cards)])
  }
  await leaveSection(many)
  await sleep(REST_MS)
  const after = await memory(many)
  held.push(['section left', '', after.heapMib.toFixed(1), count(after.nodes), String(after.cards)])
  console.log()
  table(['records scrolled past', 'heap on arrival (MiB)', 'heap at rest (MiB)', 'DOM nodes', 'cards'], held)
} finally {
  await browser.close()
  await bed.stop()
}
