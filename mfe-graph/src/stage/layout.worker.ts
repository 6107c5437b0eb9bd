import { type LayoutCommand, type LayoutShape, runLayout } from '../model/layout-run'

const worker = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>

worker.postMessage({ type: 'ready' })
worker.onmessage = ({ data: shape }: MessageEvent<LayoutShape>) => {
  const command = runLayout(shape, update =>
    worker.postMessage(update, update.type === 'positions' ? [update.positions.buffer] : []),
  )
  worker.onmessage = ({ data }: MessageEvent<LayoutCommand>) => command(data)
}
