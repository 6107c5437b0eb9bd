import { capturesApi, collectorApi, type Source } from '@iodine/contracts'
import type { BrowserPage } from './browser-page.js'
import { launchCollector, type Sites } from './collector.js'
import { launchInFirefox } from './firefox.js'
import type { Person } from './fixtures.js'

/** A browser with the built extension, for cases that hold in Chromium and in Firefox. */
export interface CollectorDriver {
  /** Opens a page of a site in a tab, and the popup for it in a window of its own. */
  open(url: string): Promise<{ page: BrowserPage; popup: BrowserPage }>
  /** Opens the popup for an open page in a window of its own. */
  openPopup(page: BrowserPage): Promise<BrowserPage>
  /** Replaces the extension by a version with a higher number, as an update does. Its pages close. */
  update(): Promise<void>
  /** Stops the background script at once. The next message starts it again. */
  stopBackground(): Promise<void>
  close(): Promise<void>
}

/** Hosts of the sites: one of each source. */
const HOSTS = ['*.tiktok.com', 't.me', 'blog.example.org']

export const BROWSERS = ['Chromium', 'Firefox'] as const

/** Starts the browser. Firefox requests no permission unless a journey says so; Chromium has those of all sites. */
export const drive = async (
  browser: (typeof BROWSERS)[number],
  { sites, server }: { sites: Sites; server: string },
): Promise<CollectorDriver> => {
  if (browser === 'Firefox') return launchInFirefox(sites, server)
  const collector = await launchCollector({ sites, hosts: HOSTS, server, draws: true })
  const openPopup: CollectorDriver['openPopup'] = page => collector.popupBeside(page.url())
  return {
    async open(url) {
      const page = await collector.context.newPage()
      await page.goto(url)
      return { page, popup: await openPopup(page) }
    },
    openPopup,
    update: () => collector.update(),
    async stopBackground() {
      const [page] = collector.context.pages()
      if (!page) throw new Error('no page is open')
      const session = await collector.context.newCDPSession(page)
      await session.send('ServiceWorker.enable')
      await session.send('ServiceWorker.stopAllWorkers')
      await session.detach()
    },
    close: () => collector.close(),
  }
}

/** Returns the HTML of an article. */
export const article = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Lakes</title></head><body><main><h1>Lakes</h1>${body}</main></body></html>`

export const recordsOf = (who: Person, source: Source) =>
  who.api.call(collectorApi.listRecords, { params: { source } })
export const capturesOf = (who: Person) => who.api.call(capturesApi.listCaptures, { query: {} })
