/** @module-tag long */
import { rounds } from '@iodine/test-kit'
import { expect, test } from 'vitest'
import { faultsOf, runChaos } from '../src/index.js'

const FAULTS = rounds(2)
/** Other tests run beside it: how fast all recovers is judged by `npm run chaos`, on a quiet machine. */
const PATIENCE = 6

test(`${FAULTS} faults under load lose nothing that was acknowledged and double nothing; SIGTERM drops no request`, {
  timeout: PATIENCE * (60_000 + FAULTS * 30_000),
}, async () => {
  const report = await runChaos({
    faults: FAULTS,
    flushes: 1,
    seed: 12,
    analysts: 3,
    patience: PATIENCE,
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
