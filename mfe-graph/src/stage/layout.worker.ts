import { type LayoutCommand, type LayoutShape, runLayout } from '../model/layout-run'

/** A shape begins the next run and ends the previous one. */
export type LayoutMessage = LayoutCommand | ({ type: 'shape'; run: number } & LayoutShape)

const worker = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>
let command: ((command: LayoutCommand) => void) | undefined

worker.postMessage({ type: 'ready' })
worker.onmessage = ({ data }: MessageEvent<LayoutMessage>) => {
  if (data.type !== 'shape') return command?.(data)
  command?.({ type: 'stop' })
  const { run } = data
  command = runLayout(data, update =>
    worker.postMessage({ run, update }, update.type === 'positions' ? [update.positions.buffer] : []),
  )
}
