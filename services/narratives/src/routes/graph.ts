import { type Graph, graphApi } from '@iodine/contracts'
import { Streamed, sendList } from '@iodine/service-kit'
import { graphOwner, textsOwner } from '../policies/graph-owner.js'
import { presentGraphText, presentMention } from '../presenters/graph-text.js'
import { mentionsOf, textsOf } from '../queries/graph-texts.js'
import { createGraphReader } from '../queries/read-graph.js'
import type { Store } from '../store.js'

export const addGraphRoutes = (store: Store): void => {
  const { service, narratives } = store
  const readGraph = createGraphReader(store)

  service.route(graphApi.getTriplets, async ({ user, query: { user_id, ...filters } }) => {
    const owner = await graphOwner(store, user.id, user_id)
    return new Streamed<Graph>(await readGraph(owner, filters))
  })

  service.route(graphApi.listTexts, async ({ user, query: { user_id, ...query }, reply }) =>
    sendList(reply, {
      model: narratives,
      filter: textsOf(textsOwner(user.id, user_id), query),
      limit: query.limit ?? TEXTS_PAGE,
      cursor: query.cursor,
      present: docs => docs.map(doc => presentGraphText(doc, query.from, query.to)),
    }),
  )

  service.route(graphApi.listMentions, async ({ user, query: { user_id, ...query }, reply }) =>
    sendList(reply, {
      model: narratives,
      filter: mentionsOf(textsOwner(user.id, user_id), query),
      limit: query.limit ?? MENTIONS_PAGE,
      cursor: query.cursor,
      present: docs => docs.map(doc => presentMention(doc, query.node)),
    }),
  )
}

/** Default page sizes. A mention may have several sentences. */
const TEXTS_PAGE = 20
const MENTIONS_PAGE = 10
