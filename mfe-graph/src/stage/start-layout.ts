import { type LayoutCommand, type LayoutUpdate, runLayout } from '../model/layout-run'
import type { Shape } from '../model/network'
import type { LayoutMessage } from './layout.worker'
import { startWorker } from './start-worker'

/**
 * Creates the layouts, which run one at a time, in one worker if the browser supports that. `onUpdate` receives the
 * latest run's updates until it is stopped; `onFailure` reports its failure.
 */
export function createLayouts(onUpdate: (update: LayoutUpdate) => void, onFailure: () => void) {
  let worker: Promise<Worker | null> | undefined
  let send: ((command: LayoutCommand) => void) | undefined
  let latest = 0

  const start = async () => {
    const started = await startWorker('layout')
    if (started) {
      started.onerror = onFailure
      started.onmessage = ({ data }: MessageEvent<{ run: number; update: LayoutUpdate }>) => {
        if (data.run === latest) onUpdate(data.update)
      }
    }
    return started
  }
  const stop = () => {
    latest++
    send?.({ type: 'stop' })
    send = undefined
  }
  const begin = async ({ nodeCount, linkCount, sources, targets }: Shape) => {
    const run = latest
    const shape = { nodeCount, linkCount, sources, targets }
    worker ??= start()
    const own = await worker
    if (run !== latest) return
    if (!own) {
      send = runLayout(shape, update => run === latest && onUpdate(update))
      return
    }
    const post = (message: LayoutMessage) => own.postMessage(message)
    post({ type: 'shape', run, ...shape })
    send = post
  }
  return {
    /** Ends the previous run. */
    run: (shape: Shape) => {
      stop()
      if (shape.nodeCount > 0) begin(shape).catch(onFailure)
    },
    send: (command: LayoutCommand) => send?.(command),
    close: () => {
      stop()
      void worker?.then(started => {
        if (started) started.onerror = null
        started?.terminate()
      })
    },
  }
}
