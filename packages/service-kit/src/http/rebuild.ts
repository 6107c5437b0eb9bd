import { rebuildInternal, type SERVICES, type ServiceName } from '@iodine/contracts'
import { type PeersConfig, withPeers } from './peers.js'

/** Services with projections that can be rebuilt from the owners' data. */
export type RebuiltPart = {
  [Name in ServiceName]: 'rebuildStep' extends keyof (typeof SERVICES)[Name]['internal'] ? Name : never
}[ServiceName]

const STEP_MS = 120_000

/**
 * Admin command: makes a running service rebuild its projections (narratives: the graph's counts; community:
 * the public profiles) step by step, while the product is in use.
 */
export const rebuildPart = (part: RebuiltPart, config: PeersConfig): Promise<void> =>
  withPeers(config, async peers => {
    let cursor: string | null = null
    do {
      const step: { cursor: string | null } = await peers.call(part, rebuildInternal.rebuildStep, {
        body: { cursor },
        ms: STEP_MS,
      })
      cursor = step.cursor
    } while (cursor !== null)
  })
