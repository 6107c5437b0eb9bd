import { createContext, Script } from 'node:vm'
import { fail } from '../errors.js'
import { currentTimer, timeUp } from '../slices.js'

/** Maximum steps of a match without a timeout: about ten milliseconds. */
const quickSteps = 10_000_000
/** The CPU time limit of one match, in milliseconds. */
const mostMs = 100

/**
 * A compiled regular expression. JavaScript's engine backtracks, for some patterns exponentially (`^(a+)+$`),
 * so a potentially slow match has a timeout: it fails with 51156, or with 50 when `maxTimeMS` ends first.
 */
export class Pattern {
  private readonly regex: RegExp
  private readonly literal: string | undefined
  private readonly ways: Ways
  /** Whether the pattern can match only at the start of a text. */
  private readonly anchored: boolean

  /** @param literal the text that the pattern searches for, if it has no other syntax */
  constructor(source: string, flags: string, literal?: string) {
    this.regex = new RegExp(source, flags)
    this.literal = literal
    const { ways, branches } = waysOf(source)
    this.ways = ways
    this.anchored = branches === 1 && source.startsWith(textStart)
  }

  test(text: string): boolean {
    if (this.literal !== undefined) return text.includes(this.literal)
    return this.steps(text) <= quickSteps ? this.regex.test(text) : limited(() => this.regex.test(text))
  }

  find(text: string): RegExpMatchArray | null {
    return this.steps(text) <= quickSteps ? text.match(this.regex) : limited(() => text.match(this.regex))
  }

  findAll(text: string): RegExpMatchArray[] {
    const every = new RegExp(this.regex.source, `${this.regex.flags}g`)
    const all = () => [...text.matchAll(every)]
    return this.steps(text) * (text.length + 1) <= quickSteps ? all() : limited(all)
  }

  /** Returns an upper bound of a match's steps: every way through the pattern, from each possible start. */
  private steps({ length }: string): number {
    const { power, factor } = this.ways
    return (length + 1) ** (this.anchored ? Math.max(power, 1) : power + 1) * factor
  }
}

const sandbox: { run(): void } = { run() {} }
let script: Script | undefined

/** Runs a match with a timeout by `node:vm`, which costs a tenth of a millisecond. */
const limited = <T>(match: () => T): T => {
  if (!script) {
    createContext(sandbox)
    script = new Script('run()')
  }
  let found: T | undefined
  sandbox.run = () => {
    found = match()
  }
  const started = process.cpuUsage()
  const deadline = currentTimer()?.deadline ?? Number.POSITIVE_INFINITY
  // The limit is in CPU time, the timeout in elapsed time: on a busy machine, retry with a longer timeout.
  for (let ms = mostMs; ; ms *= 2) {
    try {
      const left = Math.ceil(deadline - performance.now())
      if (left <= 0) throw timeUp()
      script.runInContext(sandbox, { timeout: Math.min(ms, left) })
      return found as T
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      if (performance.now() > deadline) throw timeUp()
      const { user, system } = process.cpuUsage(started)
      if ((user + system) / 1000 >= mostMs * 0.8)
        return fail(
          51156,
          `Error occurred while executing the regular expression: it took more than ${mostMs} ms`,
        )
    }
  }
}

/** An upper bound of the ways to match a pattern from one position: `factor` × length ^ `power`. */
type Ways = { power: number; factor: number }

/** The translation of an anchor at the start of the text. */
export const textStart = '(?<![\\s\\S])'

const one: Ways = { power: 0, factor: 1 }
const both = (a: Ways, b: Ways): Ways => ({ power: a.power + b.power, factor: a.factor * b.factor })
const either = (a: Ways, b: Ways): Ways => ({
  power: Math.max(a.power, b.power),
  factor: a.factor + b.factor,
})

/** Returns the ways of a part that is repeated `least` to `most` times. */
const repeated = (ways: Ways, least: number, most: number): Ways => {
  const counts: Ways =
    most === Number.POSITIVE_INFINITY ? { power: 1, factor: 1 } : { power: 0, factor: most - least + 1 }
  if (ways.power === 0 && ways.factor === 1) return counts
  // Each repetition may match in a different way.
  return both(counts, { power: ways.power * most || 0, factor: ways.factor === 1 ? 1 : ways.factor ** most })
}

/** Counts the ways of a pattern in JavaScript's syntax with the flag `u`. */
const waysOf = (source: string): { ways: Ways; branches: number } => {
  let at = 0
  const alternatives = (): { ways: Ways; branches: number } => {
    let ways = sequence()
    let branches = 1
    for (; source[at] === '|'; branches++) {
      at++
      ways = either(ways, sequence())
    }
    return { ways, branches }
  }
  const sequence = (): Ways => {
    let all = one
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const ways = atom()
      const times = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 40))
      if (!times) all = both(all, ways)
      else {
        at += times[0].length
        const least = times[1] === undefined ? (times[0][0] === '+' ? 1 : 0) : Number(times[1])
        const most =
          times[1] === undefined
            ? times[0][0] === '?'
              ? 1
              : Number.POSITIVE_INFINITY
            : times[2] === ''
              ? least
              : times[3] === ''
                ? Number.POSITIVE_INFINITY
                : Number(times[3])
        all = both(all, repeated(ways, least, most))
      }
    }
    return all
  }
  const atom = (): Ways => {
    const char = source[at++]
    if (char === '(') {
      at += /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(source.slice(at))?.[0].length ?? 0
      const { ways } = alternatives()
      at++
      return ways
    }
    if (char === '[') {
      while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
      at++
    } else if (char === '\\') {
      const name = /^(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|c.|k<[^>]*>|\d+|.)/u.exec(
        source.slice(at),
      )
      at += name?.[0].length ?? 1
      // A back-reference repeats its group's match, in time linear in its length.
      if (name && /^(?:k<|[1-9])/.test(name[0])) return { power: 1, factor: 1 }
    }
    return one
  }
  return alternatives()
}
