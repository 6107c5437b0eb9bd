/**
 * Known IODs on a page of 1 MiB: comparing its text with all IODs (in this process, as in the extension's background) against
 * looking for each value with `indexOf`, in turns; and what underlining takes of the page's own thread in Chromium,
 * against the same page without it.
 *
 *   npm run bench -- overlay
 *   ROUNDS=5 SIZES=1000,10000,100000 npm run bench -- overlay
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { foldValue } from '@iodine/contracts'
import { createScanner, OVERLAY_ROW_BYTES, OverlayRows, overlayRow } from '@iodine/known-iods'
import { seededRandom } from '@iodine/test-kit'
import type { Browser, Page } from '@playwright/test'
import { type Plugin, rolldown } from 'rolldown'
import { launchBrowser } from './lib/browser.js'
import { count, interleave, medians, ratio, table, timeInterleaved } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const sizes = (process.env.SIZES ?? '1000,10000,100000').split(',').map(Number)
const CHARACTERS = 2 ** 20
const VOCABULARY = 60_000
/** Values that `indexOf` looks for: all would take minutes. */
const SEARCHED = 1_000
const LOOK_MS = 4_000
const STORM_MS = 5_000
const STORM_EVERY_MS = 10
const STORM_CHANGES = 100

const random = seededRandom(25)
const below = (max: number) => Math.floor(random() * max)
const many = <T>(length: number, make: () => T): T[] => Array.from({ length }, make)
const vocabulary = many(VOCABULARY, () =>
  many(2 + below(8), () => String.fromCharCode(97 + below(26))).join(''),
)
/** Frequent words first, as in texts of people. */
const word = () => vocabulary[Math.floor(random() ** 3 * VOCABULARY)] as string
const words = (length: number) => many(length, word).join(' ')

const made = (size: number) => {
  const values = many(size, () => words(2 + below(7)))
  const rows = new Uint8Array(size * OVERLAY_ROW_BYTES)
  for (const [n, value] of values.entries()) {
    const id = n.toString(16).padStart(24, '0')
    const row = overlayRow({ id, value, category: 'SENTENCE', votes_for: 1, votes_against: 0 })
    if (row) rows.set(row, n * OVERLAY_ROW_BYTES)
  }
  return { values, rows }
}

/** Paragraphs of a page, in which one in three says a value; and how many words they have. */
const paragraphsWith = (values: readonly string[]): string[] => {
  const paragraphs: string[] = []
  for (let length = 0; length < CHARACTERS; ) {
    const value = below(3) === 0 ? ` ${values[below(values.length)]}` : ''
    const paragraph = words(5 + below(60)) + value
    paragraphs.push(paragraph)
    length += paragraph.length + 1
  }
  return paragraphs
}

const raw: Plugin = {
  name: 'raw',
  resolveId: (id, from) =>
    id.endsWith('?raw') && from ? `${fileURLToPath(new URL(id, `file://${from}`))}?raw` : null,
  load: id =>
    id.endsWith('?raw')
      ? {
          code: `export default ${JSON.stringify(readFileSync(id.replace('?raw', ''), 'utf8'))}`,
          moduleType: 'js',
        }
      : null,
}
const bundleOf = async (input: string, name: string): Promise<string> => {
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input,
    platform: 'browser',
    plugins: [raw],
    resolve: { conditionNames: ['source', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'iife', name })
  return output[0].code
}
const OVERLAY = fileURLToPath(new URL('../../../extension/src/content/overlay/index.ts', import.meta.url))

/** Answers as the extension's background does, in a thread of its own. */
const BACKGROUND = `
let all, scanner
onmessage = ({ data: { rows, texts } }) => {
  if (rows) {
    all = new knownIods.OverlayRows(rows)
    scanner = knownIods.createScanner(all.count, n => all.keyAt(n))
    return
  }
  const iods = []
  const hits = texts.map(text => scanner.scan(text).slice(0, 200).flatMap(({ start, end, key }) => {
    const { key: _, ...iod } = all.entryAt(key)
    return [start, end, iods.push({ ...iod, campaigns: [], more: 0 }) - 1]
  }))
  postMessage({ ok: true, value: { iods, hits } })
}`

/** A page that is read with these IODs known. */
const openPage = async (browser: Browser, body: string, rows: Uint8Array): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.setContent(`<!doctype html><title>Page</title><body>${body}</body>`)
  const background = (await bundleOf('@iodine/known-iods', 'knownIods')) + BACKGROUND
  await page.evaluate(
    ([code, base64]) => {
      const worker = new Worker(URL.createObjectURL(new Blob([code])))
      worker.postMessage({ rows: Uint8Array.from(atob(base64), character => character.charCodeAt(0)) })
      const sendMessage = (message: object) =>
        new Promise(resolve => {
          worker.onmessage = ({ data }) => resolve(data)
          worker.postMessage(message)
        })
      Object.assign(window, { chrome: { runtime: { id: 'x', sendMessage } } })
    },
    [background, Buffer.from(rows).toString('base64')] as const,
  )
  await page.addScriptTag({
    content: `${await bundleOf(OVERLAY, 'module')}\nwindow.overlay = module.createOverlay()`,
  })
  await page.waitForTimeout(500)
  return page
}

interface Bound {
  overlay: { start(): void; stop(): void; found(): unknown[] }
}

/** What the page's thread does while `work` runs: milliseconds of the processor in all, and of its longest task. */
const thread = async (browser: Browser, page: Page, work: () => Promise<unknown>) => {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  const tasks = new Map<string, number[]>()
  for (const { name, ph, pid, tid, tdur } of traceEvents)
    if (ph === 'X' && /RunTask$/.test(name))
      tasks.set(`${pid} ${tid}`, [...(tasks.get(`${pid} ${tid}`) ?? []), (tdur ?? 0) / 1_000])
  const main = new Map<string, string>()
  for (const { name, pid, tid, args } of traceEvents)
    if (name === 'thread_name' && args.name === 'CrRendererMain') main.set(`${pid}`, `${pid} ${tid}`)
  const lasting = [...main.values()].flatMap(key => tasks.get(key) ?? [])
  return { all: lasting.reduce((sum, ms) => sum + ms, 0), longest: Math.max(0, ...lasting) }
}

const comparing: string[][] = []
const page = { chars: 0, words: 0 }
for (const size of sizes) {
  const { values, rows } = made(size)
  const all = new OverlayRows(rows)
  const paragraphs = paragraphsWith(values)
  const text = paragraphs.join('\n')
  page.chars = text.length
  page.words = text.split(/\s+/).length
  const begun = performance.now()
  const scanner = createScanner(all.count, n => all.keyAt(n))
  const built = performance.now() - begun
  const searched = values.slice(0, SEARCHED).map(foldValue)
  let hits = 0
  const { scan, search } = await timeInterleaved(rounds, {
    scan: async () => {
      hits = paragraphs.reduce((sum, paragraph) => sum + scanner.scan(paragraph).length, 0)
    },
    search: async () => {
      const folded = foldValue(text)
      for (const value of searched)
        for (let at = folded.indexOf(value); at !== -1; at = folded.indexOf(value, at + 1)) hits += 0
    },
  })
  const wholeSearch = (search * size) / searched.length
  comparing.push([
    count(size),
    built.toFixed(0),
    scan.toFixed(0),
    count(hits),
    wholeSearch.toFixed(0),
    ratio(wholeSearch, scan),
    (rows.length / 2 ** 20).toFixed(1),
  ])
}
console.log(`A page of ${count(page.chars)} characters, ${count(page.words)} words`)
table(
  [
    'IODs',
    'ms to index',
    'ms to compare',
    'found',
    'ms by indexOf (from 1,000 values)',
    'ratio',
    'MiB stored',
  ],
  comparing,
)

const size = sizes.at(-1) ?? 0
const { values, rows } = made(size)
const browser = await launchBrowser()
try {
  const paragraphs = paragraphsWith(values)
  // One word in ten stands in an element of its own.
  const inline = (paragraph: string) => paragraph.replace(/(\S+ ){9}(\S+)/g, '$1<b>$2</b>')
  const body = paragraphs.map(paragraph => `<div><p>${inline(paragraph)}</p></div>`).join('')
  const large = await openPage(browser, body, rows)
  const start = (at: Page) => at.evaluate(() => (window as never as Bound).overlay.start())
  const stop = (at: Page) => at.evaluate(() => (window as never as Bound).overlay.stop())
  let found = 0
  const reading = await interleave(rounds, {
    without: () => thread(browser, large, () => large.waitForTimeout(LOOK_MS)),
    with: async () => {
      const spent = await thread(browser, large, async () => {
        await start(large)
        await large.waitForTimeout(LOOK_MS)
      })
      found = await large.evaluate(() => (window as never as Bound).overlay.found().length)
      await stop(large)
      return spent
    },
  })
  await large.close()

  // A page that is small enough for the browser to draw as often as it changes.
  const small = await openPage(browser, body.slice(0, body.indexOf('</div>', 60_000) + 6), rows)
  const storm = () =>
    thread(browser, small, () =>
      small.evaluate(
        ([lasting, every, changes]) =>
          new Promise<void>(resolve => {
            const texts = [...document.querySelectorAll('p')].map(each => each.firstChild as Text)
            const end = performance.now() + lasting
            let n = 0
            const timer = setInterval(() => {
              for (let k = 0; k < changes; k++)
                (texts[n++ % texts.length] as Text).data = `changed for the ${n}th time `
              if (performance.now() < end) return
              clearInterval(timer)
              resolve()
            }, every)
          }),
        [STORM_MS, STORM_EVERY_MS, STORM_CHANGES] as const,
      ),
    )
  const storms = await interleave(rounds, {
    without: storm,
    with: async () => {
      await start(small)
      await small.waitForTimeout(1_000)
      const spent = await storm()
      await stop(small)
      return spent
    },
  })
  const [quiet, marked] = [medians(reading.without), medians(reading.with)]
  const [calm, stormy] = [medians(storms.without), medians(storms.with)]
  console.log(`\n${count(size)} IODs, ${found} of them listed of the page`)
  table(
    ['the page’s own thread', 'without', 'underlined', 'difference'],
    [
      [
        'ms in the first 4 s',
        quiet.all.toFixed(0),
        marked.all.toFixed(0),
        (marked.all - quiet.all).toFixed(0),
      ],
      [
        'longest task, ms',
        quiet.longest.toFixed(1),
        marked.longest.toFixed(1),
        (marked.longest - quiet.longest).toFixed(1),
      ],
      [
        '% of 5 s with 10,000 changes a second',
        ((100 * calm.all) / STORM_MS).toFixed(1),
        ((100 * stormy.all) / STORM_MS).toFixed(1),
        ((100 * (stormy.all - calm.all)) / STORM_MS).toFixed(1),
      ],
    ],
  )
} finally {
  await browser.close()
}
