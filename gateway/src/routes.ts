import { LIMITS } from '@iodine/contracts'
import type { ServiceName } from '@iodine/service-kit'

export interface Route {
  /** First segment of the path below /api/v1. */
  prefix: string
  service: ServiceName
  /** Largest body in bytes, 1 MiB unless told. */
  bodyLimit?: number
  /** Longest wait for the answer's head, 30 s unless told. */
  waitMs?: number
}

const ingest = { service: 'collector', bodyLimit: LIMITS.ingestBodyBytes } as const

/** Where each path goes. A new section adds a row. */
export const ROUTES: readonly Route[] = [
  { prefix: 'auth', service: 'auth' },
  { prefix: 'profile', service: 'auth' },
  { prefix: 'admin', service: 'auth' },
  { prefix: 'tiktok', ...ingest },
  { prefix: 'telegram', ...ingest },
  { prefix: 'blog', ...ingest },
  { prefix: 'iods', service: 'iods' },
  { prefix: 'campaigns', service: 'campaigns' },
  { prefix: 'narratives', service: 'narratives', waitMs: LIMITS.extractionWaitMs + 15_000 },
  // A graph of a million triplets is summed before its first byte.
  { prefix: 'graph', service: 'narratives', waitMs: 120_000 },
  { prefix: 'community', service: 'community' },
]
