/**
 * What loading at run time costs a user: bytes and time of the first load, and of opening a section, beside the same
 * app built as one bundle with lazy routes (`tools/bench/one-bundle`), both served by the product and taken in turns.
 *
 *   npm run bench -- first-load
 *
 * Bytes are what came over the network, headers included, until it is idle; time is until the page's heading has been
 * painted, in a browser that has nothing cached.
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { startProduct } from '@iodine/harness'
import type { Browser, Page } from '@playwright/test'
import { startBed } from './lib/bed.js'
import { launchBrowser, openPage } from './lib/browser.js'
import { mapValues, medians, ratio, table, takeTurns } from './lib/measure.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const rounds = Number(process.env.ROUNDS ?? 9)
const SECTIONS = (process.env.SECTIONS ?? 'data,iods,narratives,campaigns,graph,community').split(',')
/** A phone on a slow mobile network: 1.6 Mbit/s down, 150 ms there and back. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }

const IDLE_MS = 400

interface Side {
  url: string
  token: string
}
interface Sides {
  own: Side
  bundle: Side
}
interface Cost {
  bytes: number
  ms: number
}
/** What the page keeps while it is watched: times of its own clock. */
interface Watched {
  startedAt: number
  shownAt: number | undefined
  /** The heading that is being left. */
  left: Element | null
}

/** Runs in each page before its own scripts: notes when the next heading has been painted. */
const watchHeading = () => {
  const watched = window as unknown as Watched
  watched.startedAt = 0
  const look = () => {
    const heading = document.querySelector('main h1')
    if (!heading || heading === watched.left || watched.shownAt !== undefined) return
    requestAnimationFrame(() => setTimeout(() => (watched.shownAt ??= performance.now())))
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

const untilShown = async (page: Page): Promise<number> => {
  const ms = await page.waitForFunction(() => {
    const { shownAt, startedAt } = window as unknown as Watched
    return shownAt === undefined ? undefined : shownAt - startedAt
  })
  return (await ms.jsonValue()) as number
}

/** A page of a browser with nothing cached, with a count of the bytes that it has fetched. */
const freshPage = async (browser: Browser, { token }: Side, slow = false) => {
  const page = await openPage(browser, token)
  await page.addInitScript(watchHeading)
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  if (slow) await network.send('Network.emulateNetworkConditions', SLOW)
  let bytes = 0
  let quietSince = performance.now()
  const open = new Set<string>()
  network.on('Network.requestWillBeSent', ({ requestId }) => open.add(requestId))
  network.on('Network.loadingFailed', ({ requestId }) => ended(requestId))
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength
    ended(requestId)
  })
  const ended = (requestId: string) => {
    open.delete(requestId)
    quietSince = performance.now()
  }
  /** Waits until nothing is fetched any more, and gives the bytes so far. */
  const untilIdle = async (): Promise<number> => {
    for (quietSince = performance.now(); open.size > 0 || performance.now() - quietSince < IDLE_MS; )
      await page.waitForTimeout(50)
    return bytes
  }
  return { page, untilIdle }
}

const firstLoad = async (browser: Browser, side: Side, path: string, slow?: boolean): Promise<Cost> => {
  const { page, untilIdle } = await freshPage(browser, side, slow)
  await page.goto(side.url + path, { waitUntil: 'commit' })
  const cost = { ms: await untilShown(page), bytes: await untilIdle() }
  await page.close()
  return cost
}

/** From the overview, fully loaded; with `hover` the pointer has been on the link long enough. */
const openSection = async (browser: Browser, side: Side, id: string, hover: boolean): Promise<Cost> => {
  const { page, untilIdle } = await freshPage(browser, side)
  await page.goto(`${side.url}/dashboard/overview`)
  await untilShown(page)
  const before = await untilIdle()
  const link = page.locator(`nav a[href="/dashboard/${id}"]`)
  if (hover) {
    await link.hover()
    await untilIdle()
  }
  // The click is the page's own: a real one would bring the pointer, and with it the hover.
  await link.evaluate(element => {
    const watched = window as unknown as Watched
    watched.left = document.querySelector('main h1')
    watched.shownAt = undefined
    watched.startedAt = performance.now()
    ;(element as HTMLElement).click()
  })
  const ms = await untilShown(page)
  const bytes = (await untilIdle()) - before
  await page.close()
  return { bytes, ms }
}

/** Both sides in turns; bytes and time are medians. */
const compare = async (sides: Sides, times: number, measure: (side: Side) => Promise<Cost>) =>
  mapValues(
    await takeTurns(
      times,
      mapValues(sides, side => () => measure(side)),
    ),
    medians,
  )

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const ms = (value: number) => value.toFixed(0)

const builtBundle = () => {
  const { status } = spawnSync(
    process.execPath,
    ['tools/build-kit/src/build-apps.mjs', '--force', 'tools/bench/one-bundle/shell'],
    { cwd: ROOT, stdio: 'inherit' },
  )
  if (status !== 0) throw new Error('the bundle could not be built')
  return join(ROOT, 'tools/bench/one-bundle')
}

/** The product serving these web apps. */
const served = (webRoot?: string) =>
  startBed(startProduct, { env: { RATE_LIMITS: 'off', ...(webRoot && { WEB_ROOT: webRoot }) } })

const bundled = await served(builtBundle())
const federated = await served()
const browser = await launchBrowser()
try {
  const signedIn = async ({ url, signUp }: typeof bundled) => ({ url, token: (await signUp()).token })
  const sides = { own: await signedIn(federated), bundle: await signedIn(bundled) }
  const anonymous = mapValues(sides, ({ url }) => ({ url, token: '' }))
  // The first page of a browser pays for what is no page's own.
  for (const side of Object.values(anonymous)) await firstLoad(browser, side, '/login')

  const head = ['', 'bytes, kB', 'as one bundle', 'ratio', 'time, ms', 'as one bundle', 'ratio']
  const row = (name: string, { own, bundle }: Record<keyof Sides, Cost>) => [
    name,
    kB(own.bytes),
    kB(bundle.bytes),
    ratio(own.bytes, bundle.bytes),
    ms(own.ms),
    ms(bundle.ms),
    ratio(own.ms, bundle.ms),
  ]
  const loads = []
  for (const [name, who, path, slow, times] of [
    ['/login', anonymous, '/login', false, rounds],
    ['/dashboard', sides, '/dashboard', false, rounds],
    ['/login, slow network', anonymous, '/login', true, Math.ceil(rounds / 3)],
    ['/dashboard, slow network', sides, '/dashboard', true, Math.ceil(rounds / 3)],
  ] as const)
    loads.push(row(name, await compare(who, times, side => firstLoad(browser, side, path, slow))))
  table(head, loads)

  const sections = []
  for (const id of SECTIONS) {
    const cold = await compare(sides, rounds, side => openSection(browser, side, id, false))
    const hovered = await compare(sides, rounds, side => openSection(browser, side, id, true))
    sections.push([
      id,
      kB(cold.own.bytes),
      `+${kB(cold.own.bytes - cold.bundle.bytes)}`,
      ms(cold.own.ms),
      ratio(cold.own.ms, cold.bundle.ms),
      ms(hovered.own.ms),
      ratio(hovered.own.ms, hovered.bundle.ms),
    ])
  }
  console.log()
  table(['opening a section', 'kB', 'beside one bundle', 'ms', 'ratio', 'ms after hover', 'ratio'], sections)
} finally {
  await browser.close()
  await federated.stop()
  await bundled.stop()
}
