import { rebuildInternal, type SERVICES, type ServiceName } from '@iodine/contracts'
import { type PeersConfig, withPeers } from './peers.js'

/** Services with projections that can be rebuilt from the owners' data. */
export type RebuiltPart = {
  [Name in ServiceName]: 'rebuildStep' extends keyof (typeof SERVICES)[Name]['internal'] ? Name : never
}[ServiceName]

const STEP_MS = 120_000

/**
 * Rebuilds a running service's projections (narratives: the graph's counts; community: the public profiles) in steps,
 * while the product is in use. For the admin command.
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
