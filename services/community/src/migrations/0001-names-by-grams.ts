import type { Migration } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { indexNames } from '../commands/index-names.js'

/**
 * Stores the grams of names instead of their suffixes. The version before finds no names until it is replaced.
 * The index of suffixes stays: it asks for it.
 */
export const namesByGrams: Migration = {
  name: '0001-names-by-grams',
  async up(mongo) {
    for (let after: Types.ObjectId | undefined = new Types.ObjectId('0'.repeat(24)); after; )
      after = await indexNames(mongo, after)
  },
}
