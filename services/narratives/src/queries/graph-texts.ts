import type { graphApi, QueryOf } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import { linkKey, type NarrativeDoc, nodeKey } from '../models/narrative.js'

type Selection = Pick<QueryOf<typeof graphApi.listTexts>, 'source' | 'start_date' | 'end_date'>

const selectedOf = (
  user_id: string,
  { source, start_date, end_date }: Selection,
): QueryFilter<NarrativeDoc> => ({
  user_id,
  state: 'done',
  ...(source !== undefined && { src: source }),
  ...((start_date || end_date) && {
    created_at: { ...(start_date && { $gte: start_date }), ...(end_date && { $lte: end_date }) },
  }),
})

/** Selects a user's narratives with a triplet that makes the link `from` → `to`, by date and source. */
export const textsOf = (
  user_id: string,
  { from, to, ...selection }: Selection & { from: string; to: string },
): QueryFilter<NarrativeDoc> => ({ ...selectedOf(user_id, selection), link_keys: linkKey(from, to) })

/** Selects a user's narratives with a triplet that has the node, by date and source. */
export const mentionsOf = (
  user_id: string,
  { node, ...selection }: Selection & { node: string },
): QueryFilter<NarrativeDoc> => ({ ...selectedOf(user_id, selection), node_keys: nodeKey(node) })
