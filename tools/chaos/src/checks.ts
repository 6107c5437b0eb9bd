import { setTimeout as sleep } from 'node:timers/promises'
import { communityApi } from '@iodine/contracts'
import type { Analyst, AnalystContext } from './analyst.js'
import type { Client } from './client.js'
import { type Fault, untilTrue } from './faults.js'
import { receivesLink } from './register.js'
import { SECTIONS } from './sections.js'

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

const PROBE_PAUSE_MS = 250

export const describe = ({ part, kind }: Fault) => `${kind} ${part}`

/** Probes all sections repeatedly until stopped. */
export const probing = (reader: Client, fault: Fault) => {
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
export const workingChecks = (
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
