/**
 * `npm run stress -- [--rounds 20] [--busy 2] [--long] [--journeys] [PATH …]`: repeats the unit and integration tests, or
 * the journeys, of all files or of those whose paths contain PATH, with concurrent busy loops. Prints one line per run with
 * the names of failed tests. Exits with status 1 if any run failed. Keeps the output of failed runs.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from './build.mjs'
import { runJourneys, runUnitTests } from './lib/reports.mjs'
import { main, Refusal, say, seconds } from './lib/run.mjs'

// The loop ends with its parent process, even if the parent is killed.
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

await main(async () => {
  const { values, positionals: filters } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '20' },
      busy: { type: 'string', default: '0' },
      long: { type: 'boolean', default: false },
      journeys: { type: 'boolean', default: false },
    },
  })
  const rounds = whole('rounds', values.rounds)
  const busy = whole('busy', values.busy)
  process.env.CI = 'true'
  await prepare()

  const folder = mkdtempSync(join(tmpdir(), 'iodine-stress-'))
  const report = join(folder, 'report.json')
  const stop = keepBusy(busy)
  process.on('exit', stop)
  let red = 0
  for (let round = 1; round <= rounds; round++) {
    const started = Date.now()
    const log = join(folder, `round-${round}.log`)
    const file = openSync(log, 'w')
    const runTests = values.journeys ? runJourneys : runUnitTests
    const { code, passed, failed, retried } = await runTests(report, { filters, isLong: values.long, file })
    closeSync(file)
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
