import { expect, type Page } from '@playwright/test'
import { PNG } from 'pngjs'
import { type BrowserPage, evaluateIn } from './browser-page.js'

type Colour = readonly [red: number, green: number, blue: number]
const LINE: Colour = [0x15, 0x80, 0x3d]
const CARD_EDGE: Colour = [0xc5, 0xcb, 0xd3]

const isLike = (colour: Colour, wanted: Colour): boolean =>
  wanted.every((part, n) => Math.abs(part - (colour[n] ?? 0)) < 12)

/** Takes a screenshot. `at` returns the colour of a pixel. */
const screenshot = async (page: BrowserPage): Promise<{ at(x: number, y: number): Colour }> => {
  // Both take one pixel per CSS pixel, as no journey scales the device.
  const { width, data } = PNG.sync.read(Buffer.from(await page.screenshot()))
  return {
    at: (x, y) => {
      const n = 4 * (y * width + x)
      return [data[n] ?? 0, data[n + 1] ?? 0, data[n + 2] ?? 0]
    },
  }
}

/** Returns whether words of an element are underlined on screen from beginning to end. */
export const isUnderlined = async (page: BrowserPage, selector: string, words: string): Promise<boolean> => {
  const lines = await evaluateIn(
    page,
    (wanted, text) => {
      const element = document.querySelector(wanted)
      if (!element) throw new Error(`${wanted} is not on the page`)
      const range = document.createRange()
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const start = element.textContent?.indexOf(text) ?? -1
      if (start < 0) throw new Error(`${JSON.stringify(text)} is not in the element`)
      let passed = 0
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const { length } = node as Text
        if (start >= passed && start < passed + length) range.setStart(node, start - passed)
        const end = start + text.length - passed
        if (end > 0 && end <= length) range.setEnd(node, end)
        passed += length
      }
      return [...range.getClientRects()].map(({ left, right, bottom }) => ({ left, right, bottom }))
    },
    selector,
    words,
  )
  const pixels = await screenshot(page)
  const isGreen = (x: number, y: number) => isLike(pixels.at(x, y), LINE)
  expect(lines.length).toBeGreaterThan(0)
  return lines.every(({ left, right, bottom }) =>
    [left + 2, (left + right) / 2, right - 2].every(x =>
      [-2, -1, 0].some(y => isGreen(Math.round(x), Math.round(bottom) + y)),
    ),
  )
}

/** A script in the page that records all detectable changes. */
export interface Spy {
  /** Returns whether the left edge of the card with the known IODs is at this position. */
  isCardAt(x: number, y: number): Promise<boolean>
  /** Returns all recorded changes. */
  report(): Promise<unknown>
}

/** Starts a script in the page that observes all that browsers expose to pages. Waits for its first observation. */
export const spyOn = async (page: Page): Promise<Spy> => {
  await page.evaluate(() => {
    const noticed: unknown[] = []
    const textOf = (node: Node) => (node instanceof Element ? node.outerHTML : node.nodeValue)
    const changes = new MutationObserver(records => {
      for (const { type, target, attributeName } of records)
        noticed.push([type, textOf(target), attributeName])
    })
    changes.observe(document, { attributes: true, childList: true, characterData: true, subtree: true })
    for (const type of [
      'focusin',
      'focusout',
      'scroll',
      'resize',
      'toggle',
      'beforetoggle',
      'selectionchange',
    ])
      addEventListener(type, event => noticed.push([type, textOf(event.target as Node)]), true)
    for (const type of ['pointerover', 'pointerout', 'pointermove', 'mouseenter'])
      addEventListener(type, event => noticed.push([type, (event.target as Element | null)?.nodeName]), true)
    for (const type of ['layout-shift', 'largest-contentful-paint', 'element', 'resource'])
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) noticed.push([type, entry.name, entry.entryType])
      }).observe({ type })
    const state = () => {
      const hit: string[] = []
      for (let x = 5; x < innerWidth; x += 20)
        for (let y = 5; y < innerHeight; y += 10)
          hit.push(
            document
              .elementsFromPoint(x, y)
              .map(({ nodeName }) => nodeName)
              .join(),
          )
      const words = document.getElementById('words') as HTMLElement
      const { width, height } = words.getBoundingClientRect()
      return {
        highlights: CSS.highlights.size,
        sheets: document.styleSheets.length + document.adoptedStyleSheets.length,
        animations: document.getAnimations().length,
        style: [...getComputedStyle(words)].map(name => getComputedStyle(words).getPropertyValue(name)),
        sizes: [width, height, document.documentElement.scrollHeight, document.documentElement.scrollWidth],
        elements: [...document.documentElement.children]
          .slice(2)
          .map(element => [
            element.outerHTML,
            element.shadowRoot,
            JSON.stringify(element.getBoundingClientRect()),
            element.childNodes.length,
          ]),
        active: document.activeElement?.nodeName,
        hit,
      }
    }
    const states: string[] = []
    // Consecutive equal states count once.
    const look = () => {
      const now = JSON.stringify(state())
      if (states.at(-1) !== now) states.push(now)
    }
    const seen: unknown[] = []
    new IntersectionObserver(
      entries => seen.push(entries.map(entry => (entry as never as { isVisible: boolean }).isVisible)),
      {
        trackVisibility: true,
        delay: 100,
      } as IntersectionObserverInit,
    ).observe(document.getElementById('words') as HTMLElement)
    const timer = setInterval(look, 50)
    Object.assign(window, {
      isSpying: () => seen.length > 0,
      spied: () => {
        look()
        clearInterval(timer)
        return { noticed, states, visible: seen.at(-1) }
      },
    })
  })
  await page.waitForFunction(() => (window as never as { isSpying: () => boolean }).isSpying())
  return {
    async isCardAt(x, y) {
      return isLike((await screenshot(page)).at(Math.round(x), Math.round(y)), CARD_EDGE)
    },
    report: () => page.evaluate(() => (window as never as { spied: () => unknown }).spied()),
  }
}
