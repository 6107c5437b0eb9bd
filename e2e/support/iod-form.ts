import { expect } from '@playwright/test'
import { type BrowserPage, evaluateIn } from './browser-page.js'

/** Height between those of the button and the form. */
const FORM_PX = 200

/** Returns the position of the '+ IOD' button or form, which is in a closed shadow root; null without one. */
const boxOf = (page: BrowserPage) =>
  evaluateIn(page, () => {
    const host = document.querySelector(':root > [popover]')
    if (!host) return null
    const { x, y, width, height } = host.getBoundingClientRect()
    return { x: x + width / 2, y: y + height / 2, height }
  })

/** Selects words of one text node with the mouse. */
const select = async (page: BrowserPage, words: string): Promise<void> => {
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

/** Selects words with the mouse and opens the '+ IOD' form by clicks at positions. */
export const openIodForm = async (page: BrowserPage, words: string): Promise<void> => {
  await page.bringToFront()
  await select(page, words)
  await expect.poll(() => boxOf(page)).not.toBeNull()
  // The button ignores presses until its observer has reported full visibility.
  await expect(async () => {
    const box = await boxOf(page)
    // An earlier press may have opened the form: another press would hit the form.
    if (box && box.height <= FORM_PX) await page.mouse.click(box.x, box.y)
    await expect.poll(async () => (await boxOf(page))?.height, { timeout: 1_000 }).toBeGreaterThan(FORM_PX)
  }).toPass()
}

/** Presses Create IOD in the open form by keyboard, until the form closes. */
export const pressCreateIod = async (page: BrowserPage): Promise<void> => {
  for (const _ of ['category', 'description', 'cancel', 'create']) await page.keyboard.press('Tab')
  // The form ignores keys until its observer has reported full visibility.
  await expect(async () => {
    await page.keyboard.press('Enter')
    await expect.poll(() => boxOf(page), { timeout: 1_000 }).toBeNull()
  }).toPass()
}
