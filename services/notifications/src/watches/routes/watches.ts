import { watchesApi } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { createWatch, deleteWatch, updateWatch } from '../commands/edit-watches.js'
import type { WatchDoc } from '../models/watch.js'
import { presentWatch } from '../presenters/watch.js'

export const addWatchRoutes = (service: StoreService, store: Store): void => {
  const { models, signText } = store

  service.route(watchesApi.listWatches, async ({ user }) => {
    const docs = await models.watches
      .find({ user_id: user.id })
      .sort({ created_at: -1, _id: -1 })
      .lean<WatchDoc[]>()
    return docs.map(presentWatch)
  })

  service.route(watchesApi.createWatch, async ({ body, user, reply }) => {
    const { doc, isNew } = await createWatch({ models, service, signText }, user.id, body)
    if (!isNew) reply.code(200)
    return presentWatch(doc)
  })

  service.route(watchesApi.updateWatch, async ({ params, body, user }) =>
    presentWatch(await updateWatch(models, user.id, params.id, body)),
  )

  service.route(watchesApi.deleteWatch, async ({ params, user }) => {
    await deleteWatch(models, user.id, params.id)
    return { id: params.id }
  })
}
