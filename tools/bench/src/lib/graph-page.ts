import type { Graph } from '@iodine/contracts'
import type { Browser, Page } from '@playwright/test'
import { openPage } from './browser.js'

const PAN_MS = 4_000
/** Pause between a change of the view and a drag, for the page's deferred work. */
export const PAUSE_MS = 2_000
/** Zoom factor for panning close up, relative to the whole graph in view. */
export const CLOSE_UP = 4

/** Frames per second while the graph is dragged. Counts only frames with a new position. */
export type Panning = {
  /** The whole graph in view. */
  whole: number
  closeUp: number
}

/** Result of one run, in milliseconds. */
export type Layout = {
  /** Until the layout of tick 100 is drawn. */
  shown: number
  /** Until the last of 300 ticks is drawn. */
  settled: number
  /** Total duration of main thread tasks of more than 50 ms, from the response until settled. */
  blocked: number
}

/** A graph, its response as text, and the final positions of the section's layout, once that has run. */
export interface BenchGraph extends Graph {
  body: string
  positions: number[]
}

/** Runs in the page before its own scripts and records its measurements. */
const observe = () => {
  const notes: Notes = { from: 0, frames: [], moved: [], layouts: [], busy: [], positions: [] }
  Object.assign(window, { notes })
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) notes.busy.push([startTime, duration])
  }).observe({ type: 'longtask' })
  const { json, text } = Response.prototype
  Response.prototype.text = async function (this: Response) {
    const body = await text.call(this)
    if (this.url.includes('/graph/triplets')) notes.from = performance.now()
    return body
  }
  Response.prototype.json = async function (this: Response) {
    return this.url.includes('/graph/triplets') ? JSON.parse(await this.text()) : json.call(this)
  }
  new MutationObserver(changes => {
    for (const { target } of changes) {
      const layout = (target as HTMLElement).dataset.layout
      if (layout && layout !== notes.layouts.at(-1)?.[0]) notes.layouts.push([layout, performance.now()])
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-layout'] })
  const Original = Worker
  window.Worker = class extends Original {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('message', ({ data }) => {
        if (data.settled) notes.positions = Array.from(data.positions)
        if (!data.drawnAt) return
        notes.frames.push(data.drawnAt - performance.timeOrigin)
        if (data.moved) notes.moved.push(data.drawnAt - performance.timeOrigin)
      })
    }
  }
}

/** Measurements of a page. */
export interface Notes {
  from: number
  frames: number[]
  /** Times of frames that show the graph at a new position. */
  moved: number[]
  layouts: [string, number][]
  busy: number[][]
  /** Interleaved x and y of the nodes, in the order of their ids, once settled. */
  positions: number[]
}
export const notesOf = (page: Page) => page.evaluate(() => (window as never as { notes: Notes }).notes)

/** Drags the graph back and forth from a point, at a pace set by the clock. Returns the rate of frames that move it. */
export const drag = async (page: Page, x = 8, y = 8): Promise<number> => {
  const [from, to] = await page.evaluate(
    async ({ ms, x, y }) => {
      const canvas = document.querySelector('canvas') as HTMLElement
      const { left, top } = canvas.getBoundingClientRect()
      const send = (type: string, target: EventTarget, aside: number) =>
        target.dispatchEvent(
          new MouseEvent(type, {
            bubbles: true,
            cancelable: true,
            view: window,
            clientX: left + x + aside,
            clientY: top + y,
          }),
        )
      const start = performance.now()
      send('mousedown', canvas, 0)
      let now = start
      while (now - start < ms) {
        send('mousemove', document, 150 * (1 - Math.cos(((now - start) / 2_000) * 2 * Math.PI)))
        await new Promise(next => setTimeout(next, 8))
        now = performance.now()
      }
      send('mouseup', document, 0)
      return [start, now] as const
    },
    { ms: PAN_MS, x, y },
  )
  const { moved } = await notesOf(page)
  return moved.filter(at => at >= from && at <= to).length / ((to - from) / 1000)
}

/** Returns a run's result: `shown` and `settled` are times of the page. */
export const result = ({ from, busy }: Notes, shown: number, settled: number): Layout => {
  if (from === 0) throw new Error('the response of GET /graph/triplets was not observed')
  const within = busy.filter(([start = 0, ms = 0]) => start + ms > from && start < settled)
  return {
    shown: shown - from,
    settled: settled - from,
    blocked: within.reduce((sum, [, ms = 0]) => sum + ms, 0),
  }
}

/** Opens a page that measures itself and receives the graph as response. */
export const open = async (browser: Browser, body: string, token?: string): Promise<Page> => {
  const page = await openPage(browser, token)
  page.setDefaultTimeout(280_000)
  await page.addInitScript(observe)
  await page.route('**/api/v1/graph/triplets*', route =>
    route.fulfill({ contentType: 'application/json', body }),
  )
  return page
}
