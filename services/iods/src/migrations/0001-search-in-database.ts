import type { Migration } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { indexIods } from '../commands/index-iods.js'

/** Stores what searches, sorted lists and counts read; drops what the index in memory needed. */
export const searchInDatabase: Migration = {
  name: '0001-search-in-database',
  async up(mongo) {
    for (let after: Types.ObjectId | undefined = new Types.ObjectId('0'.repeat(24)); after; )
      after = await indexIods(mongo, after)
    const NAMESPACE_NOT_FOUND = 26
    await mongo.dropCollection('forgotten').catch(error => {
      if (error?.code !== NAMESPACE_NOT_FOUND) throw error
    })
  },
}
