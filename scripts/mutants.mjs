/**
 * `npm run mutants [-- TEXT]`: makes the small faults of `scripts/mutants.json`, or those whose file or description
 * contains TEXT, one at a time in a copy of the last commit, and tells which of them the tests that `npm test` runs
 * detect. Exits with status 1 when they detect less than 95 %.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, must, Refusal, root, run, say, seconds } from './lib/run.mjs'

/** Share of the faults that must be detected. */
const WANTED = 0.95

/** Replaces `from` by `to` in the text. Throws a Refusal unless `from` occurs exactly once. */
const mutated = (text, { file, from, to }) => {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Refusal(`${file} has ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}

const copy = mkdtempSync(join(tmpdir(), 'iodine-mutants-'))
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

await main(
  async () => {
    const [text = ''] = process.argv.slice(2)
    const faults = JSON.parse(readFileSync('scripts/mutants.json', 'utf8')).filter(({ file, fault }) =>
      `${file} ${fault}`.includes(text),
    )
    if (faults.length === 0) throw new Refusal(`No fault contains ${text}`)
    git('worktree', 'add', '--force', '--detach', copy, 'HEAD')
    const log = openSync(join(copy, 'mutants.log'), 'w')
    const inCopy = { cwd: copy, env: { CI: 'true' } }
    await must('Building the copy', process.execPath, ['scripts/build.mjs'], inCopy)
    const runTests = tests =>
      run(
        join(copy, 'node_modules/.bin/vitest'),
        ['run', '--bail=1', '--tags-filter=!long', '--reporter=dot', ...tests],
        { ...inCopy, file: log },
      )

    // A test that fails without a fault detects nothing.
    const all = [...new Set(faults.flatMap(({ tests }) => tests))]
    if ((await runTests(all)) !== 0)
      throw new Refusal(`Tests fail without a fault: npx vitest run ${all.join(' ')}`)
    const areas = new Map()
    let detected = 0
    for (const each of faults) {
      const path = join(copy, each.file)
      const before = readFileSync(path, 'utf8')
      writeFileSync(path, mutated(before, each))
      const started = Date.now()
      const isDetected = (await runTests(each.tests)) !== 0
      writeFileSync(path, before)
      const area = each.file.split('/src/')[0]
      const counts = areas.get(area) ?? { detected: 0, all: 0 }
      areas.set(area, { detected: counts.detected + Number(isDetected), all: counts.all + 1 })
      detected += Number(isDetected)
      say(`${isDetected ? 'detected' : 'SURVIVED'}  ${each.file}: ${each.fault}  (${seconds(started)})`)
    }
    for (const [area, counts] of areas) say(`| ${area} | ${counts.detected} of ${counts.all} |`)
    say(`${detected} of ${faults.length} faults detected`)
    if (detected < WANTED * faults.length) process.exitCode = 1
  },
  () => {
    rmSync(copy, { recursive: true, force: true })
    git('worktree', 'prune')
  },
)
