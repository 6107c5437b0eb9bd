import { expect, type Page as PlaywrightPage } from '@playwright/test'
import type { Page as PuppeteerPage } from 'puppeteer-core'

/** A page of Chromium (Playwright) or of Firefox (Puppeteer), for cases that hold in both. */
export type BrowserPage = PlaywrightPage | PuppeteerPage

/** Runs a function in a page. Arguments and result are JSON. */
export const evaluateIn = <A extends unknown[], R>(
  page: BrowserPage,
  work: (...given: A) => R,
  ...given: A
): Promise<Awaited<R>> =>
  // Both accept an expression; their types for functions differ.
  (page as { evaluate(expression: string): Promise<unknown> }).evaluate(
    `(async () => (${work})(...${JSON.stringify(given)}))()`,
  ) as Promise<Awaited<R>>

/** Returns the page's text. */
export const textOf = (page: BrowserPage): Promise<string> =>
  evaluateIn(page, () => document.body?.textContent ?? '')

/** Waits until a page shows a text. */
export const expectText = async (page: BrowserPage, text: string | RegExp): Promise<void> => {
  const shown = expect.poll(() => textOf(page).catch(() => ''), { message: `the page shows ${text}` })
  if (typeof text === 'string') await shown.toContain(text)
  else await shown.toMatch(text)
}

/** Repeats a reading until it returns a value. */
const pollFor = async <T>(read: () => Promise<T | null>): Promise<T> => {
  let found: T | null = null
  await expect
    .poll(async () => {
      found = await read().catch(() => null)
      return found !== null
    })
    .toBe(true)
  return found as T
}

/** Clicks the button or link with this text, or the switch with this label, once it is enabled and stands still. */
export const pressIn = async (page: BrowserPage, label: string): Promise<void> => {
  const { x, y } = await pollFor(() =>
    evaluateIn(
      page,
      async wanted => {
        const named = [...document.querySelectorAll<HTMLElement>('button, label, a')].find(
          element => element.textContent?.trim() === wanted,
        )
        if (!named || (named as HTMLButtonElement).disabled) return null
        named.scrollIntoView({ block: 'center' })
        const { left, top, width, height } = named.getBoundingClientRect()
        await new Promise(resolve => setTimeout(resolve, 50))
        const now = named.getBoundingClientRect()
        return now.left === left && now.top === top && named.isConnected
          ? { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }
          : null
      },
      label,
    ),
  )
  await page.mouse.click(x, y)
}

/** Types into the field with this label. */
export const fillIn = (page: BrowserPage, label: string, value: string): Promise<void> =>
  expect
    .poll(() =>
      evaluateIn(
        page,
        (wanted, text) => {
          const named = [...document.querySelectorAll('label')].find(
            element => element.textContent?.trim() === wanted,
          )
          const field = named?.control as HTMLInputElement | null | undefined
          if (!field) return false
          // React reads the value by the prototype's setter.
          const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
          set?.call(field, text)
          field.dispatchEvent(new Event('input', { bubbles: true }))
          return true
        },
        label,
        value,
      ),
    )
    .toBe(true)
