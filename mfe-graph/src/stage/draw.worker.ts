import type { Palette, Scene, View } from '../model/scene'
import { addFonts, type FontFile } from './fonts'
import { createScreen, type Screen } from './screen'

/** Messages from the page, each sent when its content changes. */
export type DrawMessage =
  | { type: 'canvas'; canvas: OffscreenCanvas; palette: Palette; fonts: FontFile[] }
  | { type: 'scene'; scene: Scene | null }
  | { type: 'positions'; positions: Float32Array; settled: boolean }
  | { type: 'view'; view: View }

const worker = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>
let screen: Screen | undefined

worker.onmessage = ({ data }: MessageEvent<DrawMessage>) => {
  if (data.type === 'canvas') {
    addFonts(data.fonts)
    screen = createScreen(data.canvas, data.palette)
  } else if (data.type === 'scene') screen?.show(data.scene)
  else if (data.type === 'positions') screen?.move(data.positions, data.settled)
  else screen?.setView(data.view)
}
worker.postMessage({ type: 'ready' })
