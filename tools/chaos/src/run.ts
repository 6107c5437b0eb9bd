import { setTimeout as sleep } from 'node:timers/promises'
import { communityApi, everyMs, QUEUES, type QueueName } from '@iodine/contracts'
import { type PartProcess, type ProcessApp, type ProcessName, startProcesses } from '@iodine/harness'
import { connectRedis } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { Queue } from 'bullmq'
import type { Analyst, AnalystContext } from './analyst.js'
import { type Audit, audit } from './audit.js'
import { type Client, connect } from './client.js'
import { drawFaults, type Fault, heal, inject, untilTrue } from './faults.js'
import { Ledger } from './ledger.js'
import { receivesLink, registerAnalyst } from './register.js'
import { SECTIONS, USABLE_MS } from './sections.js'

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

/** A read of a section during a fault. */
export interface Probe {
  section: string
  fault: string
  /** The section depends on the part: it may fail, and `ms` is the time until the failure is reported. */
  isHit: boolean
  ms: number
  /** Reason for a failed read. */
  failed: string | undefined
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
const PROBE_PAUSE_MS = 250
/** Duration of the load before and after a replacement. */
const REPLACEMENT_LOAD_MS = 500
/** Mean pause of an analyst between two actions. */
const PAUSE_MS = 150

const describe = ({ part, kind }: Fault) => `${kind} ${part}`

/** Probes all sections repeatedly until stopped. */
const probing = (reader: Client, fault: Fault) => {
  const probes: Probe[] = []
  let isOver = false
  const loops = SECTIONS.map(async section => {
    while (!isOver) {
      const outcome = await section.read(reader)
      probes.push({
        section: section.name,
        fault: describe(fault),
        isHit: section.needs.includes(fault.part),
        ms: outcome.ms,
        failed: outcome.kind === 'done' ? undefined : `${outcome.status} ${outcome.detail}`,
      })
      await sleep(PROBE_PAUSE_MS)
    }
  })
  return {
    async stop(): Promise<Probe[]> {
      isOver = true
      await Promise.all(loops)
      return probes
    },
  }
}

/**
 * Returns the checks that must pass before a part counts as recovered: a read of each section, and a write through all
 * parts behind it.
 */
const workingChecks = (
  around: AnalystContext,
  canary: Analyst,
  reader: Client,
  limitMs: number,
): [string, () => Promise<boolean>][] => {
  const { client, ledger } = around
  const { token, id } = canary.entry
  const reads = SECTIONS.map((section): [string, () => Promise<boolean>] => [
    `read ${section.name}`,
    async () => (await section.read(reader)).kind === 'done',
  ])
  const projection = async () => {
    if (!(await canary.createIod())) return false
    const mine = ledger.iods.filter(iod => iod.creator === id && iod.exists.known).length
    const shown = async () => {
      const input = { params: { id }, query: { limit: '1' } }
      const profile = await client.as(token).call(communityApi.getUser, input)
      return profile.kind === 'done' && profile.body.total_iods >= mine
    }
    return (await untilTrue(shown, limitMs)) !== undefined
  }
  return [
    ['ready', async () => (await client.get('/readyz', 5_000)).kind === 'done'],
    ...reads,
    ['records are taken', () => canary.ingest()],
    ['an IOD reaches its profile', projection],
    ['a campaign is changed', () => canary.editCampaign()],
    ['a capture is sealed and quoted', () => canary.capture()],
    ['a text is analyzed', () => canary.createNarrative()],
    ['a link is mailed', () => receivesLink(around)],
  ]
}

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

    let isOver = false
    const underWay = new Set<Promise<unknown>>()
    const work = async (analyst: Analyst) => {
      while (!isOver) {
        // An analysis is slow, so it runs concurrently with the analyst's next actions.
        const acting = analyst.act().finally(() => underWay.delete(acting))
        underWay.add(acting)
        await Promise.race([acting, sleep(2_000)])
        await sleep(random() * 2 * PAUSE_MS)
      }
    }
    const registrations = async () => {
      while (!isOver) {
        const newcomer = await registerAnalyst(around, () => isOver)
        await newcomer?.createIod()
        await sleep(1_000)
      }
    }
    const load = [...analysts.map(work), registrations()]

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
    const replacements: ReplacementReport[] = []
    for (const name of replace) {
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
    isOver = true
    await Promise.all([...load, ...underWay])
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
    let compared = await audit(client, ledger, stack.mails())
    for (
      const deadline = Date.now() + timeoutFactor * LEFT_WORK_MS;
      compared.lost.length > 0 && Date.now() < deadline;
    ) {
      await sleep(1_000)
      compared = await audit(client, ledger, stack.mails())
    }
    return {
      seed,
      timeoutFactor,
      faults: reports,
      replacements,
      probes,
      audit: compared,
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
