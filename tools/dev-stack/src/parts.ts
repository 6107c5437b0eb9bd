import { authConfigSchema, createApp as createAuth } from '@iodine/auth'
import { campaignsConfigSchema, createApp as createCampaigns } from '@iodine/campaigns'
import { collectorConfigSchema, createApp as createCollector } from '@iodine/collector'
import { communityConfigSchema, createApp as createCommunity } from '@iodine/community'
import { createApp as createGateway, gatewayConfigSchema } from '@iodine/gateway'
import { createApp as createIods, iodsConfigSchema } from '@iodine/iods'
import { createApp as createNarratives, narrativesConfigSchema } from '@iodine/narratives'
import { createApp as createNotifications, notificationsConfigSchema } from '@iodine/notifications'
import { ConfigError, type Part, readConfig, type ServiceDeps } from '@iodine/service-kit'
import { createApp as createSightings, sightingsConfigSchema } from '@iodine/sightings'
import { createApp as createWorkers, workersConfigSchema } from '@iodine/workers'
import type { z } from 'zod'

export type Env = Record<string, string | undefined>
type Create = (deps: ServiceDeps) => Promise<Part>

const part = <T extends z.ZodObject>(
  schema: T,
  create: (config: z.output<T>, deps: ServiceDeps) => Promise<Part>,
) => ({
  /** Schema of the part's environment. */
  schema,
  /** Validates the configuration first, so that the faults of all parts are known before any part starts. */
  prepare(env: Env): Create {
    const config = readConfig(schema, env)
    return deps => create(config, deps)
  },
})

export const PARTS = {
  auth: part(authConfigSchema, createAuth),
  collector: part(collectorConfigSchema, createCollector),
  iods: part(iodsConfigSchema, createIods),
  campaigns: part(campaignsConfigSchema, createCampaigns),
  narratives: part(narrativesConfigSchema, createNarratives),
  community: part(communityConfigSchema, createCommunity),
  sightings: part(sightingsConfigSchema, createSightings),
  notifications: part(notificationsConfigSchema, createNotifications),
  workers: part(workersConfigSchema, createWorkers),
  gateway: part(gatewayConfigSchema, createGateway),
}
export type PartName = keyof typeof PARTS
export const PART_NAMES = Object.keys(PARTS) as PartName[]

export const byPart = <T>(value: (name: PartName) => T) =>
  Object.fromEntries(PART_NAMES.map(name => [name, value(name)])) as Record<PartName, T>

/** Returns the factories of all parts. @throws ConfigError with the faults of all environments */
export const preparedParts = (envs: Record<PartName, Env>): Record<PartName, Create> => {
  const faults = new Set<string>()
  const creators = byPart(name => {
    try {
      return PARTS[name].prepare(envs[name])
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const fault of error.faults) faults.add(fault)
    }
  })
  if (faults.size > 0) throw new ConfigError([...faults])
  return creators as Record<PartName, Create>
}

/** A part of a running stack, which can be stopped and started again at the same address. */
export interface StackPart {
  url: string
  /** Environment for running the part as a separate process; contains the deployment's secrets. */
  env: Env
  start(): Promise<void>
  stop(): Promise<void>
}

export const restartable = (url: string, env: Env, create: () => Promise<Part>): StackPart => {
  let running: Part | undefined
  return {
    url,
    env,
    async start() {
      if (running) return
      const part = await create()
      // Set before listening, so that stop() closes the part even if listening fails.
      running = part
      await part.listen()
    },
    async stop() {
      const part = running
      running = undefined
      await part?.close()
    },
  }
}
