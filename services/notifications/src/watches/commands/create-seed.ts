import { randomBytes } from 'node:crypto'
import { ignoreDuplicateKey } from '@iodine/service-kit'
import type { Models } from '../../models.js'

/** Creates the seed of the signatures, once. */
export const createSeed = async ({ index }: Pick<Models, 'index'>): Promise<void> => {
  const seed = randomBytes(32).toString('base64')
  await index
    .updateOne({ _id: 'index' }, { $setOnInsert: { seed } }, { upsert: true })
    .catch(ignoreDuplicateKey)
}
