import { setTimeout as sleep } from 'node:timers/promises'
import { everyMs, QUEUES, type QueueName } from '@iodine/contracts'
import { type PartProcess, type ProcessApp, type ProcessName, startProcesses } from '@iodine/harness'
import { connectRedis } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { Queue } from 'bullmq'
import type { Analyst, AnalystContext } from './analyst.js'
import { type Audit, audit } from './audit.js'
import { describe, type Probe, probing, workingChecks } from './checks.js'
import { type Client, connect } from './client.js'
import { drawFaults, type Fault, heal, inject, untilTrue } from './faults.js'
import { Ledger } from './ledger.js'
import { registerAnalyst } from './register.js'
import { USABLE_MS } from './sections.js'

export interface ChaosOptions {
  faults: number
  /** Number of Redis flushes after the faults. */
  flushes?: number
  /** Longest duration of a fault, in milliseconds. */
  longestMs: number
  /** Parts that are then replaced by new instances under load, one by one. */
  replace?: readonly ProcessName[]
  /** Seed of the faults, their order and the load's choices. */
  seed: number
  /** Number of concurrent analysts. */
  analysts?: number
  /** Factor for all timeouts: 1 on a machine without other load. */
  timeoutFactor?: number
  progress: (line: string) => void
}

export interface FaultReport {
  fault: Fault
  /** Start time of a killed part. */
  startMs: number
  /** Time until all checks passed, from that start or from the end of any other fault; undefined: no recovery. */
  recoveryMs: number | undefined
  /** Checks that still failed when recovery timed out. */
  stuck: string[]
  /** The check that succeeded last. */
  last: string
}

/** The effect of a part's replacement by a new instance on concurrent requests. */
export interface ReplacementReport {
  part: ProcessName
  /** The old instance's exit code, and its time after SIGTERM. */
  code: number | null
  ms: number
  /** Requests that began and ended during the replacement, and those without a proper response. */
  requests: number
  dropped: string[]
}

export interface ChaosReport {
  seed: number
  /** From the options. */
  timeoutFactor: number
  faults: FaultReport[]
  replacements: ReplacementReport[]
  probes: Probe[]
  audit: Audit
  ledger: Ledger
  /** Time from the last fault until all pending work was done. */
  settledMs: number
  /** Failed jobs (retries exhausted), by queue. */
  failedJobs: Record<string, number>
  crashes: ProcessApp['crashes']
}

const RECOVERY_LIMIT_MS = 60_000
/** Time for the unfinished work of a killed process: another process takes over once the lease of 30 s ends. */
const LEFT_WORK_MS = 60_000
const SETTLE_LIMIT_MS = 180_000
/** Duration of the load before and after a replacement. */
const REPLACEMENT_LOAD_MS = 500
/** Mean pause of an analyst between two actions. */
const PAUSE_MS = 150

/** Counts the pending and failed jobs of all queues. Pending outbox entries appear in the data comparison. */
const queueCounts = async (stack: ProcessApp) => {
  const { url, prefix } = stack.redis
  const redis = await connectRedis(url)
  const queues = (Object.keys(QUEUES) as QueueName[]).map(
    name => new Queue(name, { connection: redis, prefix }),
  )
  try {
    const counts = await Promise.all(
      queues.map(async queue => {
        const {
          waiting = 0,
          active = 0,
          delayed = 0,
          prioritized = 0,
          failed = 0,
        } = await queue.getJobCounts()
        return { name: queue.name as QueueName, failed, open: waiting + active + delayed + prioritized }
      }),
    )
    // Scheduled jobs are excluded: their next run is always pending.
    return {
      open: counts.reduce((sum, { name, open }) => sum + (everyMs(name) === undefined ? open : 0), 0),
      failed: Object.fromEntries(
        counts.filter(({ failed }) => failed > 0).map(({ name, failed }) => [name, failed]),
      ),
    }
  } finally {
    await Promise.all(queues.map(queue => queue.close()))
    redis.disconnect()
  }
}

/** Starts the load: the analysts' actions and registrations, until stopped. */
const startLoad = (around: AnalystContext, analysts: readonly Analyst[]) => {
  let isOver = false
  const underWay = new Set<Promise<unknown>>()
  const work = async (analyst: Analyst) => {
    while (!isOver) {
      // An analysis is slow, so it runs concurrently with the analyst's next actions.
      const acting = analyst.act().finally(() => underWay.delete(acting))
      underWay.add(acting)
      await Promise.race([acting, sleep(2_000)])
      await sleep(around.random() * 2 * PAUSE_MS)
    }
  }
  const registrations = async () => {
    while (!isOver) {
      const newcomer = await registerAnalyst(around, () => isOver)
      await newcomer?.createIod()
      await sleep(1_000)
    }
  }
  const loops = [...analysts.map(work), registrations()]
  return {
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(loops)
      await Promise.all(underWay)
    },
  }
}

/** Replaces parts by new instances under load, one by one. */
const replaceAll = async (
  names: readonly ProcessName[],
  stack: ProcessApp,
  client: Client,
  reader: Client,
  progress: ChaosOptions['progress'],
): Promise<ReplacementReport[]> => {
  const replacements: ReplacementReport[] = []
  for (const name of names) {
    const watch = client.watch()
    const reads = probing(reader, { part: name, kind: 'kill', ms: 0 })
    await sleep(REPLACEMENT_LOAD_MS)
    const { code, ms } = await stack.parts[name].replace()
    await sleep(REPLACEMENT_LOAD_MS)
    await reads.stop()
    const replacement = { part: name, code, ms, ...watch.stop() }
    replacements.push(replacement)
    progress(
      `replaced ${name}: ended with ${code} ${ms} ms after SIGTERM, ${replacement.requests} requests, ${replacement.dropped.length} dropped`,
    )
  }
  return replacements
}

/** Compares the stored data with the ledger, and repeats while writes are missing and work may be unfinished. */
const compare = async (
  client: Client,
  ledger: Ledger,
  stack: ProcessApp,
  limitMs: number,
): Promise<Audit> => {
  const deadline = Date.now() + limitMs
  for (;;) {
    const compared = await audit(client, ledger, stack.mails())
    if (compared.lost.length === 0 || Date.now() >= deadline) return compared
    await sleep(1_000)
  }
}

/**
 * Runs the product as processes under mixed load, injects faults part by part, and then compares the stored data with the
 * acknowledged writes.
 */
export const runChaos = async ({
  faults: count,
  flushes = 0,
  replace = [],
  longestMs,
  seed,
  analysts: analystCount = 6,
  timeoutFactor = 1,
  progress,
}: ChaosOptions): Promise<ChaosReport> => {
  const random = seededRandom(seed)
  const faults = drawFaults(count, random, longestMs)
  for (let n = 0; n < flushes; n++) faults.push({ part: 'redis', kind: 'flush', ms: 1_000 })
  progress('Starting every part as a process …')
  const stack = await startProcesses({ aiAfterMs: 500 })
  const client = connect(stack.url, timeoutFactor)
  const ledger = new Ledger()
  const run = seed.toString(36).slice(-4)
  const around: AnalystContext = { client, ledger, random, mails: stack.mails, run }
  try {
    const never = () => false
    const signedIn = await Promise.all(
      Array.from({ length: analystCount + 1 }, () => registerAnalyst(around, never)),
    )
    const [canary, ...analysts] = signedIn as [Analyst, ...Analyst[]]
    progress(`${analystCount} analysts are at work: injecting faults (seed ${seed})`)

    const load = startLoad(around, analysts)
    const reports: FaultReport[] = []
    const probes: Probe[] = []
    const reader = client.as(canary.entry.token, timeoutFactor * USABLE_MS)
    const limitMs = timeoutFactor * RECOVERY_LIMIT_MS
    const checks = workingChecks(around, canary, reader, limitMs)
    // An empty section would prove nothing.
    await canary.createCampaign()
    for (const [index, fault] of faults.entries()) {
      const part = stack.parts[fault.part]
      await inject(fault, part, stack.redis.url)
      const reads = probing(reader, fault)
      await sleep(fault.ms)
      const report = await recover(fault, part, checks, limitMs)
      probes.push(...(await reads.stop()))
      reports.push(report)
      const time =
        report.recoveryMs === undefined
          ? `stuck: ${report.stuck}`
          : `${Math.round(report.recoveryMs)} ms (${report.last} last; started in ${Math.round(report.startMs)} ms)`
      progress(`${index + 1}/${faults.length} ${describe(fault)} for ${fault.ms} ms: recovered in ${time}`)
    }
    const replacements = await replaceAll(replace, stack, client, reader, progress)
    await load.stop()
    progress('All faults are injected: waiting until all work is done …')
    let counts = await queueCounts(stack)
    const settledMs = await untilTrue(
      async () => {
        counts = await queueCounts(stack)
        return counts.open === 0
      },
      timeoutFactor * SETTLE_LIMIT_MS,
      250,
    )
    if (settledMs === undefined) throw new Error(`${counts.open} jobs are still pending`)
    progress('Comparing with the ledger …')
    return {
      seed,
      timeoutFactor,
      faults: reports,
      replacements,
      probes,
      audit: await compare(client, ledger, stack, timeoutFactor * LEFT_WORK_MS),
      ledger,
      settledMs,
      failedJobs: counts.failed,
      crashes: [...stack.crashes],
    }
  } finally {
    await client.close()
    await stack.stop()
  }
}

const recover = async (
  fault: Fault,
  part: PartProcess,
  checks: ReturnType<typeof workingChecks>,
  limitMs: number,
): Promise<FaultReport> => {
  const ordered = performance.now()
  await heal(fault, part)
  const from = performance.now()
  const stuck: string[] = []
  let last = ''
  await Promise.all(
    checks.map(async ([name, check]) => {
      const left = limitMs - (performance.now() - from)
      if ((await untilTrue(check, left)) === undefined) stuck.push(name)
      else last = name
    }),
  )
  return {
    fault,
    startMs: from - ordered,
    recoveryMs: stuck.length === 0 ? performance.now() - from : undefined,
    stuck,
    last,
  }
}
