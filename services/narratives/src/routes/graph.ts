import { graphApi } from '@iodine/contracts'
import { graphOwner } from '../policies/graph-owner.js'
import { readGraph } from '../queries/read-graph.js'
import type { Store } from '../store.js'

export const addGraphRoutes = (store: Store): void => {
  store.service.route(graphApi.getTriplets, async ({ user, query: { user_id, ...filters } }) =>
    readGraph(store, await graphOwner(store, user.id, user_id), filters),
  )
}
