import { relative } from 'node:path'

const SHOWN = 10
const seconds = ms => `${(ms / 1000).toFixed(1)} s`.padStart(9)

/** A vitest reporter that prints, at the end of a run, the seconds of each package and the slowest tests. */
export default class Summary {
  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunEnd(modules) {
    const folders = new Map()
    for (const module of modules) {
      const folder = relative(this.vitest.config.root, module.moduleId).split('/test/')[0]
      const sums = folders.get(folder) ?? { tests: 0, imports: 0 }
      const { duration, collectDuration, environmentSetupDuration, prepareDuration, setupDuration } =
        module.diagnostic()
      sums.tests += duration
      sums.imports += collectDuration + environmentSetupDuration + prepareDuration + setupDuration
      folders.set(folder, sums)
    }
    const tests = modules
      .flatMap(module => [...module.children.allTests()])
      .map(test => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
    const print = line => this.vitest.logger.log(line)

    print('\nSeconds of all workers: tests, imports')
    for (const [folder, { tests, imports }] of [...folders].toSorted(([, a], [, b]) => b.tests - a.tests))
      print(`${seconds(tests)}${seconds(imports)}  ${folder}`)
    print(`\nThe slowest ${tests.length} tests:`)
    for (const { test, ms } of tests)
      print(`${seconds(ms)}  ${relative(this.vitest.config.root, test.module.moduleId)} > ${test.fullName}`)
  }
}
