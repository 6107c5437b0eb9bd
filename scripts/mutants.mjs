/**
 * `npm run mutants [-- TEXT]`: makes the small faults of `scripts/mutants.json`, or those whose file or description
 * contains TEXT, in a copy of the last commit, and tells which of them the tests that `npm test` runs
 * detect, and by which test. Exits with status 1 when they detect less than 95 %.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, must, Refusal, root, say, seconds } from './lib/run.mjs'

/** Share of the faults that must be detected. */
const WANTED = 0.95

const copy = mkdtempSync(join(tmpdir(), 'iodine-mutants-'))
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

/** Makes the copy of the last commit and starts its vitest, which serves all runs: starting one takes most of a run's time. */
const startVitest = async () => {
  git('worktree', 'add', '--quiet', '--force', '--detach', copy, 'HEAD')
  // The tests' set-up and some services' threads run compiled code.
  const prepare = `const { compile } = await import('./scripts/build.mjs')
    const { install } = await import('./scripts/lib/install.mjs')
    await install()
    await compile('packages/test-kit', 'tools/dev-stack')`
  await must('Preparing the copy', process.execPath, ['--input-type=module', '--eval', prepare], {
    cwd: copy,
  })
  process.env.CI = 'true'
  const { createVitest } = await import(join(copy, 'node_modules/vitest/dist/node.js'))
  const options = { root: copy, watch: false, tagsFilter: ['!long'], reporters: [{}] }
  return createVitest('test', options)
}

const areaOf = ({ file }) => file.split('/src/')[0]

/**
 * Splits faults into rounds, whose tests run at once. Of each area a round has one fault, which other areas' tests do not
 * meet; a fault of a package has a round of its own.
 */
const roundsOf = faults => {
  const rounds = []
  for (const fault of faults) {
    const area = areaOf(fault)
    const isShared = area.startsWith('packages/')
    const round = isShared ? undefined : rounds.find(each => !each.isShared && !each.areas.has(area))
    if (round) {
      round.areas.add(area)
      round.faults.push(fault)
    } else rounds.push({ isShared, areas: new Set([area]), faults: [fault] })
  }
  return rounds.map(({ faults }) => faults)
}

/** Runs test files. Returns a function that names the first failure of some of them; undefined if none failed. */
const runTests = async (vitest, tests) => {
  const specifications = await vitest.globTestSpecifications(tests)
  const { testModules } = await vitest.runTestSpecifications(specifications)
  return some => {
    const paths = some.map(test => join(copy, test))
    const ran = testModules.filter(({ moduleId }) => paths.includes(moduleId))
    if (ran.length !== paths.length) throw new Refusal(`Not all of them ran: ${some}`)
    const failed = ran.find(each => !each.ok())
    if (!failed) return undefined
    const [test] = failed.children.allTests('failed')
    return test?.fullName ?? 'a file that does not load'
  }
}

let vitest
await main(
  async () => {
    const [text = ''] = process.argv.slice(2)
    const faults = JSON.parse(readFileSync('scripts/mutants.json', 'utf8')).filter(({ file, fault }) =>
      `${file} ${fault}`.includes(text),
    )
    if (faults.length === 0) throw new Refusal(`No fault contains ${text}`)
    vitest = await startVitest()
    const write = (file, content) => {
      writeFileSync(join(copy, file), content)
      vitest.invalidateFile(join(copy, file))
    }
    const areas = new Map()
    const used = new Set()
    let detected = 0
    for (const round of roundsOf(faults)) {
      const originals = round.map(({ file }) => readFileSync(join(copy, file), 'utf8'))
      for (const [n, { file, from, to }] of round.entries())
        write(
          file,
          originals[n].replace(from, () => to),
        )
      const failureOf = await runTests(vitest, [...new Set(round.flatMap(({ tests }) => tests))])
      for (const [n, { file }] of round.entries()) write(file, originals[n])
      for (const each of round) {
        const failure = failureOf(each.tests)
        const isDetected = failure !== undefined
        const counts = areas.get(areaOf(each)) ?? { detected: 0, all: 0 }
        areas.set(areaOf(each), { detected: counts.detected + Number(isDetected), all: counts.all + 1 })
        detected += Number(isDetected)
        if (isDetected) for (const test of each.tests) used.add(test)
        say(`${each.file}: ${each.fault}: ${isDetected ? `detected by “${failure}”` : 'SURVIVED'}`)
      }
    }
    for (const [area, counts] of areas) say(`| ${area} | ${counts.detected} of ${counts.all} |`)
    say(`${detected} of ${faults.length} faults detected in ${seconds()}`)
    // A test that fails without a fault detects nothing.
    const failure = used.size > 0 ? (await runTests(vitest, [...used]))([...used]) : undefined
    if (failure !== undefined) throw new Refusal(`Fails without a fault: “${failure}”`)
    // Vitest has set 1: tests failed, as they should.
    process.exitCode = detected < WANTED * faults.length ? 1 : 0
  },
  async () => {
    await vitest?.close()
    rmSync(copy, { recursive: true, force: true })
    git('worktree', 'prune')
  },
)
