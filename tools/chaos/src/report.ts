import { markdownTable, median, quantile } from '@iodine/test-kit'
import type { Probe } from './checks.js'
import { FAULT_KINDS } from './faults.js'
import type { ChaosReport, FaultReport } from './run.js'

const seconds = (ms: number) => (ms / 1_000).toFixed(1)
const RECOVERY_MAX_MS = 10_000

/** Returns the violations found in a run, one line each; empty if the run passed. */
export const faultsOf = ({
  timeoutFactor,
  faults,
  replacements,
  probes,
  audit,
  ledger,
  crashes,
  failedJobs,
}: ChaosReport): string[] => [
  ...audit.lost.map(what => `lost: ${what}`),
  ...audit.duplicated.map(what => `duplicated: ${what}`),
  ...ledger.surprises.map(what => `unexplained refusal: ${what}`),
  ...probes
    .filter(probe => probe.failed && !probe.isHit)
    .map(
      ({ section, fault, failed, ms }) =>
        `${section} was not usable during ${fault}: ${failed} after ${Math.round(ms)} ms`,
    ),
  ...faults
    .filter(({ recoveryMs = Number.POSITIVE_INFINITY }) => recoveryMs > timeoutFactor * RECOVERY_MAX_MS)
    .map(
      ({ fault, recoveryMs, stuck, last }) =>
        `${fault.kind} ${fault.part}: recovered after ${recoveryMs === undefined ? `never (${stuck})` : `${seconds(recoveryMs)} s (${last} last)`}`,
    ),
  ...replacements.flatMap(({ part, code, dropped }) => [
    ...dropped.map(what => `dropped while ${part} was replaced: ${what}`),
    ...(code === 0 ? [] : [`${part} ended with ${code} after SIGTERM`]),
  ]),
  ...crashes.map(
    ({ name, code, output }) => `${name} exited unexpectedly with ${code}: ${output.slice(-300)}`,
  ),
  ...Object.entries(failedJobs)
    .filter(([queue]) => queue !== 'extraction')
    .map(([queue, count]) => `${count} jobs of ${queue} failed permanently`),
]

const recoveries = (faults: readonly FaultReport[]) => {
  const values = faults.flatMap(({ recoveryMs }) => recoveryMs ?? [])
  if (values.length === 0) return [faults.length, '–', '–']
  return [faults.length, seconds(median(values)), seconds(Math.max(...values))]
}
const waits = (probes: readonly Probe[]) => {
  const values = probes.map(({ ms }) => ms)
  if (values.length === 0) return [0, '–', '–', '–']
  return [
    probes.length,
    ...[median(values), quantile(values, 0.99), Math.max(...values)].map(ms => Math.round(ms)),
  ]
}

/** Returns the run's figures as Markdown for `docs/`. */
export const figuresOf = (report: ChaosReport): string => {
  const { seed, faults, replacements, probes, audit, ledger, settledMs } = report
  return [
    `Seed ${seed}: ${faults.length} faults, ${ledger.acknowledged} acknowledged requests, ${audit.checked} comparisons with the ledger: ` +
      `${audit.lost.length} lost, ${audit.duplicated.length} duplicated; ${audit.repeatedMails} mails delivered twice, under one Message-ID. ` +
      `All work was done ${seconds(settledMs)} s after the last fault.`,
    '',
    ...markdownTable(
      ['fault', 'number', 'recovery, median s', 'slowest, s'],
      [
        ...FAULT_KINDS.map(kind => [kind, ...recoveries(faults.filter(({ fault }) => fault.kind === kind))]),
        ['all', ...recoveries(faults)],
      ],
    ),
    '',
    ...markdownTable(
      ['reads during faults', 'number', 'median ms', '99th', 'slowest'],
      [
        ['sections whose parts were up', ...waits(probes.filter(({ isHit }) => !isHit))],
        ['sections that were hit, until a response', ...waits(probes.filter(({ isHit }) => isHit))],
      ],
    ),
    '',
    ...markdownTable(
      ['replaced under load', 'requests meanwhile', 'dropped', 'SIGTERM to end, s'],
      replacements.map(({ part, requests, dropped, ms }) => [part, requests, dropped.length, seconds(ms)]),
    ),
  ].join('\n')
}
