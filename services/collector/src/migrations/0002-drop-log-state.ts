import { dropCollection, type Migration } from '@iodine/service-kit'

/** Drops the log's size and frontier: checkpoints and nodes hold both. */
export const dropLogState: Migration = {
  name: '0002-drop-log-state',
  up: mongo => dropCollection(mongo, 'log_state'),
}
