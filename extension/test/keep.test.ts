import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeeper } from '../src/content/keep'
import type { Captured } from '../src/sources'

type Sent = { at: number; captured: Captured[] }
let sent: Sent[]
let answer: () => Promise<unknown>
let asked: string[]
let keeper: ReturnType<typeof createKeeper>
let begun: number
let pages = 0

const textOf = ({ record }: Captured) => record.context?.text
const setURL = (url: string) =>
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(url)

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  })
  sent = []
  asked = []
  answer = async () => ({ ok: true, value: null })
  vi.stubGlobal('chrome', {
    runtime: {
      id: 'x',
      sendMessage: ({ captured }: { captured: Captured[] }) => {
        sent.push({ at: Date.now() - begun, captured })
        return answer()
      },
    },
  })
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return Promise.reject(new TypeError('Failed to fetch'))
  })
  setURL(`https://blog.example.org/${++pages}`)
  document.head.innerHTML = '<title>Lakes</title>'
  document.body.innerHTML = '<p id="clock"></p><main><p id="text">First</p></main>'
  begun = Date.now()
  keeper = createKeeper()
})
afterEach(() => {
  keeper.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Changes an element every 200 ms, for `ms`. */
const change = async (id: string, ms: number) => {
  for (let n = 0; n < ms / 200; n++) {
    const text = document.getElementById(id)
    if (text) text.textContent = `Text ${n}`
    await vi.advanceTimersByTimeAsync(200)
  }
}

test('collects a continuously changing page within 5 s, and at most once in 10 s', async () => {
  keeper.start()
  await change('text', 60_000)
  expect(sent[0]?.at).toBeLessThan(5_000)
  const waits = sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0))
  expect(waits.length).toBeGreaterThanOrEqual(4)
  for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(10_000)
  expect(Math.max(...waits)).toBeLessThan(15_000)
})

test('collects an idle page within 1 s of its last change', async () => {
  keeper.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.map(({ captured }) => captured.map(textOf))).toEqual([['First']])
})

test('ignores changes outside of the article, and sends a reverted article again', async () => {
  keeper.start()
  await change('clock', 30_000)
  expect(sent).toHaveLength(1)
  for (const text of ['Second', 'First']) {
    ;(document.getElementById('text') as Element).textContent = text
    await vi.advanceTimersByTimeAsync(11_000)
  }
  expect(sent.flatMap(({ captured }) => captured.map(textOf))).toEqual(['First', 'Second', 'First'])
})

test('requests an unreadable picture once', async () => {
  document.body.insertAdjacentHTML('beforeend', '<img src="https://cdn.example.org/a.png">')
  keeper.start()
  await change('text', 40_000)
  expect(sent.length).toBeGreaterThan(3)
  expect(asked).toEqual(['https://cdn.example.org/a.png'])
})

test('applies the minimum interval per page after a client-side navigation', async () => {
  keeper.start()
  await vi.advanceTimersByTimeAsync(1_000)
  setURL(`https://blog.example.org/${++pages}`)
  ;(document.getElementById('text') as Element).textContent = 'Next'
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.flatMap(({ captured }) => captured.map(textOf))).toEqual(['First', 'Next'])
})

test('collects the last changes when the page is left', async () => {
  keeper.start()
  await vi.advanceTimersByTimeAsync(1_000)
  ;(document.getElementById('text') as Element).textContent = 'Last'
  await vi.advanceTimersByTimeAsync(10)
  window.dispatchEvent(new Event('pagehide'))
  await vi.advanceTimersByTimeAsync(0)
  expect(sent.flatMap(({ captured }) => captured.map(textOf))).toEqual(['First', 'Last'])
})

test('sends records again that the background did not acknowledge, once', async () => {
  answer = () => Promise.reject(new Error('The message port closed before a response was received.'))
  keeper.start()
  await vi.advanceTimersByTimeAsync(5_000)
  answer = async () => ({ ok: false, error: 'The disk is full' })
  await vi.advanceTimersByTimeAsync(10_000)
  answer = async () => ({ ok: true, value: null })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sent.map(({ captured }) => captured.map(textOf))).toEqual([['First'], ['First'], ['First']])
})

test('stops after an update of the extension', async () => {
  answer = () => Promise.reject(new Error('Extension context invalidated.'))
  keeper.start()
  await change('text', 30_000)
  expect(sent).toHaveLength(1)
})

test('sends a removal notice once, even if its page changes', async () => {
  setURL('https://t.me/open_eyes/12')
  document.body.innerHTML = '<p id="clock"></p><div class="tgme_widget_message_error">Post not found</div>'
  keeper.start()
  await change('clock', 30_000)
  expect(
    sent.map(({ captured }) => captured.map(({ record }) => record.context?.removed !== undefined)),
  ).toEqual([[true]])
})

test('sends a TikTok removal notice', async () => {
  setURL(`https://www.tiktok.com/@x/video/74230000000000000${++pages}`)
  document.body.innerHTML = '<p>Video currently unavailable</p>'
  keeper.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.flatMap(({ captured }) => captured.map(({ record }) => record))).toMatchObject([
    { context: { removed: {} } },
  ])
})

test('collects a post in a frame once the frame has loaded', async () => {
  setURL('https://t.me/open_eyes/12')
  document.body.innerHTML = '<iframe src="https://t.me/open_eyes/12?embed=1"></iframe>'
  const frame = document.querySelector('iframe') as HTMLIFrameElement
  let shown = new DOMParser().parseFromString('', 'text/html')
  Object.defineProperty(shown, 'readyState', { value: 'loading' })
  Object.defineProperty(frame, 'contentDocument', { get: () => shown })
  keeper.start()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(sent).toEqual([])
  const post = '<div class="tgme_widget_message" data-post="open_eyes/12"></div>'
  shown = new DOMParser().parseFromString(post, 'text/html')
  frame.dispatchEvent(new Event('load'))
  await vi.advanceTimersByTimeAsync(100)
  expect(sent.flatMap(({ captured }) => captured.map(({ record }) => record))).toMatchObject([
    { telegram: { post: { url: 'https://t.me/open_eyes/12' } } },
  ])
})

test('sends unacknowledged records even if the page then shows an error', async () => {
  answer = async () => ({ ok: false, error: 'The disk is full' })
  keeper.start()
  await vi.advanceTimersByTimeAsync(1_000)
  const number = ++pages
  setURL(`https://www.tiktok.com/@x/video/74230000000000000${number}`)
  document.title = 'Please wait…'
  document.body.innerHTML = ''
  answer = async () => ({ ok: true, value: null })
  await vi.advanceTimersByTimeAsync(20_000)
  expect(sent.map(({ captured }) => captured.map(textOf))).toEqual([['First'], ['First']])
})
