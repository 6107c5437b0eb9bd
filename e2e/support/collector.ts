import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Source } from '@iodine/contracts'
import { type BrowserContext, chromium, type Page, type Worker } from '@playwright/test'
import { strFromU8, strToU8, unzipSync } from 'fflate'
import { generate } from 'selfsigned'

const EXTENSION = resolve(import.meta.dirname, '../../extension')
const WAIT_MS = 60_000

/** A page modelled on a platform's, and the records in it. */
export interface Fixture {
  url: string
  html: string
  own: Record<string, unknown> | null
  all: Record<string, unknown>[]
}

export const fixture = (source: Source, name: string): Fixture => {
  const file = join(EXTENSION, 'test/fixtures', source, name)
  return { ...JSON.parse(readFileSync(`${file}.json`, 'utf8')), html: readFileSync(`${file}.html`, 'utf8') }
}

/** The response to a short-video page's request for a list of posts. */
export const listFixture = (name: string): { url: string; body: object; all: Record<string, unknown>[] } =>
  JSON.parse(readFileSync(join(EXTENSION, 'test/fixtures/tiktok', `${name}.list.json`), 'utf8'))

/** A server that answers for every site, by full URL. */
export interface Sites {
  port: number
  serve(url: string, body: string | Buffer, type?: string): void
  stop(): Promise<void>
}

export const startSites = async (): Promise<Sites> => {
  const pages = new Map<string, { body: string | Buffer; type: string }>()
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
  const server = createHttpsServer({ key, cert }, (request, response) => {
    const page = pages.get(`https://${request.headers.host}${request.url}`)
    if (!page) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': page.type, 'cache-control': 'no-store' }).end(page.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    serve(url, body, type = 'text/html; charset=utf-8') {
      pages.set(url.replace(/#.*/, ''), { body, type })
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A connection to a server, which can be cut. */
export interface Line {
  url: string
  cut(): void
  mend(): void
  stop(): void
}

export const startLine = async (to: string): Promise<Line> => {
  const { port, hostname } = new URL(to)
  const open = new Set<Socket>()
  let isCut = false
  const server: Server = createServer(socket => {
    if (isCut) return socket.destroy()
    const onward = connect(Number(port), hostname)
    for (const end of [socket, onward]) {
      open.add(end)
      end.on('error', () => {}).on('close', () => open.delete(end))
    }
    socket.pipe(onward).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const hangUp = () => {
    for (const end of open) end.destroy()
  }
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      hangUp()
    },
    mend() {
      isCut = false
    },
    stop() {
      server.close()
      hangUp()
    },
  }
}

/** A browser with the built extension, whose user has granted it the sites. */
export interface Collector {
  context: BrowserContext
  /** Opens a page of a site in the first tab, and in the second tab the popup for that page. */
  open(url: string): Promise<{ page: Page; popup: Page }>
  worker(): Promise<Worker>
  /** Restarts the browser with the same profile. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface CollectorOptions {
  sites: Sites
  /** Host names that the browser resolves to `sites`, with the extension's permission. */
  hosts: string[]
  /** Address of the product, from which the extension is downloaded. */
  product: string
  /** Address of the product for the extension, if different. */
  server?: string
}

export const launchCollector = async ({
  sites,
  hosts,
  product,
  server,
}: CollectorOptions): Promise<Collector> => {
  const folder = await mkdtemp(join(tmpdir(), 'iodine-collector-'))
  const unpacked = join(folder, 'extension')
  const { extension_url } = await (await fetch(`${product}/config.json`)).json()
  const files = unzipSync(new Uint8Array(await (await fetch(product + extension_url)).arrayBuffer()))
  // A test cannot press the browser's own "Allow": the manifest grants these permissions instead.
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()))
  manifest.host_permissions = hosts.map(host => `https://${host}/*`)
  files['manifest.json'] = strToU8(JSON.stringify(manifest))
  if (server) files['deployment.json'] = strToU8(JSON.stringify({ server }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(unpacked, name)), { recursive: true })
    await writeFile(join(unpacked, name), content)
  }

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

  return {
    get context() {
      return context
    },
    worker,
    async open(url) {
      const page = context.pages()[0] ?? (await context.newPage())
      const popup = context.pages()[1] ?? (await context.newPage())
      await page.goto(url)
      const background = await worker()
      const tabId = await background.evaluate(
        async address => (await chrome.tabs.query({})).find(tab => tab.url === address)?.id,
        page.url(),
      )
      await popup.setViewportSize({ width: 380, height: 600 })
      await popup.goto(new URL(`popup.html?tab=${tabId}`, background.url()).href)
      return { page, popup }
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
