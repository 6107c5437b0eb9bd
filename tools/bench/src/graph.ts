/**
 * The graph section as built and served, against force-graph with the same constants, in the same Chromium
 * and in turns; each run has its own page. Times start when the answer of GET /graph/triplets is available as
 * text.
 *
 *   npm run bench -- graph
 *
 * SIZES and ALONE are lists of node counts: SIZES for the comparison, ALONE for the section only.
 */
import { fileURLToPath } from 'node:url'
import type { Graph } from '@iodine/contracts'
import { startTestStack } from '@iodine/harness'
import { NO_LIMITS, type SignedInUser, seededRandom } from '@iodine/test-kit'
import type { Browser, Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { count, medians, table, takeTurns, whole } from './lib/measure.js'

const sizes = (name: string, otherwise: string) =>
  (process.env[name] ?? otherwise).split(',').filter(Boolean).map(Number)
const compared = sizes('SIZES', '2000,10000')
const alone = sizes('ALONE', '50000')
const rounds = Number(process.env.ROUNDS ?? 3)
const PAN_MS = 4_000
const FORCE_GRAPH = fileURLToPath(new URL('./force-graph.min.js', import.meta.resolve('force-graph')))

/** Result of one run, in milliseconds and frames per second. */
type Run = {
  /** Until the layout of tick 100 is drawn. */
  shown: number
  /** Until the last of 300 ticks is drawn. */
  settled: number
  /** Main thread busy in tasks of more than 50 ms, from the answer until settled. */
  blocked: number
  longest: number
  frames: number
}

/** A graph of that many nodes: one in seven is a verb, about two links per node, with a skewed frequency. */
const graphOf = (nodeCount: number): Graph => {
  const random = seededRandom(7)
  const verbs = Math.floor(nodeCount / 7)
  const nodes: Graph['nodes'] = Array.from({ length: nodeCount }, (_, index) => {
    const type = index < verbs ? 'verb' : 'entity'
    return { id: `${type}:node ${index}`, label: `Node ${index}`, type, count: 0, sources: [] }
  })
  const links = new Map<string, Graph['links'][number]>()
  const skewed = (from: number, to: number) => from + Math.floor((to - from) * random() ** 2)
  const say = (from: number, to: number) => {
    const [source, target] = [nodes[from], nodes[to]]
    if (!source || !target) return
    const id = `${from} ${to}`
    const type = source.type === 'verb' ? 'verb_to_object' : 'subject_to_verb'
    const link = links.get(id) ?? { source: source.id, target: target.id, type, count: 0, sources: [] }
    links.set(id, link)
    link.count++
    source.count++
    target.count++
  }
  for (let triplet = 0; triplet < nodeCount; triplet++) {
    const verb = triplet < verbs ? triplet : skewed(0, verbs)
    say(verbs + (triplet % (nodeCount - verbs)), verb)
    say(verb, skewed(verbs, nodeCount))
  }
  return { nodes, links: [...links.values()], sources: [] }
}

/** Runs in the page before its own scripts and records its measurements. */
const observe = () => {
  const notes = { from: 0, frames: [] as number[], layouts: [] as [string, number][], busy: [] as number[][] }
  Object.assign(window, { notes })
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) notes.busy.push([startTime, duration])
  }).observe({ type: 'longtask' })
  const { json } = Response.prototype
  Response.prototype.json = async function (this: Response) {
    if (!this.url.includes('/graph/triplets')) return json.call(this)
    const text = await this.text()
    notes.from = performance.now()
    return JSON.parse(text)
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
        if (data.drawnAt) notes.frames.push(data.drawnAt - performance.timeOrigin)
      })
    }
  }
}

/** Reports each frame that the section's worker draws to the page. */
const TELL_FRAMES = `{
  const frame = self.requestAnimationFrame.bind(self)
  self.requestAnimationFrame = draw => frame(time => {
    draw(time)
    self.postMessage({ drawnAt: performance.timeOrigin + performance.now() })
  })
};`

interface Notes {
  from: number
  frames: number[]
  layouts: [string, number][]
  busy: number[][]
}
const notesOf = (page: Page) => page.evaluate(() => (window as never as { notes: Notes }).notes)

/** Drags the graph to and fro at a pace set by the clock; counts the frames drawn meanwhile. */
const pan = async (page: Page): Promise<number> => {
  const [from, to] = await page.evaluate(async ms => {
    const canvas = document.querySelector('canvas') as HTMLCanvasElement
    const { left, top } = canvas.getBoundingClientRect()
    const send = (type: string, target: EventTarget, x: number) =>
      target.dispatchEvent(
        new MouseEvent(type, {
          bubbles: true,
          cancelable: true,
          view: window,
          clientX: left + x,
          clientY: top + 8,
        }),
      )
    const start = performance.now()
    send('mousedown', canvas, 8)
    let now = start
    while (now - start < ms) {
      send('mousemove', window, 8 + 150 * (1 - Math.cos(((now - start) / 2_000) * 2 * Math.PI)))
      await new Promise(next => setTimeout(next, 8))
      now = performance.now()
    }
    send('mouseup', window, 8)
    return [start, now] as const
  }, PAN_MS)
  const { frames } = await notesOf(page)
  return frames.filter(at => at >= from && at <= to).length / ((to - from) / 1000)
}

const result = ({ from, busy }: Notes, shown: number, settled: number, frames: number): Run => {
  const within = busy.filter(([start = 0, ms = 0]) => start + ms > from && start < settled)
  return {
    shown: shown - from,
    settled: settled - from,
    blocked: within.reduce((sum, [, ms = 0]) => sum + ms, 0),
    longest: Math.max(0, ...within.map(([, ms = 0]) => ms)),
    frames,
  }
}

const open = async (browser: Browser, body: string, token?: string): Promise<Page> => {
  const page = await openPage(browser, token)
  page.setDefaultTimeout(280_000)
  await page.addInitScript(observe)
  await page.route('**/api/v1/graph/triplets*', route =>
    route.fulfill({ contentType: 'application/json', body }),
  )
  return page
}

const section = async (
  browser: Browser,
  url: string,
  { token }: SignedInUser,
  body: string,
): Promise<Run> => {
  const page = await open(browser, body, token)
  try {
    await page.route('**/static/worker/draw.*.js', async route => {
      const response = await route.fetch()
      await route.fulfill({ response, body: TELL_FRAMES + (await response.text()) })
    })
    await page.goto(`${url}/dashboard/graph`)
    await page.locator('canvas[data-layout=settled][data-drawing=worker]').waitFor()
    const drawnAfter = async (time: number) => {
      const drawn = await page.waitForFunction(
        from => (window as never as { notes: Notes }).notes.frames.find(at => at >= from),
        time,
      )
      return (await drawn.jsonValue()) as number
    }
    const { layouts } = await notesOf(page)
    const first = layouts.find(([layout]) => layout === 'moving' || layout === 'settled')?.[1] ?? Number.NaN
    const last = layouts.find(([layout]) => layout === 'settled')?.[1] ?? Number.NaN
    const [shown, settled] = [await drawnAfter(first), await drawnAfter(last)]
    const notes = await notesOf(page)
    return result(notes, shown, settled, await pan(page))
  } finally {
    await page.close()
  }
}

/** The baseline page: force-graph with the product's constants. */
const draw = async () => {
  const { notes, ForceGraph } = window as never as {
    notes: Notes
    ForceGraph: typeof import('force-graph').default
  }
  const answer = await fetch('/api/v1/graph/triplets')
  const data = (await answer.json()) as Graph
  const colors = { entity: '#2d72d2', verb: '#00a396', subject_to_verb: '#8f99a8', verb_to_object: '#e76a6e' }
  const nodes = data.nodes.map(node => ({ ...node, color: colors[node.type] }))
  const links = data.links.map(link => ({
    ...link,
    color: colors[link.type],
    width: Math.min(6, Math.max(2, 2 * link.count)),
  }))
  await new Promise<void>(settled => {
    const graph = new ForceGraph(document.querySelector('#graph') as HTMLElement)
      .width(1000)
      .height(600)
      .nodeVal('count')
      .nodeRelSize(8)
      .nodeColor('color')
      .linkColor('color')
      .linkWidth('width')
      .linkDirectionalArrowLength(6)
      .d3AlphaDecay(0.01)
      .d3VelocityDecay(0.3)
      .warmupTicks(100)
      .cooldownTicks(200)
      // Runs all 200 ticks, whatever they take.
      .cooldownTime(Number.POSITIVE_INFINITY)
      .minZoom(0.002)
      .onRenderFramePost(() => notes.frames.push(performance.now()))
      // The first frames are empty. The frame after the first tick that follows the warm-up shows the graph.
      .onEngineTick(() => {
        if (notes.layouts.length === 0) notes.layouts.push(['moving', performance.now()])
      })
      .onEngineStop(() => {
        if (notes.layouts.length === 1) notes.layouts.push(['settled', performance.now()])
        settled()
      })
    graph.d3Force('charge')?.strength(-800)
    graph.d3Force('link')?.distance(150)
    graph.graphData({ nodes, links })
    Object.assign(window, { graph })
  })
}

const forceGraph = async (browser: Browser, url: string, body: string): Promise<Run> => {
  const page = await open(browser, body)
  try {
    await page.route('**/bench/force-graph', route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><div id="graph"></div>' }),
    )
    await page.goto(`${url}/bench/force-graph`)
    await page.addScriptTag({ path: FORCE_GRAPH })
    await page.evaluate(draw)
    const notes = await notesOf(page)
    // Zooms to fit, like the section.
    await page.evaluate(() =>
      (window as never as { graph: { zoomToFit(ms: number, px: number): void } }).graph.zoomToFit(0, 40),
    )
    const [moving, settled] = [0, 1].map(index => notes.layouts[index]?.[1] ?? Number.NaN) as [number, number]
    const shown = notes.frames.find(at => at >= moving) ?? Number.NaN
    return result(notes, shown, settled, await pan(page))
  } finally {
    await page.close()
  }
}

const stack = await startTestStack({ env: NO_LIMITS })
const browser = await launchBrowser()
try {
  const user = await stack.signUp()
  const seconds = (ms: number) => count(ms / 1000)
  const rows: string[][] = []
  for (const size of compared) {
    const body = JSON.stringify(graphOf(size))
    const took = await takeTurns(rounds, {
      section: () => section(browser, stack.url, user, body),
      forceGraph: () => forceGraph(browser, stack.url, body),
    })
    const [our, their] = [medians(took.section), medians(took.forceGraph)]
    const sooner = (what: string, field: 'shown' | 'settled') =>
      row(what, seconds(our[field]), seconds(their[field]), `${count(their[field] / our[field])}× sooner`)
    const row = (what: string, mine: string, other: string, ratio: string) =>
      rows.push([`${whole(size)} nodes: ${what}`, mine, other, ratio])
    sooner('tick 100 on screen, s', 'shown')
    sooner('settled, s', 'settled')
    row(
      'main thread blocked, s',
      seconds(our.blocked),
      seconds(their.blocked),
      `${count((100 * our.blocked) / their.blocked)} %`,
    )
    row('panning, frames/s', count(our.frames), count(their.frames), `${count(our.frames / their.frames)}×`)
  }
  table(['graph', 'section', 'force-graph', 'ratio'], rows)

  const lonely: string[][] = []
  for (const size of alone) {
    const run = await section(browser, stack.url, user, JSON.stringify(graphOf(size)))
    const { shown, settled, blocked, longest, frames } = run
    lonely.push([whole(size), ...[shown, settled, blocked, longest].map(seconds), count(frames)])
  }
  if (lonely.length > 0)
    table(
      ['nodes, section alone', 'tick 100 s', 'settled s', 'blocked s', 'longest task s', 'panning frames/s'],
      lonely,
    )
} finally {
  await browser.close()
  await stack.stop()
}
