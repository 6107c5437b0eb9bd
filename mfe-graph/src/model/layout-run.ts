import { GRAPH } from './constants'
import { createLayout } from './layout'
import type { Shape } from './network'

export type LayoutShape = Pick<Shape, 'nodeCount' | 'linkCount' | 'sources' | 'targets'>

/** Messages of a run: progress of the warm-up (0 to 1), then positions. */
export type LayoutUpdate =
  | { type: 'warming'; progress: number }
  | { type: 'positions'; positions: Float32Array<ArrayBuffer>; settled: boolean }

/** Commands to a run. Coordinates are in graph units. */
export type LayoutCommand =
  | { type: 'drag'; node: number; x: number; y: number }
  | { type: 'drop' }
  | { type: 'stop' }

/** Milliseconds between two updates, and the maximum delay of a command. */
const SLICE_MS = 30
/** Milliseconds between two ticks after a node was dragged: one tick per frame. */
const FRAME_MS = 16

/**
 * Runs a layout: the warm-up, displayed at its end, then the cool-down as fast as possible. Dragging pins the node;
 * from then on the layout runs at the frame rate.
 */
export function runLayout(shape: LayoutShape, emit: (update: LayoutUpdate) => void) {
  const layout = createLayout(shape)
  let warmupLeft: number = GRAPH.warmupTicks
  let ticksLeft: number = GRAPH.cooldownTicks
  let dragging = false
  let paced = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const emitPositions = () =>
    emit({ type: 'positions', positions: layout.positions(), settled: ticksLeft === 0 && !dragging })

  const warmUp = (until: number) => {
    while (warmupLeft > 0 && performance.now() < until) {
      layout.tick()
      warmupLeft--
    }
    if (warmupLeft > 0) emit({ type: 'warming', progress: 1 - warmupLeft / GRAPH.warmupTicks })
    else emitPositions()
  }
  const coolDown = (until: number) => {
    do {
      layout.tick()
      if (!dragging) ticksLeft--
    } while (!paced && ticksLeft > 0 && performance.now() < until)
    emitPositions()
  }
  const step = () => {
    timer = undefined
    const until = performance.now() + SLICE_MS
    if (warmupLeft > 0) warmUp(until)
    else coolDown(until)
    schedule()
  }
  const schedule = () => {
    if (timer === undefined && (dragging || ticksLeft > 0)) timer = setTimeout(step, paced ? FRAME_MS : 0)
  }
  schedule()

  return (command: LayoutCommand): void => {
    if (command.type === 'stop') {
      clearTimeout(timer)
      dragging = false
      ticksLeft = 0
      return
    }
    if (command.type === 'drag') {
      layout.pin(command.node, command.x, command.y)
      if (!dragging) layout.reheat()
      dragging = true
      paced = true
    } else {
      layout.cool()
      dragging = false
      ticksLeft = GRAPH.cooldownTicks
    }
    schedule()
  }
}
