import { narrativesApi } from '@iodine/contracts'
import { containingInAnyCase, createKeyedLimiter, notFound, sendList } from '@iodine/service-kit'
import type { Store } from '../../store.js'
import { createNarrative } from '../commands/create-narrative.js'
import { deleteNarrative } from '../commands/delete-narrative.js'
import { restoreNarrative } from '../commands/restore-narrative.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { presentNarrative } from '../presenters/narrative.js'
import { presentOpenNarratives } from '../queries/list-open-narratives.js'

/** Default page size of open narratives: one screen. */
const OPEN_PAGE = 100

export const addNarrativeRoutes = (store: Store, extractionWaitMs: number): void => {
  const { service, narratives } = store
  /** A search reads the texts of all of a user's narratives: one at a time for each user. */
  const searches = createKeyedLimiter()

  service.route(narrativesApi.listNarratives, async ({ user, query: { q, limit, cursor }, reply }) => {
    const filter = { user_id: user.id, state: 'done' as const }
    const list = {
      model: narratives,
      limit,
      cursor,
      present: (docs: NarrativeDoc[]) => docs.map(presentNarrative),
    }
    if (q)
      return searches(user.id, () =>
        sendList(reply, { ...list, filter: { ...filter, text: containingInAnyCase(q) } }),
      )
    return sendList(reply, { ...list, filter })
  })

  const findOwn = async (user_id: string, _id: string): Promise<NarrativeDoc> => {
    const found = await narratives.findOne({ _id, user_id, state: 'done' }).lean()
    if (!found) throw notFound()
    return found
  }

  service.route(narrativesApi.getNarrative, async ({ user, params }) =>
    presentNarrative(await findOwn(user.id, params.id)),
  )

  service.route(narrativesApi.listCitations, async ({ user, params }) => {
    const { triplets } = await findOwn(user.id, params.id)
    return triplets.flatMap(({ id, cite }) =>
      cite ? { triplet_id: id, start: cite.start, end: cite.end } : [],
    )
  })

  service.route(narrativesApi.listOpenNarratives, async ({ user, query, reply }) =>
    sendList(reply, {
      model: narratives,
      filter: { user_id: user.id, state: 'open' },
      limit: query.limit ?? OPEN_PAGE,
      cursor: query.cursor,
      present: docs => presentOpenNarratives(store, docs),
    }),
  )

  service.route(narrativesApi.createNarrative, async ({ user, body }) =>
    createNarrative(store, user.id, body, extractionWaitMs),
  )

  service.route(narrativesApi.deleteNarrative, async ({ user, params }) => {
    await deleteNarrative(store, user.id, params.id)
    return { id: params.id }
  })

  service.route(narrativesApi.restoreNarrative, async ({ user, params }) => {
    await restoreNarrative(store, user.id, params.id)
    return { id: params.id }
  })
}
