import { existsSync, readFileSync, rmSync } from 'node:fs'
import { journeys } from '../journeys.mjs'
import { bin, run } from './run.mjs'

/** Reads the number of passed tests and the names of failed tests from vitest's JSON report. */
const readUnitTests = ({ numPassedTests, testResults }) => ({
  passed: numPassedTests,
  failed: testResults.flatMap(({ name, message, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    if (tests.length > 0) return tests.map(({ fullName }) => `${name} > ${fullName}`)
    // A file whose loading or set-up failed.
    return message ? [name] : []
  }),
})

/**
 * Reads the number of passed tests, and the names of failed tests and of tests that passed only on a retry, from
 * Playwright's JSON report.
 */
const readJourneys = ({ stats, suites }) => {
  const specs = suite => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)]
  const named = status =>
    suites
      .flatMap(specs)
      .filter(({ tests }) => tests.some(test => test.status === status))
      .map(({ file, title }) => `${file} > ${title}`)
  return { passed: stats.expected, failed: named('unexpected'), retried: named('flaky') }
}

/** Runs tests that write a report. A run that ended without a report counts as no tests. */
const counted = async (report, read, runTests) => {
  rmSync(report, { force: true })
  const code = await runTests()
  const none = { passed: 0, failed: [], retried: [] }
  const counts = existsSync(report) && read(JSON.parse(readFileSync(report, 'utf8')))
  return { code, ...none, ...counts }
}

/**
 * Runs unit and integration tests in vitest.
 * @param report file for vitest's JSON report
 * @param options.filters parts of the paths of the test files that run; all by default
 * @param options.isLong whether to include the tests with the tag `long`
 * @param options.file descriptor that receives the output instead of standard error
 * @returns {Promise<{ code: number, passed: number, failed: string[], retried: string[] }>} exit code, and
 *   results from the report
 */
export const runUnitTests = (report, { filters = [], isLong = false, reporters = [], file } = {}) =>
  counted(report, readUnitTests, () => {
    const all = ['default', 'json', ...reporters].map(name => `--reporter=${name}`)
    const tags = isLong ? [] : ['--tags-filter=!long']
    return run(bin('vitest'), ['run', ...filters, ...tags, ...all, `--outputFile.json=${report}`], { file })
  })

/** Runs the journeys. Parameters and result are those of runUnitTests. */
export const runJourneys = (report, { filters = [], isLong = false, file } = {}) =>
  counted(report, readJourneys, () =>
    journeys([...filters, ...(isLong ? [] : ['--grep-invert=@long'])], { report, file }),
  )
