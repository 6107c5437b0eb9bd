import type { Migration } from '@iodine/service-kit'
import { dateChanges } from '../commands/date-changes.js'

/** Dates the last change of campaigns. Those that the version before creates meanwhile follow by the repair. */
export const datedChanges: Migration = {
  name: '0002-date-changes',
  up: mongo => dateChanges(mongo, {}),
}
