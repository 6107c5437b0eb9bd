import { accountsInternal, personalDataInternal } from './accounts.js'
import { adminApi, authApi, profileApi } from './auth.js'
import { campaignsApi } from './campaigns.js'
import { collectorApi } from './collector.js'
import { communityApi } from './community.js'
import type { InternalEndpoint, PublicEndpoint } from './endpoint.js'
import {
  announceInternal,
  communityInternal,
  historyInternal,
  mailsInternal,
  rebuildInternal,
} from './events.js'
import { authInternal, iodsInternal, narrativesInternal, repairInternal } from './internal.js'
import { iodsApi } from './iods.js'
import { LIMITS } from './limits.js'
import { graphApi, narrativesApi } from './narratives.js'
import { usageInternal } from './usage.js'

/** What the gateway does otherwise below a prefix. */
export interface PrefixRules {
  /** Largest body in bytes, 1 MiB unless told. */
  bodyLimit?: number
  /** Longest wait for the answer's head in milliseconds, 30 s unless told. */
  waitMs?: number
}

/** What the other parts, the tools and the tests of the whole product derive from a service. */
export interface ServiceManifest {
  /** The first segments of its public paths, below /api/v1. */
  prefixes: Readonly<Record<string, PrefixRules>>
  /** Its public operations, by their section of the API's reference. */
  apis: Readonly<Record<string, Readonly<Record<string, PublicEndpoint>>>>
  /** What other parts may call: a service that repairs, keeps personal data or counts quotas lists those endpoints. */
  internal: Readonly<Record<string, InternalEndpoint>>
}

const ingest = { bodyLimit: LIMITS.ingestBodyBytes }

/** Every service with a database of its own, by its name: of its folder, its database, its container and its setting `{NAME}_URL`. */
export const SERVICES = {
  auth: {
    prefixes: { auth: {}, profile: {}, admin: {} },
    apis: { auth: authApi, profile: profileApi, admin: adminApi },
    internal: {
      ...authInternal,
      ...accountsInternal,
      ...mailsInternal,
      exportUser: personalDataInternal.exportUser,
      ...repairInternal,
      ...announceInternal,
      ...historyInternal,
    },
  },
  collector: {
    prefixes: { tiktok: ingest, telegram: ingest, blog: ingest },
    apis: { collector: collectorApi },
    internal: { ...personalDataInternal, ...usageInternal, ...repairInternal },
  },
  iods: {
    prefixes: { iods: {} },
    apis: { iods: iodsApi },
    internal: {
      ...iodsInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...repairInternal,
      ...announceInternal,
      ...historyInternal,
    },
  },
  campaigns: {
    prefixes: { campaigns: {} },
    apis: { campaigns: campaignsApi },
    internal: { ...personalDataInternal, ...usageInternal, ...repairInternal },
  },
  narratives: {
    prefixes: {
      narratives: { waitMs: LIMITS.extractionWaitMs + 15_000 },
      // A graph of a million triplets is summed before its first byte.
      graph: { waitMs: 120_000 },
    },
    apis: { narratives: narrativesApi, graph: graphApi },
    internal: {
      ...narrativesInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...repairInternal,
      ...announceInternal,
      ...historyInternal,
      ...rebuildInternal,
    },
  },
  community: {
    prefixes: { community: {} },
    apis: { community: communityApi },
    internal: { ...communityInternal, ...personalDataInternal, ...rebuildInternal },
  },
} as const satisfies Record<string, ServiceManifest>

export type ServiceName = keyof typeof SERVICES
export const SERVICE_NAMES = Object.keys(SERVICES) as readonly ServiceName[]

/** The services that serve an internal endpoint, such as `repairInternal.repair`. */
export const servicesWith = (endpoint: InternalEndpoint): readonly ServiceName[] =>
  SERVICE_NAMES.filter(name => Object.values<InternalEndpoint>(SERVICES[name].internal).includes(endpoint))

/** Every public operation with its section of the API's reference, in the order of the services. */
export const OPERATIONS: readonly {
  service: ServiceName
  section: string
  name: string
  spec: PublicEndpoint
}[] = SERVICE_NAMES.flatMap(service =>
  Object.entries<Readonly<Record<string, PublicEndpoint>>>(SERVICES[service].apis).flatMap(
    ([section, table]) => Object.entries(table).map(([name, spec]) => ({ service, section, name, spec })),
  ),
)
