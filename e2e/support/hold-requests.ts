import type { Page } from '@playwright/test'

/** Holds the page's requests to an address back. Resolves to a function that lets them go, and all later ones. */
export const holdRequests = async (page: Page, address: string | ((url: URL) => boolean)) => {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route(address, async route => {
    await released
    await route.fallback()
  })
  return release
}
