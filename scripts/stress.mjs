/**
 * `npm run stress -- [--rounds 20] [--busy 2] [--project '!chaos'] [--journeys]`: runs the unit and integration tests, or
 * the journeys, again and again, with busy loops beside them. One line a round, with the names of what failed; ends with
 * status 1 when any round was red. A red round's output is kept.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { journeys } from './journeys.mjs'
import { install } from './lib/install.mjs'
import { readJourneys, readUnitTests, unitTests } from './lib/reports.mjs'
import { bin, main, must, Refusal, root, run, say, seconds } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

// Ends with us, also when nobody is left to tell it.
const LOOP = 'const parent = process.ppid; while (process.ppid === parent);'

/** Keeps `count` cores busy until the returned function is called. */
function keepBusy(count) {
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }),
  )
  return () => {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}

const whole = (name, text) => {
  if (!/^\d{1,4}$/.test(text)) throw new Refusal(`--${name} must be a whole number, not ${text}`)
  return Number(text)
}

process.chdir(root)
await main(async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      busy: { type: 'string', default: '0' },
      project: { type: 'string', default: '!chaos' },
      journeys: { type: 'boolean', default: false },
    },
  })
  const rounds = whole('rounds', values.rounds)
  const busy = whole('busy', values.busy)
  process.env.CI = 'true'
  await install()
  await ensureRedis()
  await build()
  await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'e2e'])

  const folder = mkdtempSync(join(tmpdir(), 'iodine-stress-'))
  const report = join(folder, 'report.json')
  const [runOnce, read] = values.journeys
    ? [file => journeys([], { report, file }), readJourneys]
    : [
        file => run(bin('vitest'), [...unitTests(values.project, report), '--reporter=default'], { file }),
        readUnitTests,
      ]

  const stop = keepBusy(busy)
  process.on('exit', stop)
  let red = 0
  for (let round = 1; round <= rounds; round++) {
    const started = Date.now()
    const log = join(folder, `round-${round}.log`)
    const file = openSync(log, 'w')
    rmSync(report, { force: true })
    const code = await runOnce(file)
    closeSync(file)
    const {
      passed,
      failed,
      retried = [],
    } = existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: [] }
    const isRed = code !== 0 || failed.length + retried.length > 0
    say(
      `round ${round} of ${rounds}, ${busy} busy loops: ${isRed ? 'RED' : 'green'}, ${passed} passed, ` +
        `${failed.length} failed, ${retried.length} retried, ${seconds(started)}`,
    )
    for (const name of failed) say(`  failed: ${name}`)
    for (const name of retried) say(`  retried: ${name}`)
    if (isRed) {
      red++
      say(`  output: ${log}`)
    } else rmSync(log)
  }
  stop()
  if (red > 0) throw new Refusal(`${red} of ${rounds} rounds were red.`)
  rmSync(folder, { recursive: true })
  say(`${rounds} rounds, none red.`)
})
