import type { Palette } from '../model/scene'
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
  let worker: Worker | null = null
  let closed = false

  const begin = async (): Promise<Screen | undefined> => {
    const offscreen = typeof canvas.transferControlToOffscreen === 'function'
    worker = offscreen ? await startWorker('draw') : null
    if (closed) return void worker?.terminate()
    if (worker)
      worker.onerror = () => {
        if (!closed) onFailure()
      }
    canvas.dataset.drawing = worker ? 'worker' : 'page'
    return worker ? remoteScreen(worker, canvas, palette) : createScreen(canvas, palette)
  }
  const begun = begin()
  begun.catch(onFailure)
  /** Calls the screen once it exists, in the order of the calls. */
  const onScreen = (act: (screen: Screen) => void) =>
    void begun.then(
      screen => screen && act(screen),
      () => {},
    )
  return {
    show: scene => onScreen(screen => screen.show(scene)),
    move: (...moved) => onScreen(screen => screen.move(...moved)),
    setView: view => onScreen(screen => screen.setView(view)),
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
