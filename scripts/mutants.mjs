/**
 * `npm run mutants [-- TEXT]`: makes the small faults of `scripts/mutants.json`, or those whose file or description
 * contains TEXT, one at a time in a copy of the last commit, and tells which of them the tests that `npm test` runs
 * detect, and by which test. Exits with status 1 when they detect less than 95 %.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, must, Refusal, root, run, say, seconds } from './lib/run.mjs'

/** Share of the faults that must be detected. */
const WANTED = 0.95

const copy = mkdtempSync(join(tmpdir(), 'iodine-mutants-'))
const result = join(copy, 'mutants.result.json')
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

/** Title of the first test that failed. */
const failedTest = () => {
  const { testResults } = JSON.parse(readFileSync(result, 'utf8'))
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  return failed?.fullName ?? 'a file that did not load'
}

await main(
  async () => {
    const [text = ''] = process.argv.slice(2)
    const faults = JSON.parse(readFileSync('scripts/mutants.json', 'utf8')).filter(({ file, fault }) =>
      `${file} ${fault}`.includes(text),
    )
    if (faults.length === 0) throw new Refusal(`No fault contains ${text}`)
    git('worktree', 'add', '--quiet', '--force', '--detach', copy, 'HEAD')
    const inCopy = { cwd: copy, env: { CI: 'true' }, file: openSync(join(copy, 'mutants.log'), 'w') }
    // Vitest resolves packages of the workspace to their sources, apart from those that its global set-up imports.
    const prepare = `const { compile } = await import('./scripts/build.mjs')
      const { install } = await import('./scripts/lib/install.mjs')
      await install()
      await compile('packages/test-kit')`
    const node = ['--input-type=module', '--eval', prepare]
    await must('Preparing the copy', process.execPath, node, inCopy)
    const runTests = tests =>
      run(
        join(copy, 'node_modules/.bin/vitest'),
        ['run', '--bail=1', '--tags-filter=!long', '--reporter=json', `--outputFile=${result}`, ...tests],
        inCopy,
      )

    const areas = new Map()
    const used = new Set()
    let detected = 0
    for (const { file, fault, from, to, tests } of faults) {
      const path = join(copy, file)
      const before = readFileSync(path, 'utf8')
      const mutant = before.replace(from, () => to)
      writeFileSync(path, mutant)
      const started = Date.now()
      const isDetected = (await runTests(tests)) !== 0
      writeFileSync(path, before)
      const area = file.split('/src/')[0]
      const counts = areas.get(area) ?? { detected: 0, all: 0 }
      areas.set(area, { detected: counts.detected + Number(isDetected), all: counts.all + 1 })
      detected += Number(isDetected)
      if (isDetected) for (const test of tests) used.add(test)
      const outcome = isDetected ? `detected by “${failedTest()}”` : 'SURVIVED'
      say(`${file}: ${fault}: ${outcome} (${seconds(started)})`)
    }
    for (const [area, counts] of areas) say(`| ${area} | ${counts.detected} of ${counts.all} |`)
    say(`${detected} of ${faults.length} faults detected`)
    if (detected < WANTED * faults.length) process.exitCode = 1
    // A test that fails without a fault detects nothing.
    if (used.size > 0 && (await runTests([...used])) !== 0)
      throw new Refusal(`Fails without a fault: “${failedTest()}”`)
  },
  () => {
    rmSync(copy, { recursive: true, force: true })
    git('worktree', 'prune')
  },
)
