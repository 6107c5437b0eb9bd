import type { Migration } from '@iodine/service-kit'
import { dropCounts } from './0001-drop-counts.js'

/** In the order in which they run. */
export const migrations: readonly Migration[] = [dropCounts]
