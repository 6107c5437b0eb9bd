import { type LayoutCommand, type LayoutShape, type LayoutUpdate, runLayout } from '../model/layout-run'
import type { Shape } from '../model/network'
import { startWorker } from './start-worker'

/** A running layout, in a worker if the browser supports that. */
export interface RunningLayout {
  tell: (command: Exclude<LayoutCommand, { type: 'stop' }>) => void
  stop: () => void
}

/**
 * Starts the layout of a shape. `onUpdate` is called until the layout is stopped, `onFailure` if it fails.
 */
export function startLayout(
  shape: Shape,
  onUpdate: (update: LayoutUpdate) => void,
  onFailure: () => void,
): RunningLayout {
  const { nodeCount, linkCount, sources, targets } = shape
  const told: LayoutShape = { nodeCount, linkCount, sources, targets }
  let tell: ((command: LayoutCommand) => void) | undefined
  let worker: Worker | null = null
  let stopped = false

  const begin = async () => {
    worker = await startWorker('layout')
    if (stopped) return worker?.terminate()
    if (!worker) {
      tell = runLayout(told, onUpdate)
      return
    }
    const own = worker
    own.onerror = () => {
      if (!stopped) onFailure()
    }
    own.onmessage = ({ data }: MessageEvent<LayoutUpdate>) => {
      if (!stopped) onUpdate(data)
    }
    own.postMessage(told)
    tell = command => own.postMessage(command)
  }
  begin().catch(onFailure)

  return {
    tell: command => tell?.(command),
    stop: () => {
      stopped = true
      if (worker) worker.terminate()
      else tell?.({ type: 'stop' })
    },
  }
}
