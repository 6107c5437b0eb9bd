import { type SealedCount, secretsInternal } from '@iodine/contracts'
import type { StoreService } from '../store-service.js'

const EVERY_MS = 600_000

/** Result of a step of resealing. */
export interface Resealed {
  resealed: number
  /** Values that no key decrypts: they remain unchanged. */
  unreadable: number
  /** Position after the step; null: the end. */
  cursor: string | null
}

export interface Secrets {
  /** Counts sealed values by kind and key. */
  count(): Promise<SealedCount[]>
  /** Seals a batch of stored values with the first key of SECRETS_KEY. Idempotent. @param cursor null: the beginning */
  reseal(cursor: string | null): Promise<Resealed>
}

/**
 * Serves the counts of a service's sealed values, and defines the task that reseals them after a rotation of
 * SECRETS_KEY.
 */
export const serveSecrets = (service: StoreService, { count, reseal }: Secrets): void => {
  service.internal(secretsInternal.countSealed, count)
  service.tasks.every('secrets', EVERY_MS, async signal => {
    const sum = { resealed: 0, unreadable: 0 }
    let cursor: string | null = null
    do {
      const step: Resealed = await reseal(cursor)
      sum.resealed += step.resealed
      sum.unreadable += step.unreadable
      cursor = step.cursor
    } while (cursor !== null && !signal.aborted)
    if (sum.unreadable > 0) service.log.error(sum, 'no key of SECRETS_KEY opens some secrets')
    else if (sum.resealed > 0) service.log.info(sum, 'secrets sealed with the present key')
  })
}
