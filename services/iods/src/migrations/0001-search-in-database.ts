import { dropCollection, type Migration } from '@iodine/service-kit'
import { indexAllIods } from '../commands/index-iods.js'

/** Stores what searches, sorted lists and counts read; drops what the index in memory needed. */
export const searchInDatabase: Migration = {
  name: '0001-search-in-database',
  async up(mongo) {
    await indexAllIods(mongo)
    await dropCollection(mongo, 'forgotten')
  },
}
