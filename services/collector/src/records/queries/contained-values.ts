import { setImmediate } from 'node:timers/promises'
import { foldText, foldValue, SOURCES, type Source } from '@iodine/contracts'
import type { CollectorStore } from '../../store.js'
import type { RecordDoc } from '../models/record.js'
import { createMatcher } from '../policies/matcher.js'
import { searchedTexts } from './search-records.js'

/** Characters after which other requests get a turn. */
const SLICE_CHARACTERS = 500_000

/**
 * Returns for each value, in order, the sources in which the user has a record whose text contains it. Reads all of the
 * user's records once. Compares folded texts, as the search does; in addition, it ignores invisible characters in records.
 */
export const containedValues = async (
  { records }: Pick<CollectorStore, 'records'>,
  user_id: RecordDoc['user_id'],
  values: readonly string[],
): Promise<Source[][]> => {
  const folded = values.map(foldValue)
  const match = await createMatcher(folded)
  const found = new Map(SOURCES.map(source => [source, new Uint8Array(folded.length)]))
  let characters = 0
  const docs = records
    .find({ user_id }, { source: 1, data: 1 })
    .lean<Pick<RecordDoc, 'source' | 'data'>[]>()
    .cursor({ batchSize: 200 })
  for await (const { source, data } of docs) {
    for (const text of searchedTexts(source, { data })) {
      match(foldText(text), found.get(source) as Uint8Array)
      characters += text.length
      if (characters < SLICE_CHARACTERS) continue
      characters = 0
      await setImmediate()
    }
  }
  return folded.map((_, n) => SOURCES.filter(source => found.get(source)?.[n] === 1))
}
