/**
 * My data of somebody with 10,000 records beside that of somebody with 100, in Chromium, in turns: how long the section
 * takes to show its first card, how evenly it scrolls, and what it holds in memory on the way to the last record.
 *
 *   npm run bench -- my-data
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { NO_LIMITS, quantile, signUp, startMailCatcher, tiktokPost } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { launchBrowser } from './lib/browser.js'
import { atOnce, count, table, timed } from './lib/measure.js'

const SIZES = { many: Number(process.env.RECORDS ?? 10_000), few: 100 }
const rounds = Number(process.env.ROUNDS ?? 15)
const FRAMES = 500
const STEP = 80
const BATCH = 500
/** Somewhat longer than the contents of records stay that have left the screen. */
const REST_MS = 20_000

// First, as it ends with this process whatever happens, which the product doesn't.
const browser = await launchBrowser()
const mail = await startMailCatcher()
const product = await startProduct({ SMTP_URL: mail.url, ...NO_LIMITS })

/** A page of somebody who has this many records, on the overview. */
const visitor = async (records: number): Promise<Page> => {
  const { api, token } = await signUp({ url: product.url, mail })
  await atOnce(Math.ceil(records / BATCH), 1, async () => {
    const batch = Array.from({ length: Math.min(BATCH, records) }, () => tiktokPost())
    await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records: batch } })
  })
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  await page.goto(`${product.url}/login`)
  await page.evaluate(value => localStorage.setItem('access_token', value), token)
  await page.goto(`${product.url}/dashboard/overview`)
  await page.getByRole('link', { name: 'My data' }).waitFor()
  return page
}

/** From the click in the sidebar to the first card and the tab's count. */
const openSection = async (page: Page, records: number) => {
  await page.getByRole('link', { name: 'My data' }).click()
  await page.getByRole('article').first().waitFor()
  await page.getByRole('tab', { name: `Short videos ${records.toLocaleString('en-US')}` }).waitFor()
}
const leaveSection = async (page: Page) => {
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('button', { name: 'Generate Code' }).waitFor()
}

/** Milliseconds from each frame to the next while the page scrolls evenly. */
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

/** Scrolls to the end again and again until this many records have been read. */
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
  const names = ['many', 'few'] as const
  for (const name of names) {
    await openSection(pages[name], SIZES[name])
    await leaveSection(pages[name])
  }
  const opened = { many: [] as number[], few: [] as number[] }
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      opened[name].push(await timed(() => openSection(pages[name], SIZES[name])))
      await leaveSection(pages[name])
    }
  const frames = { many: [] as number[], few: [] as number[] }
  for (const name of names) await openSection(pages[name], SIZES[name])
  for (let round = 0; round < 3; round++)
    for (const name of names) frames[name].push(...(await scroll(pages[name])))

  const row = (what: string, of: (name: 'many' | 'few') => number) => [
    what,
    count(of('many')),
    count(of('few')),
    (of('many') / of('few')).toFixed(2),
  ]
  table(
    ['', `${SIZES.many.toLocaleString('en')} records`, `${SIZES.few} records`, 'ratio'],
    [
      row('open, median (ms)', name => quantile(opened[name], 0.5)),
      row('open, 90 % (ms)', name => quantile(opened[name], 0.9)),
      row('frame, median (ms)', name => quantile(frames[name], 0.5)),
      row('frame, 95 % (ms)', name => quantile(frames[name], 0.95)),
      row('frame, 99 % (ms)', name => quantile(frames[name], 0.99)),
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
    held.push([
      target.toLocaleString('en'),
      arrived.heapMib.toFixed(1),
      heapMib.toFixed(1),
      count(nodes),
      String(cards),
    ])
  }
  await leaveSection(many)
  await sleep(REST_MS)
  const after = await memory(many)
  held.push(['section left', '', after.heapMib.toFixed(1), count(after.nodes), String(after.cards)])
  console.log()
  table(['records scrolled past', 'heap on arrival (MiB)', 'heap at rest (MiB)', 'DOM nodes', 'cards'], held)
} finally {
  await browser.close()
  await product.stop()
  await mail.stop()
}
