/**
 * User-visible cost of loading sections at run time: bytes and time of the first load and of opening a section, compared
 * with the same app built as one bundle with lazy routes (`tools/bench/one-bundle`). The product serves both,
 * alternating.
 *
 *   npm run bench -- first-load
 *
 * Bytes are network bytes including headers, until the network is idle. Time is until the page's heading is painted, in a
 * browser with an empty cache; "content" is until all requested data is painted as well.
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { startApp } from '@iodine/harness'
import type { Browser, Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { interleave, mapValues, medians, ratio, table } from './lib/measure.js'
import { startTestServer } from './lib/test-server.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const rounds = Number(process.env.ROUNDS ?? 9)
const SECTIONS = (process.env.SECTIONS ?? 'data,iods,narratives,campaigns,graph,community').split(',')
/** A phone on a slow mobile network: 1.6 Mbit/s down, 150 ms round trip. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }

const IDLE_MS = 400
/** Longer than 2 s, after which the overview prefetches the shared code of sections. */
const REST_MS = 2_500

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
  content: number
}
/** Measurements in the page, in times of the page's clock. */
interface Watched {
  startedAt: number
  shownAt: number | undefined
  /** When no request was pending and no placeholder was shown. */
  filledAt: number | undefined
  /** The heading of the previous page. */
  left: Element | null
}

/** Runs in each page before its own scripts: records when the next heading and its content are painted. */
const watchHeading = () => {
  const watched = window as unknown as Watched
  watched.startedAt = 0
  let asked = 0
  const send = window.fetch
  window.fetch = async (...request) => {
    asked++
    try {
      const response = await send(...request)
      void response
        .clone()
        .arrayBuffer()
        .finally(() => setTimeout(answered))
      return response
    } catch (error) {
      answered()
      throw error
    }
  }
  const answered = () => {
    asked--
    look()
  }
  const painted = (then: () => void) => requestAnimationFrame(() => setTimeout(then))
  const look = () => {
    const heading = document.querySelector('main h1')
    if (!heading || heading === watched.left || watched.filledAt !== undefined) return
    painted(() => {
      const now = performance.now()
      watched.shownAt ??= now
      if (asked === 0 && !document.querySelector('main :is(.bp6-spinner, .bp6-skeleton)'))
        watched.filledAt ??= now
    })
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

const untilShown = async (page: Page): Promise<Pick<Cost, 'ms' | 'content'>> => {
  const shown = await page.waitForFunction(() => {
    const { shownAt, filledAt, startedAt } = window as unknown as Watched
    if (shownAt === undefined || filledAt === undefined) return undefined
    return { ms: shownAt - startedAt, content: filledAt - startedAt }
  })
  return (await shown.jsonValue()) as Pick<Cost, 'ms' | 'content'>
}

/** Opens a page in a browser with an empty cache, and counts fetched bytes. */
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
  /** Waits for an idle network. Resolves to the bytes so far. */
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
  const cost = { ...(await untilShown(page)), bytes: await untilIdle() }
  await page.close()
  return cost
}

/**
 * Opens a section from the overview, after its prefetches. With `hover`, the pointer rests on the link long enough to
 * prefetch.
 */
const openSection = async (
  browser: Browser,
  side: Side,
  id: string,
  { hover = false, slow = false } = {},
): Promise<Cost> => {
  const { page, untilIdle } = await freshPage(browser, side, slow)
  await page.goto(`${side.url}/dashboard/overview`)
  await untilShown(page)
  await page.waitForTimeout(REST_MS)
  const before = await untilIdle()
  const link = page.locator(`nav a[href="/dashboard/${id}"]`)
  if (hover) {
    await link.hover()
    await untilIdle()
  }
  // A synthetic click: a real one would move the pointer and cause a hover.
  await link.evaluate(element => {
    const watched = window as unknown as Watched
    watched.left = document.querySelector('main h1')
    watched.shownAt = undefined
    watched.filledAt = undefined
    watched.startedAt = performance.now()
    ;(element as HTMLElement).click()
  })
  const times = await untilShown(page)
  const bytes = (await untilIdle()) - before
  await page.close()
  return { ...times, bytes }
}

/** Measures both sides alternately. Bytes and time are medians. */
const compare = async (sides: Sides, times: number, measure: (side: Side) => Promise<Cost>) =>
  mapValues(
    await interleave(
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
  if (status !== 0) throw new Error('the bundle build failed')
  return join(ROOT, 'tools/bench/one-bundle')
}

/** Starts the product with these web apps. */
const served = (webRoot?: string) =>
  startTestServer(startApp, { env: { RATE_LIMITS: 'off', ...(webRoot && { WEB_ROOT: webRoot }) } })

const bundled = await served(builtBundle())
const federated = await served()
const browser = await launchBrowser()
try {
  const signedIn = async ({ url, signUp }: typeof bundled) => ({ url, token: (await signUp()).token })
  const sides = { own: await signedIn(federated), bundle: await signedIn(bundled) }
  const anonymous = mapValues(sides, ({ url }) => ({ url, token: '' }))
  // Warm-up: a browser's first page includes one-time costs.
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
    ms(own.content),
  ]
  const loads = []
  for (const [name, who, path, slow, times] of [
    ['/login', anonymous, '/login', false, rounds],
    ['/dashboard', sides, '/dashboard', false, rounds],
    ['/login, slow network', anonymous, '/login', true, Math.ceil(rounds / 3)],
    ['/dashboard, slow network', sides, '/dashboard', true, Math.ceil(rounds / 3)],
  ] as const)
    loads.push(row(name, await compare(who, times, side => firstLoad(browser, side, path, slow))))
  table([...head, 'content, ms'], loads)

  const sections = []
  for (const id of SECTIONS) {
    const cold = await compare(sides, rounds, side => openSection(browser, side, id))
    const hovered = await compare(sides, rounds, side => openSection(browser, side, id, { hover: true }))
    const slowed = await compare(sides, Math.ceil(rounds / 3), side =>
      openSection(browser, side, id, { slow: true }),
    )
    sections.push([
      id,
      kB(cold.own.bytes),
      `+${kB(cold.own.bytes - cold.bundle.bytes)}`,
      ms(cold.own.ms),
      ratio(cold.own.ms, cold.bundle.ms),
      ms(hovered.own.ms),
      ratio(hovered.own.ms, hovered.bundle.ms),
      ms(slowed.own.ms),
      ratio(slowed.own.ms, slowed.bundle.ms),
      ms(slowed.own.content),
    ])
  }
  console.log()
  const sectionHead = [
    'opening a section',
    'kB',
    'beside one bundle',
    'ms',
    'ratio',
    'ms after hover',
    'ratio',
  ]
  table([...sectionHead, 'ms, slow network', 'ratio', 'content, ms'], sections)
} finally {
  await browser.close()
  await federated.stop()
  await bundled.stop()
}
