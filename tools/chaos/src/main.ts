/**
 * Injects faults into the running product, part by part, under load:
 *
 *   npm run chaos
 *   FAULTS=200 SEED=7 LONGEST_MS=3500 npm run chaos
 */
import { randomInt } from 'node:crypto'
import { SERVICE_NAMES } from '@iodine/contracts'
import { faultsOf, figuresOf } from './report.js'
import { runChaos } from './run.js'

const number = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`${name} must be a whole number above 0`)
}
const say = (text: string) => void process.stdout.write(`${text}\n`)

// The exit also ends the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const report = await runChaos({
  faults: number('FAULTS', 60),
  longestMs: number('LONGEST_MS', 3_500),
  replace: ['gateway', ...SERVICE_NAMES, 'workers'],
  seed: number('SEED', randomInt(1, 1_000_000)),
  progress: line => say(`${new Date().toISOString().slice(11, 19)} ${line}`),
})
say(`\n${figuresOf(report)}\n`)
const faults = faultsOf(report)
for (const fault of faults) say(`✗ ${fault}`)
say(
  faults.length === 0
    ? 'No data lost, no data duplicated, every section usable, all parts recovered.'
    : `${faults.length} faults found.`,
)
process.exitCode = faults.length === 0 ? 0 : 1
