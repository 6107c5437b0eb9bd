import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

const SHOWN = 10
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Prints the slowest journeys at the end of a run, hooks and fixtures included. */
export default class Slowest implements Reporter {
  readonly #took: { title: string; ms: number }[] = []

  onTestEnd(test: TestCase, { duration: ms }: TestResult) {
    this.#took.push({ title: test.titlePath().filter(Boolean).join(' › '), ms })
  }

  onEnd() {
    const sum = this.#took.reduce((total, { ms }) => total + ms, 0)
    const lines = this.#took
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
      .map(({ title, ms }) => `${seconds(ms).padStart(9)}  ${title}`)
    const head = `Slowest of ${this.#took.length} journeys, which took ${seconds(sum)} one after another:`
    process.stdout.write(`\n${[head, ...lines].join('\n')}\n`)
  }

  printsToStdio() {
    return true
  }
}
