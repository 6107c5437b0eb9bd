import type { Migration } from '@iodine/service-kit'

/** Accounts from before activity was noted begin to count now. */
export const lastActiveAt: Migration = {
  name: '0001-last-active-at',
  up: mongo =>
    mongo.collection('users').updateMany({ last_active_at: null }, { $set: { last_active_at: new Date() } }),
}
