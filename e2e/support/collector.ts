import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Transform } from 'node:stream'
import { authApi, type Source } from '@iodine/contracts'
import { type BrowserContext, chromium, type Page, type Worker } from '@playwright/test'
import { strFromU8, strToU8, unzipSync } from 'fflate'
import { generate } from 'selfsigned'
import { type BrowserPage, expectText, fillIn, pressIn } from './browser-page.js'
import type { Person } from './fixtures.js'

const EXTENSION = resolve(import.meta.dirname, '../../extension')
const WAIT_MS = 60_000

const PAGES = join(EXTENSION, 'test/pages')

/** A page of the gallery, and the records in it; `extension/test/pages/README.md` explains the fields. */
export interface Fixture {
  url: string
  html: string
  own: Record<string, unknown> | null
  all: Record<string, unknown>[]
  frame?: string
  frameHtml: string
  refused?: string
}

export const fixture = (source: Source, name: string): Fixture => {
  const file = join(PAGES, source, name)
  const expected = JSON.parse(readFileSync(`${file}.json`, 'utf8'))
  const { own = null, all = own ? [own] : [], frame } = expected
  const read = (kind: string) => readFileSync(`${file}.${kind}`, 'utf8')
  return { ...expected, own, all, html: read('html'), frameHtml: frame ? read('frame.html') : '' }
}

/** Returns all pages of the gallery, by source and name. */
export const gallery = (): [source: Source, name: string, page: Fixture][] =>
  readdirSync(PAGES, { encoding: 'utf8', recursive: true }).flatMap(file => {
    const [, source, name] = /^([^/]+)\/([^.]+)\.html$/.exec(file) ?? []
    return name ? [[source as Source, name, fixture(source as Source, name)]] : []
  })

/** Reads the response to a short-video page's request for a list of posts. */
export const listFixture = (name: string): { url: string; body: object; all: Record<string, unknown>[] } =>
  JSON.parse(readFileSync(join(PAGES, 'tiktok', `${name}.list.json`), 'utf8'))

/** A server that serves pages of all sites, by full URL. */
export interface Sites {
  port: number
  serve(url: string, body: string | Buffer, type?: string): void
  /** Holds the answer for a URL. `asked` resolves once it is requested. */
  hold(url: string): { asked: Promise<void>; release(): void }
  stop(): Promise<void>
}

/** Creates a promise with its function to resolve it. */
const signal = () => {
  let raise = () => {}
  const raised = new Promise<void>(resolve => {
    raise = resolve
  })
  return { raise, raised }
}

export const startSites = async (): Promise<Sites> => {
  const pages = new Map<string, { body: string | Buffer; type: string }>()
  const held = new Map<string, { asked: () => void; released: Promise<void> }>()
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
  const server = createHttpsServer({ key, cert }, async (request, response) => {
    const url = `https://${request.headers.host}${request.url}`
    const page = pages.get(url)
    held.get(url)?.asked()
    await held.get(url)?.released
    if (!page) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': page.type, 'cache-control': 'no-store' }).end(page.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    serve(url, body, type = 'text/html; charset=utf-8') {
      pages.set(url.replace(/#.*/, ''), { body, type })
    },
    hold(url) {
      const [asked, released] = [signal(), signal()]
      held.set(url, { asked: asked.raise, released: released.raised })
      return { asked: asked.raised, release: released.raise }
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A TCP proxy to a server, which can cut or hold connections, and records the sent bytes. */
export interface Line {
  url: string
  /** Returns the bytes sent since the last `clear`. */
  sent(): string
  clear(): void
  cut(): void
  /** Accepts new connections after a cut, which then wait for `restore`. */
  hold(): void
  /**
   * Never delivers the next request that begins so, or its answer. Resolves once the request, or its answer, is here.
   */
  swallow(beginning: RegExp, part: 'request' | 'answer'): Promise<void>
  restore(): void
  stop(): void
}

export const startLine = async (to: string): Promise<Line> => {
  const { port, hostname } = new URL(to)
  const open = new Set<Socket>()
  const held: Socket[] = []
  let state: 'open' | 'held' | 'cut' = 'open'
  let sent = ''
  let trap: { beginning: RegExp; part: 'request' | 'answer'; caught: () => void } | undefined
  const watch = (end: Socket) => {
    open.add(end)
    end.on('error', () => {}).on('close', () => open.delete(end))
  }
  const connectOn = (socket: Socket) => {
    if (socket.destroyed) return
    const onward = connect(Number(port), hostname)
    watch(onward)
    const gate = new Transform({
      transform(bytes, _, done) {
        const text = bytes.toString('latin1')
        sent += text
        const sprung = trap?.beginning.test(text) ? trap : undefined
        if (!sprung) return done(null, bytes)
        trap = undefined
        // Without a call of `done`, nothing more passes.
        if (sprung.part === 'request') return sprung.caught()
        onward.unpipe(socket)
        onward.once('data', sprung.caught).resume()
        done(null, bytes)
      },
    })
    socket.pipe(gate).pipe(onward).pipe(socket)
  }
  const server: Server = createServer(socket => {
    if (state === 'cut') return socket.destroy()
    watch(socket)
    if (state === 'held') held.push(socket)
    else connectOn(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const hangUp = () => {
    for (const end of open) end.destroy()
  }
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    clear() {
      sent = ''
    },
    cut() {
      state = 'cut'
      hangUp()
    },
    hold() {
      state = 'held'
    },
    swallow(beginning, part) {
      const { raise, raised } = signal()
      trap = { beginning, part, caught: raise }
      return raised
    },
    restore() {
      state = 'open'
      for (const socket of held.splice(0)) connectOn(socket)
    },
    stop() {
      server.close()
      hangUp()
    },
  }
}

/** A browser with the built extension, which has the permission for the sites. */
export interface Collector {
  context: BrowserContext
  /** Opens a page of a site in the first tab, and the popup for that page in the second tab. */
  open(url: string): Promise<{ page: Page; popup: Page }>
  /** Opens the popup in a separate window, so that the page remains the active tab of its window. */
  openBeside(url: string): Promise<{ page: Page; popup: Page }>
  /** Opens the popup for the open page with this URL, in a separate window. */
  popupBeside(url: string): Promise<Page>
  worker(): Promise<Worker>
  /** Replaces the extension by a version with a higher number, as an update does. Its pages close. */
  update(): Promise<void>
  /** Restarts the browser with the same profile. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface CollectorOptions {
  sites: Sites
  /** Host names that the browser resolves to `sites`, with the extension's permission. */
  hosts: string[]
  /** URL of the app from which the extension is downloaded; absent: the built extension. */
  app?: string
  /** URL of the server for the extension, if different. */
  server?: string
  /** Permits screenshots of every tab, as activeTab does while a real popup is open. */
  draws?: boolean
}

const downloadedZip = async (app: string): Promise<Uint8Array> => {
  const { extension_url } = await (await fetch(`${app}/config.json`)).json()
  return new Uint8Array(await (await fetch(app + extension_url)).arrayBuffer())
}
/** Returns a higher version than a package's. */
export const raised = (version: string): string => `${version}.1`
/** Returns the built package whose name ends with `end`. */
export const builtFile = (end: string): Uint8Array => {
  const built = join(EXTENSION, 'dist')
  return readFileSync(join(built, readdirSync(built).find(name => name.endsWith(end)) ?? ''))
}

export const launchCollector = async ({
  sites,
  hosts,
  app,
  server,
  draws = false,
}: CollectorOptions): Promise<Collector> => {
  const folder = await mkdtemp(join(tmpdir(), 'iodine-collector-'))
  const unpacked = join(folder, 'extension')
  const files = unzipSync(app === undefined ? builtFile('-chromium.zip') : await downloadedZip(app))
  // A test cannot press the browser's own "Allow": the manifest grants these permissions instead.
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()))
  manifest.host_permissions = draws ? ['<all_urls>'] : hosts.map(host => `https://${host}/*`)
  const writeManifest = () => writeFile(join(unpacked, 'manifest.json'), JSON.stringify(manifest))
  if (server) files['deployment.json'] = strToU8(JSON.stringify({ server }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(unpacked, name)), { recursive: true })
    await writeFile(join(unpacked, name), content)
  }
  await writeManifest()

  const launch = () =>
    chromium.launchPersistentContext(join(folder, 'profile'), {
      ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
      headless: true,
      viewport: { width: 1280, height: 800 },
      ignoreDefaultArgs: ['--disable-extensions'],
      args: [
        '--headless=new',
        `--disable-extensions-except=${unpacked}`,
        `--load-extension=${unpacked}`,
        '--enable-unsafe-extension-debugging',
        // Branded builds disable this switch.
        '--disable-features=DisableLoadExtensionCommandLineSwitch',
        `--host-resolver-rules=${hosts.map(host => `MAP ${host.replace('*.', 'www.')}:443 127.0.0.1:${sites.port}`).join(', ')}`,
        '--ignore-certificate-errors',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
        '--disable-gpu',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    })
  let context = await launch()
  const worker = async () =>
    context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: WAIT_MS }))

  const popupOf = async (url: string) => {
    const background = await worker()
    const tabId = await background.evaluate(
      async address => (await chrome.tabs.query({})).find(tab => tab.url === address)?.id,
      url,
    )
    return { background, address: new URL(`popup.html?tab=${tabId}`, background.url()).href }
  }
  const popupBeside = async (url: string) => {
    const { background, address } = await popupOf(url)
    const opening = context.waitForEvent('page')
    await background.evaluate(async popup => {
      await chrome.windows.create({ url: popup, width: 380, height: 600 })
    }, address)
    return opening
  }
  const show = async (url: string) => {
    const page = context.pages()[0] ?? (await context.newPage())
    await page.goto(url)
    return page
  }

  return {
    get context() {
      return context
    },
    worker,
    async open(url) {
      const page = await show(url)
      const { address } = await popupOf(page.url())
      const popup = context.pages()[1] ?? (await context.newPage())
      await popup.setViewportSize({ width: 380, height: 600 })
      await popup.goto(address)
      return { page, popup }
    },
    async openBeside(url) {
      const page = await show(url)
      return { page, popup: await popupBeside(page.url()) }
    },
    popupBeside,
    async update() {
      manifest.version = raised(manifest.version)
      await writeManifest()
      const session = await context.browser()?.newBrowserCDPSession()
      await session?.send('Extensions.loadUnpacked' as never, { path: unpacked } as never)
      await session?.detach()
    },
    async restart() {
      await context.close()
      context = await launch()
    },
    async close() {
      await context.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Presses a switch by its label, which covers its field. Unlike a forced click on the field, it waits until the layout
 * is stable: data loaded at opening shifts the switches.
 */
export const pressSwitch = (page: Page, label: string): Promise<void> =>
  page.locator('label').filter({ hasText: label }).click()

/** Signs a user in on the popup, with a code from the overview. Returns the code. */
export const signIn = async (popup: BrowserPage, who: Person): Promise<string> => {
  const { code } = await who.api.call(authApi.generateExtensionCode)
  await fillIn(popup, 'Extension code', code)
  await pressIn(popup, 'Sign in')
  await expectText(popup, `@${who.username}`)
  return code
}

/** Fires the collector's alarm that downloads the known IODs. */
export const fireAlarm = async (worker: Worker): Promise<void> => {
  await worker.evaluate(() => chrome.alarms.create('overlay', { when: Date.now() }))
}
