import { monitorEventLoopDelay } from 'node:perf_hooks'

const WINDOW_MS = 30_000
/** Interval at which the delay of the event loop is measured. Measured delays include it. */
export const RESOLUTION_MS = 200
const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString()

const measure = () => {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return delays
}
let before: ReturnType<typeof measure> | undefined
let now: ReturnType<typeof measure> | undefined
let began = 0
let idle: NodeJS.Timeout | undefined

/** Ends the measurement: it wakes the process five times a second. */
const stop = () => {
  before?.disable()
  now?.disable()
  before = now = undefined
}

/** Starts a new window of measurement if the current one is over. */
const startWindow = () => {
  clearTimeout(idle)
  idle = setTimeout(stop, 2 * WINDOW_MS).unref()
  if (now && Date.now() - began < WINDOW_MS) return
  before?.disable()
  before = now
  now = measure()
  began = Date.now()
}

/**
 * Returns the state of this process. The event loop's delay is measured from the first call, over two windows of at
 * least 30 s. The measurement ends a minute after the last call.
 */
export const processState = () => {
  startWindow()
  const delays = [before, now].map(each => (each?.percentile(99) ?? 0) / 1e6 - RESOLUTION_MS)
  return {
    started_at: startedAt,
    memory_bytes: process.memoryUsage.rss(),
    event_loop_p99_ms: Math.round(Math.max(0, ...delays) * 10) / 10,
  }
}
