import { fileURLToPath } from 'node:url'
import type { Graph } from '@iodine/contracts'
import type { Browser, Page } from '@playwright/test'
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
} from './graph-page.js'

const COLORS = { entity: '#2d72d2', verb: '#00a396', subject_to_verb: '#8f99a8', verb_to_object: '#e76a6e' }
const FORCE_GRAPH = fileURLToPath(new URL('./force-graph.min.js', import.meta.resolve('force-graph')))

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

/** Measures force-graph's own layout. */
export const forceGraphLayout = (browser: Browser, url: string, { body }: BenchGraph): Promise<Layout> =>
  withForceGraph(browser, url, body, [], async page => {
    const notes = await notesOf(page)
    const [moving, settled] = [0, 1].map(index => notes.layouts[index]?.[1] ?? Number.NaN) as [number, number]
    const shown = notes.frames.find(at => at >= moving) ?? Number.NaN
    return result(notes, shown, settled)
  })

/** Measures panning of force-graph with the section's positions. */
export const forceGraphPanning = (
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
