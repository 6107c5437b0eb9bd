import type { graphApi, QueryOf } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import { linkKey, type NarrativeDoc } from '../models/narrative.js'

/** Selects a user's narratives with a triplet that makes the link `from` → `to`, by date and source. */
export const textsOf = (
  user_id: string,
  {
    from,
    to,
    source,
    start_date,
    end_date,
  }: Pick<QueryOf<typeof graphApi.listTexts>, 'from' | 'to' | 'source' | 'start_date' | 'end_date'>,
): QueryFilter<NarrativeDoc> => ({
  user_id,
  link_keys: linkKey(from, to),
  state: 'done',
  ...(source !== undefined && { src: source }),
  ...((start_date || end_date) && {
    created_at: { ...(start_date && { $gte: start_date }), ...(end_date && { $lte: end_date }) },
  }),
})
