import { createHmac, randomBytes } from 'node:crypto'
import type { SightingModels } from './models/index.js'

/** Names that others see in the place of ids, and signatures of texts, of this deployment. */
export interface Secrets {
  /** Seed of the signatures. */
  seed: string
  /** An id in the place of a record's, which tells nothing about when and by whom it was collected. */
  opaqueId(recordId: string): string
}

/**
 * The secret of this index: made once and kept beside the signatures that it makes, which are of no use without it. Other
 * keys of the deployment change without it.
 */
export const createSecrets = ({ index }: SightingModels): (() => Promise<Secrets>) => {
  let known: Promise<Secrets> | undefined
  const read = async (): Promise<Secrets> => {
    const fresh = { seed: randomBytes(32).toString('base64'), complete: false }
    const doc = await index
      .findOneAndUpdate({ _id: 'index' }, { $setOnInsert: fresh }, { upsert: true, returnDocument: 'after' })
      .lean()
    const seed = doc?.seed ?? ''
    return {
      seed,
      opaqueId: recordId =>
        createHmac('sha256', Buffer.from(seed, 'base64')).update(recordId).digest('hex').slice(0, 24),
    }
  }
  return () => {
    known ??= read().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
}
