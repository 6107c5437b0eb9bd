import type { Category, SourceType } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'

const required = true
export const tallySchema = defineSchema('tallies', {
  category: { type: typed<Category>(String), required },
  source_type: { type: typed<SourceType>(String), required },
  n: { type: Number, required },
})
/**
 * Partial count of the IODs of one category and source type; a kind's count is the sum of its tallies. An IOD's
 * transaction inserts one. A shared counter would conflict, and a transaction that a crash leaves open would block it
 * until the database rolls it back. The task `tallies` merges them.
 */
export type TallyDoc = DocOf<typeof tallySchema>
