import { recordsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { SightingModels } from '../models/index.js'
import type { Secrets } from '../store.js'

const ASK_MS = 60_000
/** Steps of one repair. */
const STEPS = 20

/**
 * Has the collector tell of all its records while the index is new: at the first start, and after its database was
 * dropped. Resolves to the number of steps.
 */
export const askForRecords = async (
  { index }: SightingModels,
  secrets: () => Promise<Secrets>,
  peers: Peers,
): Promise<number> => {
  await secrets()
  for (let step = 0; step < STEPS; step++) {
    const doc = await index.findById('index').lean()
    if (!doc || doc.complete) return step
    const { next } = await peers.call('collector', recordsInternal.resightRecords, {
      body: { after: doc.asked ?? null },
      ms: ASK_MS,
    })
    await index.updateOne(
      { _id: 'index' },
      { $set: next === null ? { complete: true } : { asked: next, complete: false } },
    )
  }
  return STEPS
}
