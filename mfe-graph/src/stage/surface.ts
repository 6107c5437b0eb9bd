import type { Palette, Scene, View } from '../model/painter'
import type { DrawMessage } from './draw.worker'
import { fontFiles } from './fonts'
import { createScreen, type Screen } from './screen'
import { startWorker } from './start-worker'

export interface Surface extends Screen {
  close: () => void
}

/**
 * Draws on `canvas`, in a worker if the browser supports that, otherwise on the page's thread. `onFailure` is
 * called when the worker fails: the canvas, which the worker owns, is then lost.
 */
export function createSurface(canvas: HTMLCanvasElement, palette: Palette, onFailure: () => void): Surface {
  let screen: Screen | undefined
  let worker: Worker | null = null
  let closed = false
  let scene: Scene | null = null
  let moved: Parameters<Screen['move']> | undefined
  let view: View | undefined

  const begin = async () => {
    const offscreen = typeof canvas.transferControlToOffscreen === 'function'
    worker = offscreen ? await startWorker('draw') : null
    if (closed) return worker?.terminate()
    if (worker)
      worker.onerror = () => {
        if (!closed) onFailure()
      }
    screen = worker ? remoteScreen(worker, canvas, palette) : createScreen(canvas, palette)
    canvas.dataset.drawing = worker ? 'worker' : 'page'
    if (scene) screen.show(scene)
    if (moved) screen.move(...moved)
    if (view) screen.setView(view)
  }
  begin().catch(onFailure)

  return {
    show: shown => {
      scene = shown
      moved = undefined
      screen?.show(shown)
    },
    move: (...args) => {
      moved = args
      screen?.move(...args)
    },
    setView: seen => {
      view = seen
      screen?.setView(seen)
    },
    close: () => {
      closed = true
      worker?.terminate()
    },
  }
}

function remoteScreen(worker: Worker, canvas: HTMLCanvasElement, palette: Palette): Screen {
  const post = (message: DrawMessage, transfer: Transferable[] = []) => worker.postMessage(message, transfer)
  const offscreen = canvas.transferControlToOffscreen()
  post({ type: 'canvas', canvas: offscreen, palette, fonts: fontFiles() }, [offscreen])
  return {
    show: scene => post({ type: 'scene', scene }),
    move: (positions, settled) => post({ type: 'positions', positions, settled }),
    setView: view => post({ type: 'view', view }),
  }
}
