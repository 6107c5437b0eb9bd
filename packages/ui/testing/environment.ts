import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { GlobalWindow } from 'happy-dom'
import type { Environment } from 'vitest/runtime'
import { populateGlobal } from 'vitest/runtime'

type Global = typeof globalThis
const SCHEDULERS = [
  ['setTimeout', 'clearTimeout'],
  ['setInterval', 'clearInterval'],
  ['setImmediate', 'clearImmediate'],
] as const

// Node's globals that would shadow the page's.
const SHADOWS = ['localStorage', 'sessionStorage']

// happy-dom logs every failed request, including those that a test expects.
const silent = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }))

/** Tracks the timers set from this call on. `end` cancels them, and any timer set later. */
function ownTimers(global: Global) {
  const owned: { end: () => void; restore: () => void }[] = []
  for (const [set, clear] of SCHEDULERS) {
    const original = global[set] as (run: (...args: unknown[]) => void, ...rest: unknown[]) => object
    const cancel = global[clear] as (handle: object) => void
    const handles = new Set<object>()
    let isOver = false
    const own = (run: (...args: unknown[]) => void, ...rest: unknown[]) => {
      const handle = original(
        (...args) => {
          if (set !== 'setInterval') handles.delete(handle)
          run(...args)
        },
        ...rest,
      )
      if (isOver) cancel(handle)
      else handles.add(handle)
      return handle
    }
    // util.promisify needs the properties of the original function.
    Object.defineProperties(own, Object.getOwnPropertyDescriptors(original))
    Object.assign(global, { [set]: own })
    owned.push({
      end: () => {
        isOver = true
        for (const handle of handles) cancel(handle)
        handles.clear()
      },
      restore: () => Object.assign(global, { [set]: original }),
    })
  }
  return {
    end: () => owned.forEach(each => void each.end()),
    restore: () => owned.forEach(each => void each.restore()),
  }
}

/**
 * A happy-dom page per test file. Teardown cancels its timers, animation frames and requests, as a browser
 * does: a later callback would find no `window`.
 */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup(global: Global) {
    const nodes = SHADOWS.map(name => [name, Object.getOwnPropertyDescriptor(global, name)] as const)
    for (const [name] of nodes) Reflect.deleteProperty(global, name)
    const settle = global.setImmediate
    const timers = ownTimers(global)
    const page = new GlobalWindow({
      console: silent,
      url: 'http://localhost:3000',
      // Errors in listeners propagate to the test.
      settings: { disableErrorCapturing: true },
    })
    const { keys, originals } = populateGlobal(global, page, {
      bindFunctions: true,
      additionalKeys: [
        'AbortController',
        'AbortSignal',
        'fetch',
        'FormData',
        'Headers',
        'MessagePort',
        'Request',
        'Response',
        'URL',
        'URLSearchParams',
      ],
    })
    return {
      async teardown() {
        timers.end()
        await page.happyDOM.abort()
        // Code that awaits an aborted request runs before the page is removed.
        await new Promise<void>(resolve => settle(resolve))
        page.close()
        for (const key of keys) Reflect.deleteProperty(global, key)
        for (const [key, value] of originals) Object.assign(global, { [key]: value })
        for (const [name, descriptor] of nodes)
          if (descriptor) Object.defineProperty(global, name, descriptor)
        timers.restore()
      },
    }
  },
} satisfies Environment
