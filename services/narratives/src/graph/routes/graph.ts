import { type Graph, graphApi } from '@iodine/contracts'
import { Streamed, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { stampOf } from '../../canon/queries/canon-map.js'
import type { Store } from '../../store.js'
import { createGraphServer } from '../commands/serve-graph.js'
import { graphOwner, textsOwner } from '../policies/graph-owner.js'
import { presentGraphText, presentMention } from '../presenters/graph-text.js'
import { mentionsOf, resolveNode, textsOf } from '../queries/graph-texts.js'

export const addGraphRoutes = (store: Store): void => {
  const { service, narratives, canonReader } = store
  const serveGraph = createGraphServer(store)

  service.route(graphApi.getTriplets, async ({ user, query: { user_id, ...filters } }) => {
    const owner = await graphOwner(store, user.id, user_id)
    return new Streamed<Graph>(await serveGraph(owner, filters))
  })

  /** The clusters of the caller, for requests about the canonical graph. */
  const mapFor = async (userId: string, canonical: 'true' | 'false' | undefined) => {
    if (canonical !== 'true') return undefined
    const user_id = new Types.ObjectId(userId)
    return canonReader.readMap(user_id, await stampOf(store, user_id))
  }

  service.route(graphApi.listTexts, async ({ user, query: { user_id, canonical, ...query }, reply }) => {
    const owner = textsOwner(user.id, user_id)
    const map = await mapFor(owner, canonical)
    const [from, to] = [resolveNode(query.from, map), resolveNode(query.to, map)]
    return sendList(reply, {
      model: narratives,
      filter: textsOf(owner, { ...query, from, to }, map),
      limit: query.limit ?? TEXTS_PAGE,
      cursor: query.cursor,
      present: docs => docs.map(doc => presentGraphText(doc, from, to)),
    })
  })

  service.route(graphApi.listMentions, async ({ user, query: { user_id, canonical, ...query }, reply }) => {
    const owner = textsOwner(user.id, user_id)
    const node = resolveNode(query.node, await mapFor(owner, canonical))
    return sendList(reply, {
      model: narratives,
      filter: mentionsOf(owner, { ...query, node }),
      limit: query.limit ?? MENTIONS_PAGE,
      cursor: query.cursor,
      present: docs => docs.map(doc => presentMention(doc, node)),
    })
  })
}

/** Default page sizes. A mention may have several sentences. */
const TEXTS_PAGE = 20
const MENTIONS_PAGE = 10
