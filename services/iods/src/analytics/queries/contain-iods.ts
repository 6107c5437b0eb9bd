import { setImmediate } from 'node:timers/promises'
import type { BodyOf, iodsInternal } from '@iodine/contracts'
import { createBatchedLookup, lookupCandidates } from '@iodine/known-iods'
import type { IodDoc, IodModel } from '../../iods/models/iod.js'
import { keysOf, withValues } from '../../iods/queries/lookup-iods.js'
import type { IodColumns } from './iod-columns.js'

type Entries = BodyOf<typeof iodsInternal.containIods>['entries']
type Found = Pick<IodDoc, 'value' | 'category' | 'created_at'>

/**
 * Returns for each entry, in order, whether one of its texts contains the value of an IOD created up to its time. Looks up
 * only the parts of texts whose key the columns may have: a text of 600 characters has 800.
 */
export const containIods = async (
  iods: IodModel,
  { keys }: IodColumns,
  entries: Entries,
): Promise<boolean[]> => {
  const candidates: string[][] = []
  for (const { texts } of entries) {
    const values = [...new Set(texts.flatMap(lookupCandidates))]
    candidates.push(values.filter(value => keysOf(value).some(key => keys.mayContain(key))))
    // A long text has thousands of candidates.
    await setImmediate()
  }
  const lookup = createBatchedLookup<Found>(values =>
    iods.find(withValues(values), { value: 1, category: 1, created_at: 1 }).lean<Found[]>().exec(),
  )
  return Promise.all(
    candidates.map(async (values, n) => {
      const until = Date.parse((entries[n] as Entries[number]).until)
      return (await lookup(values)).some(({ created_at }) => created_at.getTime() <= until)
    }),
  )
}
