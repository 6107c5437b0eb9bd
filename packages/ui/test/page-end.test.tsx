// @vitest-environment node
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useEffect, useState } from 'react'
import { expect, onTestFinished, test } from 'vitest'
import environment from '../testing/environment'

const server = createServer((_request, response) => void setTimeout(() => response.end('{}'), 20))

/** Updates its state endlessly by timers, immediates and animation frames, and sends a request. */
function Restless({ url, onRun }: { url: string; onRun: (means: string) => void }) {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const run = (means: string) => {
      onRun(means)
      setCount(current => current + 1)
    }
    const chain = () => {
      run('setTimeout')
      setTimeout(chain, 1)
    }
    const again = () => {
      run('setImmediate')
      setImmediate(again)
    }
    const frame = () => {
      run('requestAnimationFrame')
      requestAnimationFrame(frame)
    }
    for (const begin of [chain, again, frame]) begin()
    setInterval(() => run('setInterval'), 1)
    void fetch(url).then(
      () => run('fetch'),
      () => run('fetch, aborted'),
    )
  }, [url, onRun])
  return <p>count {count}</p>
}

test('stops all work of a page when its environment is torn down', async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const page = await environment.setup(globalThis)
  const { createRoot } = await import('react-dom/client')
  const before = new Set<string>()
  const after = new Set<string>()
  let isOver = false
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  createRoot(document.body.appendChild(document.createElement('div'))).render(
    <Restless url={url} onRun={means => (isOver ? after : before).add(means)} />,
  )
  const all = ['requestAnimationFrame', 'setImmediate', 'setInterval', 'setTimeout']
  await expect.poll(() => [...before].sort(), { timeout: 30_000 }).toEqual(expect.arrayContaining(all))

  await page.teardown()
  isOver = true
  expect(typeof window).toBe('undefined')
  await new Promise(resolve => setTimeout(resolve, 100))
  expect([...after]).toEqual([])
})
