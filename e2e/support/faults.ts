import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Half of the cumulative layout shift of a good page by Core Web Vitals. */
const SHIFT_MAX = 0.05

/**
 * Returns the faults of a page in its current state, one line each: serious axe violations, horizontal scrolling,
 * truncated text without a way to read it, and, after `watchShifts`, layout shifts.
 */
export const faultsOf = async (page: Page, where: string): Promise<string[]> => {
  // Colours during a transition are not final.
  await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    const areRunning = () =>
      document
        .getAnimations()
        .some(
          ({ effect, playState }) =>
            playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
        )
    // An overlay's transition begins some frames after its element is added.
    for (let still = 0; still < 5; still = areRunning() ? 0 : still + 1) await frame()
  })
  // A single run suffices, as no page has frames.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  const seen = await page.evaluate(shiftMax => {
    const { scrollWidth, clientWidth } = document.documentElement
    const faults = scrollWidth > clientWidth ? [`scrolls sideways by ${scrollWidth - clientWidth} px`] : []
    const { shifted = 0, shifts = [] } = window as unknown as { shifted?: number; shifts?: string[] }
    if (shifted > shiftMax) faults.push(`shifts by ${shifted.toFixed(3)}: ${shifts.join(', ')}`)
    // Readable by a link, button, tooltip or `title`, or by a card's link or a second copy in the card.
    const readable = '[title], a, button, [role=button], .bp6-popover-target'
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const { textOverflow, overflowX, webkitLineClamp } = getComputedStyle(element)
      const isCut =
        (textOverflow === 'ellipsis' &&
          overflowX !== 'visible' &&
          element.scrollWidth > element.clientWidth) ||
        (webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight)
      if (!isCut || !element.offsetParent || element.closest(readable) || element.querySelector(readable))
        continue
      const card = element.closest('article, [role=article]')
      const isBelow = (card?.textContent?.split(element.textContent ?? '').length ?? 0) > 2
      if (!card?.querySelector('a') && !isBelow)
        faults.push(`cuts ${JSON.stringify(element.textContent?.slice(0, 40))} at ${element.className}`)
    }
    return faults
  }, SHIFT_MAX)
  return [
    ...violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ...seen,
  ].map(fault => `${where}: ${fault}`)
}

/** Sums the layout shifts of each page without input, from the next navigation on. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const state = window as unknown as { shifted: number; shifts: string[] }
    const placeOf = ({ x, y, width, height }: DOMRectReadOnly) => `${[x, y, width, height]}`
    state.shifted = 0
    state.shifts = []
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & LayoutShift)[]) {
        if (entry.hadRecentInput) continue
        state.shifted += entry.value
        for (const { node, previousRect, currentRect } of entry.sources) {
          const text = node?.textContent?.slice(0, 30)
          state.shifts.push(
            `${node?.nodeName} ${JSON.stringify(text)} from ${placeOf(previousRect)} to ${placeOf(currentRect)}`,
          )
        }
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })

interface LayoutShift {
  value: number
  hadRecentInput: boolean
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}
