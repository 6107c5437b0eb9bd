/**
 * The graph section as built and served, against force-graph with the same constants, in the same Chromium
 * and in turns; each run has its own page. Times start when the answer of GET /graph/triplets is available as
 * text. Panning is measured against sigma as well, which draws with WebGL; it and force-graph then show the
 * positions at which the section has settled, in a canvas of the same size.
 *
 *   npm run bench -- graph
 *
 * SIZES and ALONE are lists of node counts. The layout is compared for SIZES, panning for both.
 */
import { fileURLToPath } from 'node:url'
import type { Graph } from '@iodine/contracts'
import { startTestStack } from '@iodine/harness'
import { NO_LIMITS, type SignedInUser, seededRandom } from '@iodine/test-kit'
import type { Browser, Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { count, interleave, medians, table, whole } from './lib/measure.js'

const sizes = (name: string, otherwise: string) =>
  (process.env[name] ?? otherwise).split(',').filter(Boolean).map(Number)
const compared = sizes('SIZES', '2000,10000')
const alone = sizes('ALONE', '50000')
const rounds = Number(process.env.ROUNDS ?? 3)
const PAN_MS = 4_000
/** Time for what a page does after a change of its view, before it is dragged. */
const PAUSE_MS = 2_000
const COLORS = { entity: '#2d72d2', verb: '#00a396', subject_to_verb: '#8f99a8', verb_to_object: '#e76a6e' }
/** How often the graph is enlarged, from the whole graph, for panning close up. */
const CLOSE_UP = 4
const scriptOf = (name: string, file: string) => fileURLToPath(new URL(file, import.meta.resolve(name)))
const FORCE_GRAPH = scriptOf('force-graph', './force-graph.min.js')
const SIGMA = scriptOf('sigma', './sigma.min.js')
const GRAPHOLOGY = scriptOf('graphology', './graphology.umd.min.js')

/** Frames per second while the graph is dragged: those that show it in a new place. */
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
  /** Main thread busy in tasks of more than 50 ms, from the answer until settled. */
  blocked: number
  longest: number
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

/** A graph, its answer as text, and where the section has settled it, once that has run. */
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
  /** Frames that show the graph in a new place. */
  moved: number[]
  layouts: [string, number][]
  busy: number[][]
  /** Interleaved x and y of the nodes, in the order of their ids, once settled. */
  positions: number[]
}
const notesOf = (page: Page) => page.evaluate(() => (window as never as { notes: Notes }).notes)

/** Drags the graph to and fro from a point, at a pace set by the clock; counts the frames that move it. */
const drag = async (page: Page, selector = 'canvas', x = 8, y = 8): Promise<number> => {
  const [from, to] = await page.evaluate(
    async ({ ms, selector, x, y }) => {
      const canvas = document.querySelector(selector) as HTMLElement
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
    { ms: PAN_MS, selector, x, y },
  )
  const { moved } = await notesOf(page)
  return moved.filter(at => at >= from && at <= to).length / ((to - from) / 1000)
}

const result = ({ from, busy }: Notes, shown: number, settled: number): Layout => {
  if (from === 0) throw new Error('the answer of GET /graph/triplets was not seen')
  const within = busy.filter(([start = 0, ms = 0]) => start + ms > from && start < settled)
  return {
    shown: shown - from,
    settled: settled - from,
    blocked: within.reduce((sum, [, ms = 0]) => sum + ms, 0),
    longest: Math.max(0, ...within.map(([, ms = 0]) => ms)),
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
    return { ...result(notes, shown, settled), whole: panned, closeUp: await drag(page, 'canvas', x, y) }
  } finally {
    await page.close()
  }
}

/** The point of the section's canvas that is furthest from all nodes, of a grid: dragging it moves the graph. */
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
      if (furthest <= 7) throw new Error('no background')
      return found
    },
    nodes.map(({ id }) => id),
  )

/** The baseline page: force-graph with the product's constants. */
const draw = async (colors: typeof COLORS) => {
  const { notes, ForceGraph } = window as never as {
    notes: Notes
    ForceGraph: typeof import('force-graph').default
  }
  const answer = await fetch('/api/v1/graph/triplets')
  const data = (await answer.json()) as Graph
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

const forceGraph = async (browser: Browser, url: string, { body }: BenchGraph): Promise<Layout> => {
  const page = await open(browser, body)
  try {
    await page.route('**/bench/force-graph', route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><div id="graph"></div>' }),
    )
    await page.goto(`${url}/bench/force-graph`)
    await page.addScriptTag({ path: FORCE_GRAPH })
    await page.evaluate(draw, COLORS)
    const notes = await notesOf(page)
    const [moving, settled] = [0, 1].map(index => notes.layouts[index]?.[1] ?? Number.NaN) as [number, number]
    const shown = notes.frames.find(at => at >= moving) ?? Number.NaN
    return result(notes, shown, settled)
  } finally {
    await page.close()
  }
}

/** What the pages below draw. */
interface Settled {
  nodes: { id: string; label: string; color: string; count: number; x: number; y: number }[]
  links: { source: string; target: string; color: string; width: number }[]
}

const settledOf = ({ nodes, links, positions }: BenchGraph): Settled => {
  const order = nodes.map(({ id }) => id).sort()
  const places = new Map(order.map((id, at) => [id, [positions[at * 2], positions[at * 2 + 1]]]))
  return {
    nodes: nodes.map(({ id, label, type, count }) => {
      const [x = 0, y = 0] = places.get(id) ?? []
      return { id, label, count, x, y, color: COLORS[type] }
    }),
    links: links.map(({ source, target, type, count }) => ({
      source,
      target,
      color: COLORS[type],
      width: Math.min(6, Math.max(2, 2 * count)),
    })),
  }
}

/** Opens an empty page, draws the settled graph in it and drags it; `closeUp` enlarges it. */
const panned = async (
  browser: Browser,
  url: string,
  graph: BenchGraph,
  scripts: string[],
  show: (settled: Settled) => void,
  closeUp: (factor: number) => void,
  selector: string,
): Promise<Panning> => {
  const page = await open(browser, '{}')
  try {
    await page.route('**/bench/panned', route =>
      route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><div id="graph" style="width: 1000px; height: 600px"></div>',
      }),
    )
    await page.goto(`${url}/bench/panned`)
    for (const path of scripts) await page.addScriptTag({ path })
    await page.evaluate(show, settledOf(graph))
    await page.waitForTimeout(PAUSE_MS)
    const whole = await drag(page, selector)
    await page.evaluate(closeUp, CLOSE_UP)
    await page.waitForTimeout(PAUSE_MS)
    return { whole, closeUp: await drag(page, selector) }
  } finally {
    await page.close()
  }
}

const pannedForceGraph = (browser: Browser, url: string, graph: BenchGraph): Promise<Panning> =>
  panned(
    browser,
    url,
    graph,
    [FORCE_GRAPH],
    ({ nodes, links }) => {
      const { notes, ForceGraph } = window as never as {
        notes: Notes
        ForceGraph: typeof import('force-graph').default
      }
      let drawn = ''
      const shown = new ForceGraph(document.querySelector('#graph') as HTMLElement)
        .width(1000)
        .height(600)
        .nodeVal('count')
        .nodeRelSize(8)
        .nodeColor('color')
        .linkColor('color')
        .linkWidth('width')
        .linkDirectionalArrowLength(6)
        .enableNodeDrag(false)
        .cooldownTicks(0)
        .minZoom(0.002)
        .onRenderFramePost(() => {
          const camera = JSON.stringify([shown.zoom(), shown.centerAt()])
          if (camera !== drawn) notes.moved.push(performance.now())
          drawn = camera
        })
        .graphData({ nodes: nodes.map(node => ({ ...node, fx: node.x, fy: node.y })), links })
      shown.zoomToFit(0, 40)
      Object.assign(window, { shown })
    },
    factor => {
      const { shown } = window as never as { shown: import('force-graph').default }
      shown.zoom(shown.zoom() * factor, 0)
    },
    'canvas',
  )

const pannedSigma = (browser: Browser, url: string, graph: BenchGraph): Promise<Panning> =>
  panned(
    browser,
    url,
    graph,
    [GRAPHOLOGY, SIGMA],
    ({ nodes, links }) => {
      const { notes, Sigma, graphology } = window as never as {
        notes: Notes
        Sigma: typeof import('sigma').default
        graphology: { DirectedGraph: typeof import('graphology').DirectedGraph }
      }
      const data = new graphology.DirectedGraph()
      for (const { id, label, color, x, y } of nodes) data.addNode(id, { label, color, x, y: -y, size: 1 })
      for (const { source, target, color } of links) data.addEdge(source, target, { color, size: 0.7 })
      const shown = new Sigma(data, document.querySelector('#graph') as HTMLElement, { stagePadding: 40 })
      let drawn = ''
      shown.on('afterRender', () => {
        const camera = JSON.stringify(shown.getCamera().getState())
        if (camera !== drawn) notes.moved.push(performance.now())
        drawn = camera
      })
      Object.assign(window, { shown })
    },
    factor => {
      const camera = (window as never as { shown: import('sigma').default }).shown.getCamera()
      camera.setState({ ratio: camera.ratio / factor })
    },
    '.sigma-mouse',
  )

const stack = await startTestStack({ env: NO_LIMITS })
const browser = await launchBrowser()
try {
  const user = await stack.signUp()
  const seconds = (ms: number) => count(ms / 1000)
  const layouts: string[][] = []
  const lonely: string[][] = []
  const pannings: string[][] = []
  for (const size of [...compared, ...alone]) {
    const answer = graphOf(size)
    const graph: BenchGraph = { ...answer, body: JSON.stringify(answer), positions: [] }
    const nodes = `${whole(size)} nodes`
    // The section comes first in the first round, since the others show where it has settled.
    const both: (Layout & Panning)[] = []
    const baseline: Layout[] = []
    const took = await interleave<'section' | 'sigma' | 'forceGraph', Panning>(rounds, {
      section: async () => {
        const run = await section(browser, stack.url, user, graph)
        both.push(run)
        if (compared.includes(size)) baseline.push(await forceGraph(browser, stack.url, graph))
        return run
      },
      sigma: () => pannedSigma(browser, stack.url, graph),
      forceGraph: () => pannedForceGraph(browser, stack.url, graph),
    })
    const our = medians(both)
    const [sigma, theirs] = [medians(took.sigma), medians(took.forceGraph)]
    for (const [what, field] of [
      ['the whole graph', 'whole'],
      [`${CLOSE_UP} × as large`, 'closeUp'],
    ] as const) {
      const frames = [our, sigma, theirs].map(side => side[field])
      const ratios = [sigma, theirs].map(side => `${count(our[field] / side[field])}×`)
      pannings.push([`${nodes}, ${what}`, ...frames.map(count), ...ratios])
    }
    const { shown, settled, blocked, longest } = our
    if (alone.includes(size)) {
      lonely.push([whole(size), ...[shown, settled, blocked, longest].map(seconds)])
      continue
    }
    const their = medians(baseline)
    const sooner = (what: string, field: 'shown' | 'settled') =>
      layouts.push([
        `${nodes}: ${what}`,
        seconds(our[field]),
        seconds(their[field]),
        `${count(their[field] / our[field])}× sooner`,
      ])
    sooner('tick 100 on screen, s', 'shown')
    sooner('settled, s', 'settled')
    layouts.push([
      `${nodes}: main thread blocked, s`,
      seconds(blocked),
      seconds(their.blocked),
      `${count((100 * blocked) / their.blocked)} %`,
    ])
  }
  if (layouts.length > 0) table(['graph', 'section', 'force-graph', 'ratio'], layouts)
  if (lonely.length > 0)
    table(['nodes, section alone', 'tick 100 s', 'settled s', 'blocked s', 'longest task s'], lonely)
  if (pannings.length > 0)
    table(
      ['panning, frames/s', 'section', 'sigma', 'force-graph', 'beside sigma', 'beside force-graph'],
      pannings,
    )
} finally {
  await browser.close()
  await stack.stop()
}
