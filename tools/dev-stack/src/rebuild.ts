import { resolve } from 'node:path'
import { type RebuiltPart, rebuildPart } from '@iodine/service-kit'
import { readStackConfig } from './config.js'
import type { Env } from './parts.js'
import { keptServices } from './services.js'

/**
 * Makes a service of the product that runs on DATA_DIR rebuild its derived data.
 * @returns false if no product runs there
 */
export const rebuild = async (part: RebuiltPart, env: Env): Promise<boolean> => {
  const services = keptServices(resolve(readStackConfig(env).DATA_DIR))
  if (services) await rebuildPart(part, services)
  return services !== undefined
}
