import { rebuildInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

const STEP_MS = 120_000

/** The team's command: has the running service bring its projection in line with the others, step by step. */
export const runRebuild = async (peers: Peers): Promise<void> => {
  let cursor: string | null = null
  do {
    const step: { cursor: string | null } = await peers.call('community', rebuildInternal.rebuildStep, {
      body: { cursor },
      ms: STEP_MS,
    })
    cursor = step.cursor
  } while (cursor !== null)
}
