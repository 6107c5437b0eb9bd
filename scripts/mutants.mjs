/**
 * `npm run mutants [-- TEXT]`: injects the faults of `scripts/mutants.json`, or those whose file or description contains
 * TEXT, into a copy of the last commit, and reports which of them the tests of `npm test` detect, and by which test. Exits
 * with status 1 if less than 95 % are detected.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, must, Refusal, root, say, seconds } from './lib/run.mjs'

/** Minimum share of detected faults. */
const WANTED = 0.95

const copy = mkdtempSync(join(tmpdir(), 'iodine-mutants-'))
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

/** Copies the last commit and starts its vitest for all runs, since the start takes most of a run's time. */
const startVitest = async () => {
  git('worktree', 'add', '--quiet', '--force', '--detach', copy, 'HEAD')
  // The set-up of tests and some threads of services run compiled code.
  const prepare = `const { compile } = await import('./scripts/build.mjs')
    const { install } = await import('./scripts/lib/install.mjs')
    await install()
    await compile()`
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
 * Splits faults into groups, whose tests run together. A group has one fault per area, which tests of other areas do not
 * reach. A fault of a shared package forms its own group.
 */
const groupsOf = faults => {
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

/** Runs test files. Returns a function that returns the name of the first failure in given files, or undefined. */
const runTests = async (vitest, tests) => {
  const specifications = await vitest.globTestSpecifications(tests)
  const { testModules } = await vitest.runTestSpecifications(specifications)
  return some => {
    const paths = some.map(test => join(copy, test))
    const ran = testModules.filter(({ moduleId }) => paths.includes(moduleId))
    if (ran.length !== paths.length) throw new Refusal(`Not all of these test files ran: ${some}`)
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
    for (const round of groupsOf(faults)) {
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
    // A test that fails without a fault does not detect faults.
    const failure = used.size > 0 ? (await runTests(vitest, [...used]))([...used]) : undefined
    if (failure !== undefined) throw new Refusal(`This test fails without a fault: “${failure}”`)
    // Replaces the 1 that vitest has set for the expected failures.
    process.exitCode = detected < WANTED * faults.length ? 1 : 0
  },
  async () => {
    await vitest?.close()
    rmSync(copy, { recursive: true, force: true })
    git('worktree', 'prune')
  },
)
