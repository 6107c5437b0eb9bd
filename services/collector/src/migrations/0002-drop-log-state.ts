import type { Migration } from '@iodine/service-kit'

/** Drops the log's size and frontier: checkpoints and nodes hold both. */
export const dropLogState: Migration = {
  name: '0002-drop-log-state',
  async up(mongo) {
    const NAMESPACE_NOT_FOUND = 26
    await mongo.dropCollection('log_state').catch(error => {
      if (error?.code !== NAMESPACE_NOT_FOUND) throw error
    })
  },
}
