import type { Page } from '@playwright/test'

/** Opens a path of a running stack in the browser, with a session's token. */
export const openAs = async (page: Page, url: string, token: string, path: string): Promise<void> => {
  await page.goto(`${url}/privacy-policy`)
  await page.evaluate(value => localStorage.setItem('access_token', value), token)
  await page.goto(url + path)
}
