/**
 * `npm test`: runs all checks for a change, from a fresh clone, without prompts.
 * `npm run test:all`: also runs the tests for rare faults (docs/tests.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditDependencies } from './audit.mjs'
import { buildChecked } from './build.mjs'
import { install } from './lib/install.mjs'
import { runJourneys, runUnitTests } from './lib/reports.mjs'
import { bin, main, Refusal, run, say, seconds } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'
import { structure } from './structure.mjs'

process.env.CI = 'true'
const isLong = process.argv.includes('--all')
if (isLong) process.env.TEST_TIER = 'all'
const reports = mkdtempSync(join(tmpdir(), 'iodine-reports-'))
process.on('exit', () => rmSync(reports, { recursive: true, force: true }))

const counted = { passed: 0, failed: 0 }
const took = []

/** Returns a check that runs a command and fails by its exit code. */
const tool =
  (name, ...args) =>
  async () => {
    if ((await run(bin(name), args)) !== 0) throw new Refusal(`${name} found faults; see above.`)
  }

/** Runs checks concurrently, since each uses one core. Rejects with the faults of all. */
const together =
  (...checks) =>
  async () => {
    const ended = await Promise.allSettled(checks.map(check => check()))
    const faults = ended.flatMap(({ reason }) => (reason ? [reason] : []))
    for (const fault of faults) if (!(fault instanceof Refusal)) throw fault
    if (faults.length > 0) throw new Refusal(faults.map(({ message }) => message).join('\n'))
  }

/** Returns a check that runs tests and counts their results from the report, regardless of the exit code. */
const tests = (name, runTests) => async () => {
  const { code, passed, failed, retried } = await runTests()
  const red = failed.length + retried.length
  counted.passed += passed
  // The report does not contain a file that failed to load, so the exit code counts as one failure.
  counted.failed += red || (code === 0 ? 0 : 1)
  if (code !== 0 || red > 0) throw new Refusal(`${name}: tests failed; see above.`)
}

const unitTests = () =>
  runUnitTests(join(reports, 'vitest.json'), { isLong, reporters: ['./scripts/lib/vitest/summary.mjs'] })
const browserTests = () => runJourneys(join(reports, 'journeys.json'), { isLong })

const phases = [
  ['Install', install],
  ['Redis', ensureRedis],
  ['Build and types', buildChecked],
  [
    'Format, lint, structure, unused code, known vulnerabilities',
    together(
      tool('biome', 'check', '.', '--error-on-warnings'),
      structure,
      tool('knip', '--no-config-hints'),
      auditDependencies,
    ),
  ],
  ['Unit and integration tests', tests('vitest', unitTests)],
  ['Journeys in a browser', tests('Playwright', browserTests)],
]

await main(
  async () => {
    for (const [name, work] of phases) {
      const started = Date.now()
      say(`\n━━ ${name}`)
      try {
        await work()
      } finally {
        took.push(`${seconds(started).padStart(9)}  ${name}`)
        say(`━━ ${name}: ${seconds(started)}`)
      }
    }
  },
  () => {
    // A phase without tests that failed counts as one failure.
    if (process.exitCode && counted.failed === 0) counted.failed = 1
    say(`\n${[...took, `${seconds().padStart(9)}  Total`].join('\n')}`)
    process.stdout.write(`${counted.passed} passed, ${counted.failed} failed\n`)
  },
)
