import { type Browser, chromium } from '@playwright/test'

/** The Chromium that the journeys use (CHROMIUM_PATH, else Playwright's own), drawing in software, its background traffic off. */
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
