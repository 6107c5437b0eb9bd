import { MongoError } from './errors.js'

/** Yielded in place of a row when the time slice is used up. */
export const pause = Symbol('pause')
export type Pause = typeof pause

/** Rows, interleaved with pauses. */
export type Rows<T> = Iterable<T | Pause>

/** Work in time slices: a generator that yields pauses and returns its result. */
export type Work<T> = Generator<Pause, T>

/** The longest step without a pause (such as an expression over one document), in milliseconds. */
const longestStepMs = 2000

/** The view that a command reads. `hold` pins a snapshot at the first pause. */
export type Held = { hold(): void; release(): void }

/** The time limits of one command, and its interruption. */
export class Timer {
  /** The end of `maxTimeMS`, in milliseconds of `performance.now()`. */
  deadline = Number.POSITIVE_INFINITY
  sliceEnd = Number.POSITIVE_INFINITY
  /** The number of pauses. Other commands may have changed data that was read before a pause. */
  pauses = 0
  /** The error that interrupts the command. */
  stopped: MongoError | undefined
  view: Held | undefined

  stop(error: MongoError) {
    this.stopped ??= error
  }

  /** Runs one slice of the command's work. */
  run<T>(sliceMs: number, work: () => T): T {
    const outer = running
    running = this
    this.sliceEnd = performance.now() + sliceMs
    try {
      return work()
    } finally {
      running = outer
    }
  }
}

let running: Timer | undefined
let steps = 0

/** Returns the timer of the running command. */
export const currentTimer = (): Timer | undefined => running

/** Returns the number of pauses of the running command. */
export const pauses = (): number => running?.pauses ?? 0

export const timeUp = () => new MongoError(50, 'operation exceeded time limit')

/**
 * Returns true when the slice is used up: the caller should yield a pause.
 * @throws MongoError 50 after `maxTimeMS`
 */
export const due = (): boolean => {
  if (!running) return false
  const now = performance.now()
  if (now > running.deadline) throw timeUp()
  return now > running.sliceEnd
}

/**
 * Checks the time limits in loops that cannot pause.
 * @throws MongoError 50 after `maxTimeMS`, or if the step exceeds `longestStepMs`
 */
export const checkTime = (): void => {
  if ((++steps & 63) !== 0 || !running) return
  const now = performance.now()
  if (now > running.deadline) throw timeUp()
  if (now > running.sliceEnd + longestStepMs)
    throw new MongoError(50, `operation exceeded time limit: one document took more than ${longestStepMs} ms`)
}

/** Collects all rows in a list. */
export function* gathered<T>(rows: Rows<T>): Work<T[]> {
  const all: T[] = []
  for (const row of rows) {
    if (row === pause) yield pause
    else all.push(row)
  }
  return all
}

/** Iterates over existing items, with pauses. */
export function* paced<T>(items: Iterable<T>): Generator<T | Pause> {
  for (const item of items) {
    if (due()) yield pause
    yield item
  }
}

const runSize = 512

/** Sorts with pauses (merge sort). Stable. */
export function* sorted<T>(items: readonly T[], order: (a: T, b: T) => number): Work<T[]> {
  let runs: T[][] = []
  for (let i = 0; i < items.length; i += runSize) {
    if (due()) yield pause
    runs.push(items.slice(i, i + runSize).sort(order))
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      const second = runs[i + 1]
      longer.push(second ? yield* merged(runs[i]!, second, order) : runs[i]!)
    }
    runs = longer
  }
  return runs[0] ?? []
}

function* merged<T>(a: readonly T[], b: readonly T[], order: (a: T, b: T) => number): Work<T[]> {
  const all: T[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    all.push(order(a[i]!, b[j]!) <= 0 ? a[i++]! : b[j++]!)
    if (all.length % runSize === 0 && due()) yield pause
  }
  while (i < a.length) all.push(a[i++]!)
  while (j < b.length) all.push(b[j++]!)
  return all
}
