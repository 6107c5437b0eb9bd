/**
 * The built and served graph section compared with force-graph with the same constants, alternating in the same Chromium;
 * each run has its own page. Times start when the response of GET /graph/triplets is available as text. For panning,
 * force-graph shows the final positions of the section's layout, in a canvas of the same size.
 *
 *   npm run bench -- graph
 *
 * SIZES and ALONE are lists of node counts. The layout is compared for SIZES, panning for both.
 */
import { fileURLToPath } from 'node:url'
import type { Graph } from '@iodine/contracts'
import { startTestApp } from '@iodine/harness'
import { NO_LIMITS, type SignedInUser, seededRandom } from '@iodine/test-kit'
import type { Browser, Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { count, interleave, medians, ratio, table, whole } from './lib/measure.js'

const sizes = (name: string, otherwise: string) =>
  (process.env[name] ?? otherwise).split(',').filter(Boolean).map(Number)
const compared = sizes('SIZES', '2000,10000')
const alone = sizes('ALONE', '50000')
const rounds = Number(process.env.ROUNDS ?? 3)
const PAN_MS = 4_000
/** Pause between a change of the view and a drag, for the page's deferred work. */
const PAUSE_MS = 2_000
const COLORS = { entity: '#2d72d2', verb: '#00a396', subject_to_verb: '#8f99a8', verb_to_object: '#e76a6e' }
/** Zoom factor for panning close up, relative to the whole graph in view. */
const CLOSE_UP = 4
const FORCE_GRAPH = fileURLToPath(new URL('./force-graph.min.js', import.meta.resolve('force-graph')))

/** Frames per second while the graph is dragged. Counts only frames with a new position. */
type Panning = {
  /** The whole graph in view. */
  whole: number
  closeUp: number
}

/** Result of one run, in milliseconds. */
type Layout = {
  /** Until the layout of tick 100 is drawn. */
  shown: number
  /** Until the last of 300 ticks is drawn. */
  settled: number
  /** Total duration of main thread tasks of more than 50 ms, from the response until settled. */
  blocked: number
}

/**
 * Returns a graph with `nodeCount` nodes: one in seven is a verb, about two links per node, with a skewed frequency.
 */
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

/** A graph, its response as text, and the final positions of the section's layout, once that has run. */
interface BenchGraph extends Graph {
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

/** Reports each frame that the section's worker draws to the page, and whether the camera has moved. */
const TELL_FRAMES = `{
  let camera, drawn
  self.addEventListener('message', ({ data }) => {
    if (data.type === 'view') camera = JSON.stringify(data.view.camera)
  })
  const frame = self.requestAnimationFrame.bind(self)
  self.requestAnimationFrame = draw => frame(time => {
    draw(time)
    const moved = camera !== drawn
    drawn = camera
    self.postMessage({ drawnAt: performance.timeOrigin + performance.now(), moved })
  })
};`

interface Notes {
  from: number
  frames: number[]
  /** Times of frames that show the graph at a new position. */
  moved: number[]
  layouts: [string, number][]
  busy: number[][]
  /** Interleaved x and y of the nodes, in the order of their ids, once settled. */
  positions: number[]
}
const notesOf = (page: Page) => page.evaluate(() => (window as never as { notes: Notes }).notes)

/** Drags the graph back and forth from a point, at a pace set by the clock. Returns the rate of frames that move it. */
const drag = async (page: Page, x = 8, y = 8): Promise<number> => {
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

const result = ({ from, busy }: Notes, shown: number, settled: number): Layout => {
  if (from === 0) throw new Error('the response of GET /graph/triplets was not observed')
  const within = busy.filter(([start = 0, ms = 0]) => start + ms > from && start < settled)
  return {
    shown: shown - from,
    settled: settled - from,
    blocked: within.reduce((sum, [, ms = 0]) => sum + ms, 0),
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
  graph: BenchGraph,
): Promise<Layout & Panning> => {
  const page = await open(browser, graph.body, token)
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
    graph.positions = notes.positions
    const panned = await drag(page)
    await page.evaluate(factor => {
      const canvas = document.querySelector('canvas') as HTMLCanvasElement
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const [clientX, clientY] = [left + width / 2, top + height / 2]
      // d3 zooms by 2 to the power of -0.002 times the distance.
      const deltaY = -500 * Math.log2(factor)
      canvas.dispatchEvent(
        new WheelEvent('wheel', { bubbles: true, cancelable: true, view: window, clientX, clientY, deltaY }),
      )
    }, CLOSE_UP)
    const [x, y] = await backgroundOf(page, graph)
    await page.waitForTimeout(PAUSE_MS)
    return { ...result(notes, shown, settled), whole: panned, closeUp: await drag(page, x, y) }
  } finally {
    await page.close()
  }
}

/** Returns the grid point of the section's canvas that is furthest from all nodes: dragging there moves the graph. */
const backgroundOf = (page: Page, { nodes }: BenchGraph): Promise<[number, number]> =>
  page.evaluate(
    ids => {
      const canvas = document.querySelector('canvas') as HTMLCanvasElement & {
        nodePosition(id: string): { x: number; y: number }
      }
      const places = ids
        .map(id => canvas.nodePosition(id))
        .filter(({ x, y }) => x > -50 && x < 350 && y > -50)
      let found: [number, number] = [0, 0]
      let furthest = 0
      for (let y = 8; y < canvas.clientHeight; y += 8)
        for (let x = 8; x < 300; x += 8) {
          const distance = places.reduce(
            (least, place) => Math.min(least, Math.hypot(place.x - x, place.y - y)),
            1_000,
          )
          if (distance > furthest) [found, furthest] = [[x, y], distance]
        }
      // Nodes are hit from 6 pixels on.
      if (furthest <= 7) throw new Error('the canvas shows no background')
      return found
    },
    nodes.map(({ id }) => id),
  )

/**
 * Runs in the page. Draws the response with force-graph and the product's constants.
 * @param positions interleaved x and y in the order of the ids; if empty, force-graph computes a layout
 */
const draw = async ({ colors, positions }: { colors: typeof COLORS; positions: number[] }) => {
  const { notes, ForceGraph } = window as never as {
    notes: Notes
    ForceGraph: typeof import('force-graph').default
  }
  const answer = await fetch('/api/v1/graph/triplets')
  const data = (await answer.json()) as Graph
  const isFixed = positions.length > 0
  const order = new Map(
    data.nodes
      .map(({ id }) => id)
      .sort()
      .map((id, at) => [id, at * 2]),
  )
  const nodes = data.nodes.map(node => {
    const at = order.get(node.id) ?? 0
    const [x = 0, y = 0] = positions.slice(at, at + 2)
    // zoomToFit reads x and y before the first tick sets them.
    return { ...node, color: colors[node.type], ...(isFixed && { x, y, fx: x, fy: y }) }
  })
  const links = data.links.map(link => ({
    ...link,
    color: colors[link.type],
    width: Math.min(6, Math.max(2, 2 * link.count)),
  }))
  let drawn = ''
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
      .enableNodeDrag(false)
      .d3AlphaDecay(0.01)
      .d3VelocityDecay(0.3)
      .warmupTicks(isFixed ? 0 : 100)
      .cooldownTicks(isFixed ? 0 : 200)
      // Runs all 200 ticks, without a time limit.
      .cooldownTime(Number.POSITIVE_INFINITY)
      .minZoom(0.002)
      .onRenderFramePost(() => {
        const camera = JSON.stringify([graph.zoom(), graph.centerAt()])
        notes.frames.push(performance.now())
        if (camera !== drawn) notes.moved.push(performance.now())
        drawn = camera
      })
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
    if (isFixed) graph.zoomToFit(0, 40)
    Object.assign(window, { graph })
  })
}

/** Opens an empty page, draws the graph in it with force-graph, and measures it. */
const withForceGraph = async <T>(
  browser: Browser,
  url: string,
  body: string,
  positions: number[],
  measure: (page: Page) => Promise<T>,
): Promise<T> => {
  const page = await open(browser, body)
  try {
    await page.route('**/bench/force-graph', route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><div id="graph"></div>' }),
    )
    await page.goto(`${url}/bench/force-graph`)
    await page.addScriptTag({ path: FORCE_GRAPH })
    await page.evaluate(draw, { colors: COLORS, positions })
    return await measure(page)
  } finally {
    await page.close()
  }
}

const forceGraphLayout = (browser: Browser, url: string, { body }: BenchGraph): Promise<Layout> =>
  withForceGraph(browser, url, body, [], async page => {
    const notes = await notesOf(page)
    const [moving, settled] = [0, 1].map(index => notes.layouts[index]?.[1] ?? Number.NaN) as [number, number]
    const shown = notes.frames.find(at => at >= moving) ?? Number.NaN
    return result(notes, shown, settled)
  })

const forceGraphPanning = (
  browser: Browser,
  url: string,
  { body, positions }: BenchGraph,
): Promise<Panning> =>
  withForceGraph(browser, url, body, positions, async page => {
    await page.waitForTimeout(PAUSE_MS)
    const panned = await drag(page)
    await page.evaluate(factor => {
      const { graph } = window as never as { graph: import('force-graph').default }
      graph.zoom(graph.zoom() * factor, 0)
    }, CLOSE_UP)
    await page.waitForTimeout(PAUSE_MS)
    return { whole: panned, closeUp: await drag(page) }
  })

const NOT_COMPARED: Layout = {
  shown: Number.NaN,
  settled: Number.NaN,
  blocked: Number.NaN,
}
const MEASURES = [
  ['tick 100 on screen, s', 'shown', 1_000],
  ['settled (300 ticks), s', 'settled', 1_000],
  ['main thread blocked, s', 'blocked', 1_000],
  ['panning, frames/s', 'whole', 1],
  [`panning, ${CLOSE_UP} × as large, frames/s`, 'closeUp', 1],
] as const

const app = await startTestApp({ env: NO_LIMITS })
const browser = await launchBrowser()
try {
  const user = await app.signUp()
  const rows: string[][] = []
  for (const size of [...compared, ...alone]) {
    const answer = graphOf(size)
    const graph: BenchGraph = { ...answer, body: JSON.stringify(answer), positions: [] }
    // The section is first in the first round, since force-graph shows its final positions.
    const took = await interleave<'section' | 'forceGraph', Layout & Panning>(rounds, {
      section: () => section(browser, app.url, user, graph),
      forceGraph: async () => ({
        ...(compared.includes(size) ? await forceGraphLayout(browser, app.url, graph) : NOT_COMPARED),
        ...(await forceGraphPanning(browser, app.url, graph)),
      }),
    })
    const [our, their] = [medians(took.section), medians(took.forceGraph)]
    for (const [what, field, unit] of MEASURES)
      rows.push([
        `${whole(size)} nodes: ${what}`,
        count(our[field] / unit),
        ...(Number.isNaN(their[field])
          ? ['', '']
          : [count(their[field] / unit), ratio(our[field], their[field])]),
      ])
  }
  table(['graph', 'section', 'force-graph', 'section ÷ force-graph'], rows)
} finally {
  await browser.close()
  await app.stop()
}
