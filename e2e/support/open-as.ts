import type { Page } from '@playwright/test'

/** A file of the app without a script: enough to access the origin's storage. */
const SILENT_FILE = '/icon.svg'

/**
 * Opens a path of a running app in the browser, with a session's token.
 * @param url the app's URL; empty if the page has a base URL
 */
export const openAs = async (page: Page, url: string, token: string, path: string): Promise<void> => {
  await page.goto(url + SILENT_FILE)
  await page.evaluate(value => localStorage.setItem('access_token', value), token)
  await page.goto(url + path)
}
