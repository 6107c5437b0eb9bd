import { type Browser, chromium, type Page } from '@playwright/test'

/**
 * The Chromium that the journeys use (CHROMIUM_PATH, else Playwright's own), drawing in software, its background traffic
 * off. A bench launches it before the product: it ends with this process after any failure, which the product doesn't.
 */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
      // Chromium's own sandbox can't start under root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })

/** A page with a cache and storage of its own, signed in where a token is given. */
export const openPage = async (browser: Browser, token?: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  if (token) await page.addInitScript(value => localStorage.setItem('access_token', value), token)
  return page
}
