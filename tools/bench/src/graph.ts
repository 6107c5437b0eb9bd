/**
 * The built and served graph section compared with force-graph with the same constants, alternating in the same Chromium;
 * each run has its own page. Times start when the response of GET /graph/triplets is available as text. For panning,
 * force-graph shows the final positions of the section's layout, in a canvas of the same size.
 *
 *   npm run bench -- graph
 *
 * SIZES and ALONE are lists of node counts. The layout is compared for SIZES, panning for both.
 */
import type { Graph } from '@iodine/contracts'
import { startTestApp } from '@iodine/harness'
import { NO_LIMITS, type SignedInUser, seededRandom } from '@iodine/test-kit'
import type { Browser, Page } from '@playwright/test'
import { launchBrowser } from './lib/browser.js'
import { forceGraphLayout, forceGraphPanning } from './lib/force-graph.js'
import {
  type BenchGraph,
  CLOSE_UP,
  drag,
  type Layout,
  type Notes,
  notesOf,
  open,
  PAUSE_MS,
  type Panning,
  result,
} from './lib/graph-page.js'
import { count, interleave, medians, ratio, table, whole } from './lib/measure.js'

const sizes = (name: string, otherwise: string) =>
  (process.env[name] ?? otherwise).split(',').filter(Boolean).map(Number)
const compared = sizes('SIZES', '2000,10000')
const alone = sizes('ALONE', '50000')
const rounds = Number(process.env.ROUNDS ?? 3)
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

/** Measures the built and served section. */
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
