import type { Migration } from '@iodine/service-kit'

/** Drops the collection of counts, which `usage` replaces. */
export const dropCounts: Migration = {
  name: '0001-drop-counts',
  async up(mongo) {
    const NAMESPACE_NOT_FOUND = 26
    await mongo.dropCollection('counts').catch(error => {
      if (error?.code !== NAMESPACE_NOT_FOUND) throw error
    })
  },
}
