import { afterEach, expect, test, vi } from 'vitest'
import type { KnownText } from '../src/content/overlay/known-texts'
import { createPainter } from '../src/content/overlay/painter'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('draws again after a stop with a pending drawing', async () => {
  document.body.innerHTML = '<p>alpha</p>'
  const block = document.querySelector('p') as Element
  const frames: FrameRequestCallback[] = []
  vi.stubGlobal('requestAnimationFrame', (draw: FrameRequestCallback) => frames.push(draw))
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames.length = 0
  })
  // The first drawing takes a second, so that the next must wait.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const draw = vi.fn(() => {
    now += 1_000
  })
  const painter = createPainter({ draw } as never)
  const texts: KnownText[] = []
  const run = () => {
    for (const frame of frames.splice(0)) frame(now)
  }
  painter.start()
  painter.put(block, texts)
  run()
  expect(draw).toHaveBeenCalledTimes(1)
  painter.put(block, texts)
  expect(frames).toEqual([])
  painter.stop()
  draw.mockClear()
  painter.start()
  painter.put(block, texts)
  run()
  expect(draw).toHaveBeenCalledTimes(1)
  painter.stop()
})
