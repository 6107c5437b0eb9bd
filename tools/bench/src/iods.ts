/**
 * The list of IODs with 100,000 compared with 1,000 IODs, on screen and over the API, on the embedded database; also a
 * page through gateway and service compared with the underlying query. Each size has a separate product started like
 * `npm start`; both alternate.
 *
 *   npm run bench -- iods
 *
 * `ROWS` is a pattern of the measured rows, by default all; with it, the bare queries are left out.
 */
import { iodsApi } from '@iodine/contracts'
import { startApp } from '@iodine/harness'
import { freePorts } from '@iodine/local-servers'
import { iodInput, NO_LIMITS } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { Agent, request } from 'undici'
import { launchBrowser, openPage } from './lib/browser.js'
import { atOnce, count, mapValues, rate, ratio, table, timeInterleaved, whole } from './lib/measure.js'
import { PHRASES, seedIods, WORDS } from './lib/seed-iods.js'
import { startTestServer } from './lib/test-server.js'

const sizes = { small: Number(process.env.SMALL ?? 1_000), large: Number(process.env.LARGE ?? 100_000) }
const rounds = Number(process.env.ROUNDS ?? 15)
const wanted = new RegExp(process.env.ROWS ?? '')
const texts = process.env.TEXTS === 'short' ? 'short' : 'long'
const LIST = '/dashboard/iods'

/** Starts a product with `total` IODs and a signed-in member. */
const startSide = async (total: number) => {
  const [metrics] = await freePorts(1)
  const server = await startTestServer(startApp, {
    env: { ...NO_LIMITS, METRICS_PORT: String(metrics) },
    fill: uri => seedIods(uri, total, texts),
  })
  const { token, api } = await server.signUp()
  const iods = server.client.db('iodine_iods').collection('iods')
  const agent = new Agent({ connections: 32 })
  return {
    ...server,
    iods,
    token,
    api,
    /** Returns the resident memory in MB of the process of all parts, without the database. */
    async residentMb() {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
      const bytes = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1]
      if (!bytes) throw new Error('The metrics contain no resident memory.')
      return Number(bytes) / 2 ** 20
    },
    async get(path: string) {
      const answer = await request(`${server.url}/api/v1${path}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}` },
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text}`)
      return JSON.parse(text) as unknown
    },
    async stop() {
      await agent.close()
      await server.stop()
    },
  }
}
type Side = Awaited<ReturnType<typeof startSide>>

const browser = await launchBrowser()
const small = await startSide(sizes.small)
const large = await startSide(sizes.large)
const sides = { small, large }

const rows: string[][] = []
/** Runs both sizes alternately. Each call of a task gets a new number. */
const compare = async <S>(
  what: string,
  on: { small: S; large: S },
  task: (side: S, n: number) => unknown,
) => {
  if (!wanted.test(what)) return
  const tasks = mapValues(on, side => (round: number) => task(side, round))
  const took = await timeInterleaved(rounds, tasks, 2)
  rows.push([what, count(took.small), count(took.large), ratio(took.large, took.small)])
}

// Each run uses new search terms, to avoid cached results.
const frequent = (n: number) => WORDS[n] as string
const rare = (n: number) => WORDS[560 - n] as string
const two = (n: number) => `${WORDS[n]} ${WORDS[n + 20]}`
const phrase = (n: number) => PHRASES[n] as string
const search = (q: string) => `q=${encodeURIComponent(q)}`

const api = (what: string, path: (n: number, side: Side) => string) =>
  compare(what, sides, (side, n) => side.get(`/iods${path(n, side)}`))

await api('API: first page', () => '?limit=50')
type Place = { created_at: Date; _id: { toHexString(): string } }
const cursorAfter = ({ created_at, _id }: Place) =>
  Buffer.from(`${created_at.getTime()}.${_id.toHexString()}`).toString('base64url')
const deep = new Map<Side, string>()
for (const side of [small, large]) {
  const place = await side.iods.find().sort({ created_at: 1, _id: 1 }).skip(100).next()
  deep.set(side, cursorAfter(place as unknown as Place))
}
await api('API: last page but one', (_, side) => `?limit=50&cursor=${deep.get(side)}`)
await api('API: page of a category and a source', () => '?limit=50&category=URL&source_type=BLOG')
await api('API: facets', () => '/facets?category=URL')
await api('API: new search, frequent word', n => `?limit=50&${search(frequent(n))}`)
await api('API: new search, rare word', n => `?limit=50&${search(rare(n))}`)
await api('API: new search, two words', n => `?limit=50&${search(two(n))}`)
await api('API: new search, two words often together', n => `?limit=50&${search(phrase(n))}`)
await api('API: new search, nothing found', n => `?limit=50&${search(`zq${n}x`)}`)
await api('API: page by most votes', () => '?limit=50&sort=votes')
await api('API: page of a category, most disputed', () => '?limit=50&category=URL&sort=disputed')
await api(
  'API: new search, frequent word, most votes',
  n => `?limit=50&sort=votes&${search(frequent(n + 20))}`,
)
await compare('API: create an IOD', sides, side =>
  side.api.call(iodsApi.createIod, { body: iodInput({ description: `${frequent(1)} ${phrase(1)}` }) }),
)
await api('API: facets of a search made before', () => `/facets?${search(frequent(0))}`)

const open = async ({ url, token }: Side) => ({ page: await openPage(browser, token), url: url + LIST })
const tabs = { small: await open(small), large: await open(large) }
type Tab = (typeof tabs)['small']
const FIRST_ROW = 'tr[aria-rowindex="2"]'
const show = async ({ page, url }: Tab, query = '') => {
  await page.goto(url + query)
  await page.waitForSelector(FIRST_ROW)
}
/** Waits until the rows match the filter of a chip. */
const shown = (page: Page, chip: string) =>
  page.waitForFunction(
    text =>
      document.querySelector('fieldset[aria-label="Active filters"]')?.textContent?.includes(text) &&
      !document.querySelector('section[aria-label="IODs"][aria-busy="true"]'),
    chip,
  )
await compare('screen: first rows', tabs, tab => show(tab))
const type = async ({ page }: Tab, text: string) => {
  await page.getByPlaceholder('Search by value or description...').fill(text)
  await shown(page, `Search: ${text}`)
}
await compare('screen: search, frequent word', tabs, (tab, n) => type(tab, frequent(n + 100)))
await compare('screen: search, rare word', tabs, (tab, n) => type(tab, rare(n + 40)))
await compare('screen: search, two words', tabs, (tab, n) => type(tab, two(n + 60)))
await compare('screen: search, two words often together', tabs, (tab, n) => type(tab, phrase(20 + n)))
for (const tab of Object.values(tabs)) {
  await show(tab)
  await tab.page.getByRole('button', { name: 'Categories' }).click()
}
await compare('screen: filter', tabs, async ({ page }, n) => {
  const label = n % 2 ? 'HASH' : 'TITLE'
  const menu = page.getByRole('group', { name: 'Categories' })
  await menu.getByLabel('All').click()
  await menu.getByLabel(label).first().click()
  await shown(page, label)
})
for (const tab of Object.values(tabs)) await show(tab)
await compare('screen: scroll by a page', tabs, async ({ page }, n) => {
  const row = n * 50 + 52
  await page.$eval('section[aria-label="IODs"]', (frame, top) => frame.scrollTo(0, top), (row - 2) * 64)
  await page.waitForSelector(`tr[aria-rowindex="${row}"]`)
})
await browser.close()

const [fewMb, manyMb] = [await small.residentMb(), await large.residentMb()]
console.log(
  `Resident memory of the services: ${count(fewMb)} MB and ${count(manyMb)} MB, ratio ${ratio(manyMb, fewMb)}.`,
)
console.log(
  `Start to ready: ${count(small.startMs)} ms with ${whole(sizes.small)} IODs, ${count(large.startMs)} ms with ${whole(sizes.large)}.\n`,
)
table(['what', `${whole(sizes.small)}, ms`, `${whole(sizes.large)}, ms`, 'ratio'], rows)

const pages = 200
const sort = { created_at: -1, _id: -1 } as const
const places = (await large.iods
  .find()
  .sort(sort)
  .limit(pages)
  .project({ created_at: 1 })
  .toArray()) as unknown as Place[]
/** Requests of the same first page, and of the pages after different IODs. */
const asked = {
  'the same page': { filter: () => ({}), path: () => '?limit=50' },
  'each another page': {
    filter: (index: number) => {
      const { created_at, _id } = places[index] as Place
      return {
        created_at: { $lte: created_at },
        $or: [{ created_at: { $lt: created_at } }, { _id: { $lt: _id as never } }],
      }
    },
    path: (index: number) => `?limit=50&cursor=${cursorAfter(places[index] as Place)}`,
  },
}
for (const width of process.env.ROWS === undefined ? [1, 16] : [])
  for (const [what, { filter, path }] of Object.entries(asked)) {
    const took = await timeInterleaved(
      7,
      {
        bare: () =>
          atOnce(pages, width, index => large.iods.find(filter(index)).sort(sort).limit(50).toArray()),
        through: () => atOnce(pages, width, index => large.get(`/iods${path(index)}`)),
      },
      1,
    )
    console.log(
      `\n${what}, of 50, ${width} at once: ${rate(pages, took.bare)} a second by the bare query, ${rate(pages, took.through)} through gateway and service, ${ratio(took.through, took.bare)} times as long.`,
    )
  }

await small.stop()
await large.stop()
