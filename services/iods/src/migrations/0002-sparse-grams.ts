import type { Migration } from '@iodine/service-kit'
import { indexAllIods } from '../commands/index-iods.js'

/**
 * Stores sparse grams too, in a field of another name. The version before finds nothing by a search until it is
 * replaced. The index of its field stays: it names it in its queries.
 */
export const sparseGrams: Migration = { name: '0002-sparse-grams', up: indexAllIods }
