import type { Migration } from '@iodine/service-kit'
import { lastActiveAt } from './0001-last-active-at.js'

/** In the order in which they run. */
export const migrations: readonly Migration[] = [lastActiveAt]
