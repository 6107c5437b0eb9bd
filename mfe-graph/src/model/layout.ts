import {
  forceCenter,
  forceLink,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3'
import { createCharge } from './charge'
import { GRAPH } from './constants'
import type { Shape } from './network'

type Body = SimulationNodeDatum & { x: number; y: number; vx: number; vy: number }

const DRAG_ALPHA = 0.3

/**
 * Creates a layout, which is deterministic as long as no node is dragged: d3-force's simulation with a custom charge
 * force (see charge.ts) and a weak pull to the centre.
 */
export function createLayout(shape: Pick<Shape, 'nodeCount' | 'linkCount' | 'sources' | 'targets'>) {
  const { nodeCount, linkCount, sources, targets } = shape
  const bodies = Array.from({ length: nodeCount }, () => ({}) as Body)
  const links: SimulationLinkDatum<Body>[] = Array.from({ length: linkCount }, (_, link) => ({
    source: sources[link]!,
    target: targets[link]!,
  }))
  const simulation = forceSimulation(bodies)
    .stop()
    .alphaDecay(GRAPH.alphaDecay)
    .velocityDecay(GRAPH.velocityDecay)
    .force('link', forceLink(links).distance(GRAPH.linkDistance))
    .force('charge', chargeForce(bodies))
    .force('center', forceCenter())
    .force('x', forceX<Body>().strength(GRAPH.gravity))
    .force('y', forceY<Body>().strength(GRAPH.gravity))
  return {
    tick: () => void simulation.tick(),
    /** Interleaved x and y of the nodes. */
    positions: (): Float32Array<ArrayBuffer> => {
      const positions = new Float32Array(nodeCount * 2)
      for (let node = 0; node < nodeCount; node++) {
        positions[node * 2] = bodies[node]!.x
        positions[node * 2 + 1] = bodies[node]!.y
      }
      return positions
    },
    /** Fixes a node's position. */
    pin: (node: number, x: number, y: number) => {
      const body = bodies[node]
      if (!body) return
      body.fx = x
      body.fy = y
    },
    /** Keeps the layout's temperature up while a node is dragged. */
    reheat: () => void simulation.alphaTarget(DRAG_ALPHA),
    /** Lets the layout cool down again. */
    cool: () => void simulation.alphaTarget(0),
  }
}

function chargeForce(bodies: Body[]) {
  const count = bodies.length
  const charge = createCharge(count, { strength: GRAPH.chargeStrength })
  const x = new Float64Array(count)
  const y = new Float64Array(count)
  const vx = new Float64Array(count)
  const vy = new Float64Array(count)
  return (alpha: number) => {
    for (let index = 0; index < count; index++) {
      const body = bodies[index]!
      x[index] = body.x
      y[index] = body.y
      vx[index] = body.vx
      vy[index] = body.vy
    }
    charge(x, y, vx, vy, alpha)
    for (let index = 0; index < count; index++) {
      bodies[index]!.vx = vx[index]!
      bodies[index]!.vy = vy[index]!
    }
  }
}
