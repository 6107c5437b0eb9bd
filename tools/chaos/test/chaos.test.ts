/** @module-tag long */
import { runs } from '@iodine/test-kit'
import { expect, test } from 'vitest'
import { faultsOf, runChaos } from '../src/index.js'

const FAULTS = runs(2)
/** Other tests run concurrently. `npm run chaos` checks recovery times, on an idle machine. */
const TIMEOUT_FACTOR = 6

test(`${FAULTS} faults under load neither lose nor duplicate acknowledged writes; SIGTERM drops no request`, {
  timeout: TIMEOUT_FACTOR * (60_000 + FAULTS * 30_000),
}, async () => {
  const report = await runChaos({
    faults: FAULTS,
    flushes: 1,
    seed: 12,
    analysts: 3,
    timeoutFactor: TIMEOUT_FACTOR,
    longestMs: 1_000,
    replace: ['iods'],
    progress: line => process.env.CHAOS_SAYS && console.log(new Date().toISOString(), line),
  })
  expect(faultsOf(report)).toEqual([])
  expect(report.faults.map(({ fault }) => fault.kind)).toContain('flush')
  expect(report.faults).toHaveLength(FAULTS + 1)
  expect(report.replacements.map(({ requests }) => requests > 0)).toEqual([true])
  expect(report.audit.checked).toBeGreaterThan(20)
})
