const TICK_MS = 100
/** A tick that is later than this is a stall. */
const LATE_MS = 100

// Kept, as tests may replace the clock.
const now = performance.now.bind(performance)
let tickedAt = now()
let stalled = 0
const sinceTick = (): number => {
  const late = now() - tickedAt - TICK_MS
  return late > LATE_MS ? late : 0
}
setInterval(() => {
  stalled += sinceTick()
  tickedAt = now()
}, TICK_MS).unref()

/** Milliseconds that this process has stood still since its start. */
const stalledMs = (): number => stalled + sinceTick()

/**
 * Calls `expired` after `ms` milliseconds, without those in which this process stood still: in a long garbage
 * collection, on a busy or suspended machine. An answer may have arrived meanwhile, and is read first.
 * @returns cancels it
 */
export const startTimeout = (expired: () => void, ms: number): (() => void) => {
  let timer: NodeJS.Timeout
  const wait = (left: number) => {
    const before = stalledMs()
    timer = setTimeout(() => {
      const missed = stalledMs() - before
      if (missed > 0) wait(Math.min(missed, left))
      else expired()
    }, left)
    timer.unref()
  }
  wait(ms)
  return () => clearTimeout(timer)
}

/** Like `AbortSignal.timeout`, with the time of `startTimeout`. */
export const timeoutSignal = (ms: number): AbortSignal => {
  const controller = new AbortController()
  startTimeout(() => controller.abort(new DOMException('No answer in time', 'TimeoutError')), ms)
  return controller.signal
}
