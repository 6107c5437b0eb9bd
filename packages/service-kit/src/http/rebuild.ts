import { rebuildInternal, type SERVICES, type ServiceName } from '@iodine/contracts'
import { createPeers, type PeersConfig } from './peers.js'

/** Services with projections that can be rebuilt from the owners' data. */
export type RebuiltPart = {
  [Name in ServiceName]: 'rebuildStep' extends keyof (typeof SERVICES)[Name]['internal'] ? Name : never
}[ServiceName]

const STEP_MS = 120_000

/**
 * Admin command: makes a running service rebuild its projections (narratives: the graph's counts; community:
 * the public profiles) step by step, while the product is in use.
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
