import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'

const options = () => ({
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

/**
 * Launches the Chromium of the journeys (CHROMIUM_PATH, else Playwright's own), with software rendering and without
 * background traffic. Launch it before the product: if the launch fails, the product would keep running.
 */
export const launchBrowser = (): Promise<Browser> => chromium.launch(options())

/** Launches it with an unpacked extension and a profile folder. */
export const launchWithExtension = (profile: string, extension: string): Promise<BrowserContext> => {
  const { args, ...others } = options()
  return chromium.launchPersistentContext(profile, {
    ...others,
    headless: true,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...args,
      '--headless=new',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      // Branded builds disable this switch.
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
    ],
  })
}

/** Opens a page with separate cache and storage, signed in by a token if given. */
export const openPage = async (browser: Browser, token?: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  if (token) await page.addInitScript(value => localStorage.setItem('access_token', value), token)
  return page
}
