import type { Migration } from '@iodine/service-kit'
import { indexNames } from '../commands/index-names.js'

/**
 * Stores what a search by name reads. Campaigns that the version before creates meanwhile follow by the
 * repair; one that it renames meanwhile is found by its former name until it is renamed again.
 */
export const searchNames: Migration = { name: '0001-search-names', up: indexNames }
