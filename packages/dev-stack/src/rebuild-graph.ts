import { resolve } from 'node:path'
import { rebuildGraphOnce } from '@iodine/narratives'
import { readStackConfig } from './config.js'
import { lockFolder } from './lock.js'
import { startMongo } from './mongo.js'
import { DEFAULT_PREFIX } from './stack.js'

/**
 * Recomputes the graph's aggregates in the MongoDB of MONGODB_URI, while everything runs on, or in the DATA_DIR of a
 * product that is stopped. Returns how many users' days were counted; throws where the folder is in use.
 */
export const rebuildGraph = async (env: Record<string, string | undefined>): Promise<number> => {
  const { DATA_DIR, MONGODB_URI } = readStackConfig(env)
  const rebuild = (uri: string) => rebuildGraphOnce({ MONGODB_URI: uri, MONGODB_PREFIX: DEFAULT_PREFIX })
  if (MONGODB_URI) return rebuild(MONGODB_URI)
  const folder = resolve(DATA_DIR)
  const unlock = await lockFolder(folder)
  try {
    const mongo = await startMongo(folder)
    try {
      return await rebuild(mongo.uri)
    } finally {
      await mongo.stop()
    }
  } finally {
    unlock()
  }
}
