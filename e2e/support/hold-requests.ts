import { deferred } from '@iodine/test-kit'
import type { Page } from '@playwright/test'

/** Holds the page's requests to a URL. Resolves to a function that releases them and all later ones. */
export const holdRequests = async (page: Page, address: string | ((url: URL) => boolean)) => {
  const { promise: released, resolve: release } = deferred()
  await page.route(address, async route => {
    await released
    await route.fallback()
  })
  return release
}
