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

/**
 * Clicks the button or link with this text or name, or the switch with this label, once it is enabled, stands still and
 * is not covered.
 * @param within selector of the part that contains it
 */
export const pressIn = async (page: BrowserPage, label: string, within = ':root'): Promise<void> => {
  const { x, y } = await pollFor(() =>
    evaluateIn(
      page,
      async (wanted, part) => {
        const named = [...document.querySelectorAll<HTMLElement>(`${part} :is(button, label, a)`)].find(
          element => element.ariaLabel === wanted || element.textContent?.trim() === wanted,
        )
        if (!named || (named as HTMLButtonElement).disabled) return null
        named.scrollIntoView({ block: 'center' })
        const { left, top, width, height } = named.getBoundingClientRect()
        await new Promise(resolve => setTimeout(resolve, 50))
        const now = named.getBoundingClientRect()
        const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
        const isSteady = now.left === left && now.top === top && named.isConnected
        return isSteady && named.contains(document.elementFromPoint(x, y)) ? { x, y } : null
      },
      label,
      within,
    ),
  )
  await page.mouse.click(x, y)
}

/** Types into the field with this label or placeholder. */
export const fillIn = (page: BrowserPage, label: string, value: string): Promise<void> =>
  expect
    .poll(() =>
      evaluateIn(
        page,
        (wanted, text) => {
          const named = [...document.querySelectorAll('label')].find(
            element => element.textContent?.trim() === wanted,
          )
          const field = named?.control ?? document.querySelector(`[placeholder=${JSON.stringify(wanted)}]`)
          if (!field) return false
          // React reads the value by the prototype's setter.
          const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set
          set?.call(field, text)
          field.dispatchEvent(new Event('input', { bubbles: true }))
          return true
        },
        label,
        value,
      ),
    )
    .toBe(true)

/** Selects words of one text node with the mouse. */
export const selectIn = async (page: BrowserPage, words: string): Promise<void> => {
  const [from, to] = await evaluateIn(
    page,
    wanted => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.nodeValue?.indexOf(wanted) ?? -1
        if (at < 0) continue
        node.parentElement?.scrollIntoView({ block: 'center' })
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + wanted.length)
        const lines = [...range.getClientRects()]
        const middle = (line?: DOMRect) => (line ? line.top + line.height / 2 : 0)
        return [
          { x: lines[0]?.left ?? 0, y: middle(lines[0]) },
          { x: lines.at(-1)?.right ?? 0, y: middle(lines.at(-1)) },
        ] as const
      }
      throw new Error(`${wanted} is not on the page`)
    },
    words,
  )
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, to.y)
  await page.mouse.move(to.x, to.y)
  await page.mouse.up()
}
