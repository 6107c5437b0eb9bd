const TICK_MS = 100
/** A tick that is later than this is a stall. */
const LATE_MS = 100

// Bound once, as tests may replace the clock.
const now = performance.now.bind(performance)
let tickedAt = now()
let stalled = 0
let ticking: NodeJS.Timeout | undefined
/** Timeouts that have neither expired nor been cancelled: the ticks cost CPU time. */
let running = 0
const sinceTick = (): number => {
  const late = now() - tickedAt - TICK_MS
  return late > LATE_MS ? late : 0
}
const startTicks = () => {
  if (running++ > 0) return
  tickedAt = now()
  ticking = setInterval(() => {
    stalled += sinceTick()
    tickedAt = now()
  }, TICK_MS).unref()
}
const stopTicks = () => {
  if (--running === 0) clearInterval(ticking)
}

/** Returns the milliseconds in which this process was blocked while timeouts ran. */
const stalledMs = (): number => stalled + sinceTick()

/**
 * Calls `expired` after `ms` milliseconds, without those in which this process was blocked: by a long garbage
 * collection, or on a busy or suspended machine. An answer that arrived meanwhile is read first.
 * @returns a function that cancels the timeout
 */
export const startTimeout = (expired: () => void, ms: number): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    stopTicks()
  }
  const wait = (left: number) => {
    const before = stalledMs()
    timer = setTimeout(() => {
      const missed = stalledMs() - before
      if (missed > 0) {
        wait(Math.min(missed, left))
        return
      }
      end()
      expired()
    }, left)
    timer.unref()
  }
  startTicks()
  wait(ms)
  return end
}

/** Like `AbortSignal.timeout`, with the time of `startTimeout`. */
export const timeoutSignal = (ms: number): AbortSignal => {
  const controller = new AbortController()
  startTimeout(() => controller.abort(new DOMException('No answer in time', 'TimeoutError')), ms)
  return controller.signal
}
