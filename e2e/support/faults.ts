import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** The sizes that screens are looked at in: a laptop, a large monitor and a phone. */
export const SIZES = [
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
] as const

/**
 * What is wrong with a page in its present state, one line a fault: serious violations that axe finds, sideways
 * scrolling, and text that is cut with no way to read it.
 */
export const faultsOf = async (page: Page, where: string): Promise<string[]> => {
  // A single run suffices, as no page has frames.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  const seen = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const faults = scrollWidth > clientWidth ? [`scrolls sideways by ${scrollWidth - clientWidth} px`] : []
    // A link or button leads to the text, and a tooltip or `title` shows it.
    const readable = '[title], a, button, [role=button], .bp6-popover-target'
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const { textOverflow, overflowX, webkitLineClamp } = getComputedStyle(element)
      const isCut =
        (textOverflow === 'ellipsis' &&
          overflowX !== 'visible' &&
          element.scrollWidth > element.clientWidth) ||
        (webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight)
      if (isCut && element.offsetParent && !element.closest(readable) && !element.querySelector(readable))
        faults.push(`cuts ${JSON.stringify(element.textContent?.slice(0, 40))} at ${element.className}`)
    }
    return faults
  })
  return [
    ...violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ...seen,
  ].map(fault => `${where}: ${fault}`)
}

/** Adds up what the page's content has shifted, without input, since the last navigation. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const state = window as unknown as { shifted: number; shifts: string[] }
    state.shifted = 0
    state.shifts = []
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & LayoutShift)[]) {
        if (entry.hadRecentInput) continue
        state.shifted += entry.value
        for (const { node } of entry.sources)
          state.shifts.push(`${node?.nodeName} ${(node as Element | null)?.className}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })

interface LayoutShift {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null }[]
}

/** The page's layout shift so far (of `watchShifts`), and what was shifted. */
export const shiftOf = (page: Page): Promise<{ shifted: number; shifts: string[] }> =>
  page.evaluate(() => {
    const { shifted, shifts } = window as unknown as { shifted: number; shifts: string[] }
    return { shifted, shifts }
  })
