import { dropCollection, type Migration } from '@iodine/service-kit'

/** Drops the collection of counts, which `usage` replaces. */
export const dropCounts: Migration = {
  name: '0001-drop-counts',
  up: mongo => dropCollection(mongo, 'counts'),
}
