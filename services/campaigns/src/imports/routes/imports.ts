import { importsApi } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { applyImport } from '../commands/apply-import.js'
import { receiveImport } from '../commands/receive-import.js'
import { removeImport } from '../commands/remove-import.js'
import { PRESENTED_FIELDS, presentImport } from '../presenters/import.js'
import { findImport } from '../queries/find-import.js'
import { readKept } from '../queries/kept-objects.js'

/** Adds the routes of files that are imported into campaigns. */
export const addImportRoutes = (service: StoreService, store: Store): void => {
  const { imports } = store

  // Uploads of a user run one at a time, as the whole file is in memory.
  const receiving = createKeyedLimiter()
  service.route(importsApi.createImport, async ({ query, body, user }) =>
    receiving(user.id, async () => {
      const doc = await receiveImport(store, user.id, { ...query, bytes: body })
      return { id: doc._id.toHexString() }
    }),
  )
  service.route(importsApi.getImport, async ({ params, user }) =>
    presentImport(await findImport(imports, user.id, params.id, ...PRESENTED_FIELDS)),
  )
  service.route(importsApi.applyImport, async call => {
    const { params, body, user } = call
    const what = { action: 'import.applied', subject: { kind: 'campaign' }, item: params.id } as const
    const doc = await service.audit.during(call, what, async note => {
      const applied = await applyImport(store, user.id, params.id, body.iods)
      note({ id: applied.campaign_id.toHexString(), count: applied.objects })
      return applied
    })
    return presentImport(doc)
  })
  service.route(importsApi.deleteImport, async call => {
    const { params, user } = call
    const what = { action: 'import.removed', subject: { kind: 'campaign' }, item: params.id } as const
    await service.audit.during(call, what, async note => {
      const { state, campaign_id, objects } = await removeImport(store, user.id, params.id)
      // A discarded plan has changed nothing.
      note({ id: campaign_id.toHexString(), count: objects, isNothing: !['done', 'failed'].includes(state) })
    })
    return { id: params.id }
  })
  service.route(importsApi.getKept, async ({ params, user }) =>
    readKept(store, service.users, user.id, params.id),
  )
}
