import type { CanonKind, graphApi, QueryOf } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import { type CanonMap, groupOf } from '../../canon/queries/canon-map.js'
import {
  linkKey,
  type NarrativeDoc,
  nodeIdsOf,
  nodeKey,
  type TripletDoc,
} from '../../narratives/models/narrative.js'

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

/** Maximum number of link keys in a query. Further combinations of labels are dropped. */
const LINKS_MAX = 20_000

/** A requested node as nodes of the plain graph: the node itself, or all labels of its cluster. */
export interface ResolvedNode {
  ids: ReadonlySet<string>
  /** Returns the nodes of a triplet. In a canonical graph, passive triplets are turned. */
  nodesOf(triplet: TripletDoc): ReturnType<typeof nodeIdsOf>
}

/** Resolves a requested node. @param map clusters of a canonical graph */
export const resolveNode = (node: string, map: CanonMap | undefined): ResolvedNode => {
  if (!map) return { ids: new Set([node]), nodesOf: nodeIdsOf }
  const kind: CanonKind = node.startsWith('verb:') ? 'verb' : 'entity'
  const { keys } = groupOf(map, kind, node.slice(kind.length + 1))
  return {
    ids: new Set(keys.map(key => `${kind}:${key}`)),
    nodesOf(triplet) {
      const nodes = nodeIdsOf(triplet)
      const isTurned = map.verb.get(nodes.verb.slice('verb:'.length))?.turned
      return isTurned ? { ...nodes, subject: nodes.object, object: nodes.subject } : nodes
    },
  }
}

/** Selects a user's narratives with a triplet that forms the link `from` → `to`, by date and source. */
export const textsOf = (
  user_id: string,
  { from, to, ...selection }: Selection & { from: ResolvedNode; to: ResolvedNode },
  map?: CanonMap,
): QueryFilter<NarrativeDoc> => {
  const keys: string[] = []
  for (const first of from.ids)
    for (const second of to.ids) {
      if (keys.length >= LINKS_MAX) break
      const verb = first.startsWith('verb:') ? first : second
      const isTurned = map?.verb.get(verb.slice('verb:'.length))?.turned
      keys.push(isTurned ? linkKey(second, first) : linkKey(first, second))
    }
  return { ...selectedOf(user_id, selection), link_keys: keys.length === 1 ? keys[0] : { $in: keys } }
}

/** Selects a user's narratives with a triplet that contains the node, by date and source. */
export const mentionsOf = (
  user_id: string,
  { node, ...selection }: Selection & { node: ResolvedNode },
): QueryFilter<NarrativeDoc> => {
  const keys = [...node.ids].map(nodeKey)
  return { ...selectedOf(user_id, selection), node_keys: keys.length === 1 ? keys[0] : { $in: keys } }
}
