/**
 * What the list of IODs takes with 100,000 of them beside 1,000, on screen and over the API, on the embedded database,
 * and a page through gateway and service beside the query below it. Both sizes are a product of their own as `npm start`
 * runs it, and take turns.
 *
 *   npm run bench -- iods
 */
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startProduct } from '@iodine/harness'
import { median, NO_LIMITS, signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { MongoClient } from 'mongodb'
import { Agent, request } from 'undici'
import { launchBrowser } from './lib/browser.js'
import { atOnce, count, inTurns, table } from './lib/measure.js'
import { PHRASES, seedIods, WORDS } from './lib/seed-iods.js'

const sizes = { small: Number(process.env.SMALL ?? 1_000), large: Number(process.env.LARGE ?? 100_000) }
const rounds = Number(process.env.ROUNDS ?? 15)
const LIST = '/dashboard/iods'

/** A product over so many IODs, with somebody signed in. */
const startSide = async (total: number) => {
  const folder = temporaryFolder()
  const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
  const client = await new MongoClient(mongo.uri).connect()
  const db = client.db('iodine_iods')
  const mail = await startMailCatcher()
  await seedIods(db, total)
  const started = performance.now()
  const product = await startProduct({ MONGODB_URI: mongo.uri, SMTP_URL: mail.url, ...NO_LIMITS })
  const startMs = performance.now() - started
  const { token } = await signUp({ url: product.url, mail })
  const agent = new Agent({ connections: 32 })
  const get = async (path: string) => {
    const answer = await request(`${product.url}/api/v1/iods${path}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}` },
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text) as unknown
  }
  return {
    total,
    product,
    iods: db.collection('iods'),
    startMs,
    token,
    get,
    async stop() {
      await agent.close()
      await product.stop()
      await mail.stop()
      await client.close()
      await mongo.stop()
      folder.remove()
    },
  }
}
type Side = Awaited<ReturnType<typeof startSide>>

// First, as it ends with this process whatever happens, which the products don't.
const browser = await launchBrowser()
const small = await startSide(sizes.small)
const large = await startSide(sizes.large)
const sides = { small, large }

const rows: string[][] = []
/** Both sizes in turn; a task gets a number that no earlier call of the same task had. */
const compare = async <S>(
  what: string,
  on: { small: S; large: S },
  task: (side: S, n: number) => unknown,
) => {
  const warmUps = 2
  for (let n = 0; n < warmUps; n++) for (const side of [on.small, on.large]) await task(side, n)
  const took = await inTurns(rounds, {
    small: round => task(on.small, round + warmUps),
    large: round => task(on.large, round + warmUps),
  })
  rows.push([what, count(took.small), count(took.large), (took.large / took.small).toFixed(2)])
}

// Searches that no round made before: nothing comes from what an earlier one found.
const frequent = (n: number) => WORDS[n] as string
const rare = (n: number) => WORDS[560 - n] as string
const two = (n: number) => `${WORDS[n]} ${WORDS[n + 20]}`
const phrase = (n: number) => PHRASES[n] as string
const search = (q: string) => `q=${encodeURIComponent(q)}`

const api = async (what: string, path: (n: number, side: Side) => string) => {
  const listed = new Map<Side, number[]>([small, large].map(side => [side, []]))
  await compare(what, sides, async (side, n) => {
    const answer = await side.get(path(n, side))
    if (Array.isArray(answer)) listed.get(side)?.push(answer.length)
  })
  const [few = [], many = []] = listed.values()
  rows.at(-1)?.push(few.length ? `${median(few)} and ${median(many)}` : '')
}
await api('API: first page', () => '?limit=50')
const deep = new Map<Side, string>()
for (const side of [small, large]) {
  const { created_at, _id } = await side.iods
    .find()
    .sort({ created_at: 1, _id: 1 })
    .skip(100)
    .next()
    .then(doc => doc as unknown as { created_at: Date; _id: { toHexString(): string } })
  deep.set(side, Buffer.from(`${created_at.getTime()}.${_id.toHexString()}`).toString('base64url'))
}
await api('API: last page but one', (_, side) => `?limit=50&cursor=${deep.get(side)}`)
await api('API: page of a category and a source', () => '?limit=50&category=URL&source_type=BLOG')
await api('API: facets', () => '/facets?category=URL')
await api('API: new search, frequent word', n => `?limit=50&${search(frequent(n))}`)
await api('API: new search, rare word', n => `?limit=50&${search(rare(n))}`)
await api('API: new search, two words', n => `?limit=50&${search(two(n))}`)
await api('API: new search, two words often together', n => `?limit=50&${search(phrase(n))}`)
await api('API: new search, two letters', n => `?limit=50&${search(frequent(n + 40).slice(0, 2))}`)
await api('API: new search, nothing found', n => `?limit=50&${search(`zq${n}x`)}`)
await api('API: facets of a search made before', () => `/facets?${search(frequent(0))}`)

const open = async ({ product, token }: Side): Promise<{ page: Page; url: string }> => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${product.url}/privacy-policy`)
  await page.evaluate(value => localStorage.setItem('access_token', value), token)
  return { page, url: product.url + LIST }
}
const tabs = { small: await open(small), large: await open(large) }
type Tab = (typeof tabs)['small']
const FIRST_ROW = 'tr[aria-rowindex="2"]'
const show = async ({ page, url }: Tab, query = '') => {
  await page.goto(url + query)
  await page.waitForSelector(FIRST_ROW)
}
/** Until the rows are those of the filter that a chip names. */
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
const letters = (n: number) => `${frequent(n + 60).slice(0, 3)}`
await compare('screen: search, frequent word', tabs, (tab, n) => type(tab, frequent(n + 100)))
await compare('screen: search, rare word', tabs, (tab, n) => type(tab, rare(n + 40)))
await compare('screen: search, two words', tabs, (tab, n) => type(tab, two(n + 60)))
await compare('screen: search, two words often together', tabs, (tab, n) => type(tab, phrase(20 + n)))
await compare('screen: search, three letters', tabs, (tab, n) => type(tab, letters(n)))
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

console.log(
  `Start to ready: ${count(small.startMs)} ms with ${small.total.toLocaleString('en')} IODs, ${count(large.startMs)} ms with ${large.total.toLocaleString('en')}.\n`,
)
table(
  [
    'what',
    `${small.total.toLocaleString('en')}, ms`,
    `${large.total.toLocaleString('en')}, ms`,
    'ratio',
    'IODs answered',
  ],
  rows.map(row => [...row, ''].slice(0, 5)),
)

const pages = 200
const sort = { created_at: -1, _id: -1 } as const
for (const width of [1, 16]) {
  const bare = () => atOnce(pages, width, () => large.iods.find().sort(sort).limit(50).toArray())
  const through = () => atOnce(pages, width, () => large.get('?limit=50'))
  await bare()
  await through()
  const took = await inTurns(7, { bare, through })
  console.log(
    `\nA page of 50, ${width} at once: ${count(pages / (took.bare / 1_000))} a second by the bare query, ${count(pages / (took.through / 1_000))} through gateway and service, ${(took.through / took.bare).toFixed(2)} times as long.`,
  )
}

await small.stop()
await large.stop()
