/** vitest's arguments for the projects, with a report in a file for `readUnitTests`. */
export const unitTests = (projects, file) => [
  'run',
  `--project=${projects}`,
  '--reporter=json',
  `--outputFile.json=${file}`,
]

/** Number of passed and names of failed tests in vitest's JSON report. */
export const readUnitTests = ({ numPassedTests, testResults }) => ({
  passed: numPassedTests,
  failed: testResults.flatMap(({ name, message, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    if (tests.length > 0) return tests.map(({ fullName }) => `${name} > ${fullName}`)
    // One that could not be loaded, or whose set-up failed.
    return message ? [name] : []
  }),
})

/** Number of passed and names of failed tests in Playwright's JSON report, and of those that passed at a later try only. */
export const readJourneys = ({ stats, suites }) => {
  const specs = suite => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)]
  const named = status =>
    suites
      .flatMap(specs)
      .filter(({ tests }) => tests.some(test => test.status === status))
      .map(({ file, title }) => `${file} > ${title}`)
  return { passed: stats.expected, failed: named('unexpected'), retried: named('flaky') }
}
