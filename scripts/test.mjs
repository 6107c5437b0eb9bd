/** `npm test`: all checks of the product, from a fresh clone, without prompts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditDependencies } from './audit.mjs'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { runJourneys, runUnitTests } from './lib/reports.mjs'
import { bin, main, Refusal, run, say, seconds } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'
import { structure } from './structure.mjs'

process.env.CI = 'true'
const reports = mkdtempSync(join(tmpdir(), 'iodine-reports-'))
process.on('exit', () => rmSync(reports, { recursive: true, force: true }))

const counted = { passed: 0, failed: 0 }

/** A check whose result is the exit code of a command. */
const tool =
  (name, ...args) =>
  async () => {
    if ((await run(bin(name), args)) !== 0) throw new Refusal(`${name} found faults; they stand above.`)
  }

/** Tests that are counted from their report, whatever the exit code. */
const tests = (name, runTests) => async () => {
  const { code, passed, failed, retried } = await runTests()
  const red = failed.length + retried.length
  counted.passed += passed
  // A file that failed to load is not in the report as a failed test, so the exit code counts as one failure.
  counted.failed += red || (code === 0 ? 0 : 1)
  if (code !== 0 || red > 0) throw new Refusal(`${name}: tests failed; they stand above.`)
}

const vitest = projects => {
  const reporters = ['./scripts/lib/vitest/slowest.mjs']
  return tests('vitest', () => runUnitTests(projects, join(reports, 'vitest.json'), { reporters }))
}

const phases = [
  ['Install', install],
  ['Redis', ensureRedis],
  ['Build', build],
  ['Format and lint', tool('biome', 'check', '.', '--error-on-warnings')],
  ['Types', tool('tsc', '-b', '--checkers', '1')],
  ['Structure', structure],
  ['Unused code', tool('knip', '--no-config-hints')],
  ['Known vulnerabilities', auditDependencies],
  ['Unit and integration tests', vitest('!chaos')],
  // Runs alone: its dozen processes would disturb the timing of other tests.
  ['Faults', vitest('chaos')],
  ['Journeys in a browser', tests('Playwright', () => runJourneys(join(reports, 'journeys.json')))],
]

await main(
  async () => {
    for (const [name, work] of phases) {
      const started = Date.now()
      say(`\n━━ ${name}`)
      await work()
      say(`━━ ${name}: ${seconds(started)}`)
    }
  },
  () => {
    // A phase without tests that failed counts as one failure.
    if (process.exitCode && counted.failed === 0) counted.failed = 1
    say(`\nTotal ${seconds()}`)
    process.stdout.write(`${counted.passed} passed, ${counted.failed} failed\n`)
  },
)
