const SHOWN = 10

/** A vitest reporter that prints the slowest tests at the end of a run. */
export default class SlowestReporter {
  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunEnd(modules) {
    const tests = modules
      .flatMap(module => [...module.children.allTests()])
      .map(test => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
    this.vitest.logger.log(`\nThe slowest ${tests.length} tests:`)
    for (const { test, ms } of tests)
      this.vitest.logger.log(
        `${(ms / 1000).toFixed(1).padStart(7)} s  ${test.project.name}/${test.module.relativeModuleId} > ${test.fullName}`,
      )
  }
}
