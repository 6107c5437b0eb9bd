import { resolve } from 'node:path'
import { runRebuild } from '@iodine/community'
import { createPeers } from '@iodine/service-kit'
import { readStackConfig } from './config.js'
import { keptServices } from './services.js'

/**
 * Brings the community's projection in line with the other services, in the product that runs on DATA_DIR.
 * @returns false where none runs there
 */
export const rebuildCommunity = async (env: Record<string, string | undefined>): Promise<boolean> => {
  const services = keptServices(resolve(readStackConfig(env).DATA_DIR))
  if (!services) return false
  const peers = createPeers(services)
  try {
    await runRebuild(peers)
    return true
  } finally {
    await peers.close()
  }
}
