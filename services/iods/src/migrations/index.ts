import type { Migration } from '@iodine/service-kit'

/** In the order in which they run. */
export const migrations: readonly Migration[] = []
