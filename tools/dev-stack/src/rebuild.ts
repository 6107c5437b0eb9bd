import { resolve } from 'node:path'
import { type RebuiltPart, rebuildPart } from '@iodine/service-kit'
import { readStackConfig } from './config.js'
import type { Env } from './parts.js'
import { keptServices } from './services.js'

/**
 * Rebuilds the projection of a service, in the product that runs on DATA_DIR.
 * @returns false if no product runs there
 */
export const rebuild = async (part: RebuiltPart, env: Env): Promise<boolean> => {
  const services = keptServices(resolve(readStackConfig(env).DATA_DIR))
  if (services) await rebuildPart(part, services)
  return services !== undefined
}
