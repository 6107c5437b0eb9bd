import { rebuildInternal, type SERVICES, type ServiceName } from '@iodine/contracts'
import { createPeers, type PeersConfig } from './peers.js'

/** The services that keep something derived, which can be made anew from the truth. */
export type RebuiltPart = {
  [Name in ServiceName]: 'rebuildStep' extends keyof (typeof SERVICES)[Name]['internal'] ? Name : never
}[ServiceName]

const STEP_MS = 120_000

/**
 * The team's command: has a running service bring what it derives (narratives: the graph's counts; community: the public
 * profiles) in line with the truth, step by step, while everything is in use.
 */
export const rebuildPart = async (part: RebuiltPart, config: PeersConfig): Promise<void> => {
  const peers = createPeers(config)
  try {
    let cursor: string | null = null
    do {
      const step: { cursor: string | null } = await peers.call(part, rebuildInternal.rebuildStep, {
        body: { cursor },
        ms: STEP_MS,
      })
      cursor = step.cursor
    } while (cursor !== null)
  } finally {
    await peers.close()
  }
}
