import { afterEach, expect, test, vi } from 'vitest'
import type { KnownText } from '../src/content/overlay/known-texts'
import { createReader } from '../src/content/overlay/reader'
import type { Scanned } from '../src/shared/messages'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Finds values in texts, as the background does. */
const scan = (texts: string[], values: string[]): Scanned => ({
  iods: values.map(
    id => ({ id, category: 'KEYWORDS', votesFor: 0, votesAgainst: 0, campaigns: [], more: 0 }) as never,
  ),
  hits: texts.map(text =>
    values.flatMap((value, n) => {
      const start = text.indexOf(value)
      return start < 0 ? [] : [start, start + value.length, n]
    }),
  ),
})

test('keeps known values until the page has been compared again', async () => {
  // Blocks without a line break are read by a property that happy-dom defines elsewhere.
  document.body.innerHTML = '<p>alpha and beta<br></p><p>gamma<br>delta</p><p>nothing<br></p>'
  const held: (() => void)[] = []
  let values = ['alpha', 'gamma']
  const sendMessage = vi.fn(async ({ texts }: { texts: string[] }) => {
    const now = values
    if (held.length > 0) await new Promise<void>(resolve => held.push(resolve))
    return { ok: true, value: scan(texts, now) }
  })
  vi.stubGlobal('chrome', { runtime: { id: 'iodine', sendMessage } })
  const marked = new Map<string, string[]>()
  const reported: string[][] = []
  const report = (block: Element, texts: readonly KnownText[]) => {
    const words = texts.flatMap(({ text, found }) => found.map(({ start, end }) => text.slice(start, end)))
    reported.push(words)
    marked.set(block.textContent ?? '', words)
  }
  const known = () => [...marked.values()].flat()
  const reader = createReader(report, () => {})
  reader.start()
  await expect.poll(known).toEqual(['alpha', 'gamma'])

  reported.length = 0
  values = ['beta', 'gamma']
  held.push(() => {})
  reader.refresh()
  await expect.poll(() => held.length).toBe(2)
  expect(known()).toEqual(['alpha', 'gamma'])
  expect(reported).not.toContainEqual([])
  for (const release of held.splice(0)) release()
  await expect.poll(known).toEqual(['beta', 'gamma'])
  expect(reported).not.toContainEqual([])

  values = []
  reader.refresh()
  await expect.poll(known).toEqual([])
  reader.stop()
})
