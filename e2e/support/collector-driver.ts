import { expect, type Page } from '@playwright/test'
import { launchCollector, type Sites } from './collector.js'
import { launchInFirefox, type Tab } from './firefox.js'

/** The parts of a tab that both browsers offer. */
export type DrivenTab = Pick<Tab, 'evaluate' | 'text' | 'press' | 'fill'>

/** A browser with the built extension, for cases that hold in Chromium and in Firefox. */
export interface CollectorDriver {
  /** Opens a page of a site, and the popup for it. */
  open(url: string): Promise<{ page: DrivenTab; popup: DrivenTab }>
  /** Stops the background script at once. The next message starts it again. */
  stopBackground(): Promise<void>
  close(): Promise<void>
}

export const BROWSERS = ['Chromium', 'Firefox'] as const

const tabOf = (page: Page): DrivenTab => ({
  // Playwright passes one argument; the function's text and its arguments are JSON.
  evaluate: (work, ...given) =>
    page.evaluate(`(async () => (${work})(...${JSON.stringify(given)}))()`) as ReturnType<
      DrivenTab['evaluate']
    > as never,
  text: () =>
    page
      .locator('body')
      .textContent()
      .then(text => text ?? ''),
  press: label =>
    page
      .locator('button, label, a')
      .filter({ hasText: new RegExp(`^\\s*${label.replace(/[.+]/g, '\\$&')}\\s*$`) })
      .click(),
  fill: (label, value) => page.getByLabel(label).fill(value),
})

/** Starts the browser. Firefox asks for no permission unless a journey says so; Chromium has those of the hosts. */
export const drive = async (
  browser: (typeof BROWSERS)[number],
  { sites, hosts, server }: { sites: Sites; hosts: string[]; server: string },
): Promise<CollectorDriver> => {
  if (browser === 'Firefox') return launchInFirefox(sites, server)
  const collector = await launchCollector({ sites, hosts, server })
  return {
    async open(url) {
      const { page, popup } = await collector.open(url)
      return { page: tabOf(page), popup: tabOf(popup) }
    },
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

/** Waits until a tab shows a text. */
export const expectText = async (tab: DrivenTab, text: string | RegExp): Promise<void> => {
  const shown = expect.poll(() => tab.text(), { message: `the tab shows ${text}` })
  if (typeof text === 'string') await shown.toContain(text)
  else await shown.toMatch(text)
}
