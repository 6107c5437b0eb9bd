import type { Migration } from '@iodine/service-kit'

/** Accounts without a recorded activity get the time of the migration. */
export const lastActiveAt: Migration = {
  name: '0001-last-active-at',
  up: mongo =>
    mongo.collection('users').updateMany({ last_active_at: null }, { $set: { last_active_at: new Date() } }),
}
