import { MongoError } from './errors.js'

/** What long work yields in place of a row when its slice of time is used up. */
export const pause = Symbol('pause')
export type Pause = typeof pause

/** Rows, with pauses between them. */
export type Rows<T> = Iterable<T | Pause>

/** Work in slices: it yields pauses and returns its result. */
export type Work<T> = Generator<Pause, T>

/** The longest that one step without a pause may take (an expression over one document, say), in milliseconds. */
const longestStepMs = 2000

/** What a command reads through: from a pause on, its snapshot. */
export type Held = { hold(): void; release(): void }

/** The time one command has, and whether somebody ended it. */
export class Timer {
  /** When `maxTimeMS` runs out, on the clock of `performance.now()`. */
  deadline = Number.POSITIVE_INFINITY
  sliceEnd = Number.POSITIVE_INFINITY
  /** How often the command has paused: what it read before a pause, others may have changed since. */
  pauses = 0
  /** Why the command must not go on. */
  stopped: MongoError | undefined
  view: Held | undefined

  stop(error: MongoError) {
    this.stopped ??= error
  }

  /** Runs a slice of the command's work. */
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

/** The timer of the command that is running. */
export const currentTimer = (): Timer | undefined => running

/** How often the running command has paused. */
export const pauses = (): number => running?.pauses ?? 0

export const timeUp = () => new MongoError(50, 'operation exceeded time limit')

/** Whether the slice is used up, so that the caller should yield a pause; throws 50 once `maxTimeMS` has passed. */
export const due = (): boolean => {
  if (!running) return false
  const now = performance.now()
  if (now > running.deadline) throw timeUp()
  return now > running.sliceEnd
}

/** For loops that cannot pause: throws 50 once `maxTimeMS` has passed, or the step has taken too long for the others. */
export const checkTime = (): void => {
  if ((++steps & 63) !== 0 || !running) return
  const now = performance.now()
  if (now > running.deadline) throw timeUp()
  if (now > running.sliceEnd + longestStepMs)
    throw new MongoError(50, `operation exceeded time limit: one document took more than ${longestStepMs} ms`)
}

/** All rows as a list. */
export function* gathered<T>(rows: Rows<T>): Work<T[]> {
  const all: T[] = []
  for (const row of rows) {
    if (row === pause) yield pause
    else all.push(row)
  }
  return all
}

/** The items of a list that is there already, with pauses. */
export function* paced<T>(items: Iterable<T>): Generator<T | Pause> {
  for (const item of items) {
    if (due()) yield pause
    yield item
  }
}

const runSize = 512

/** Sorts a list; equal items keep their order. */
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
