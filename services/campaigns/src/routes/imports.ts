import { campaignsApi, importsApi, importsInternal } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
import { applyImport } from '../commands/apply-import.js'
import { queueImport } from '../commands/queue-import.js'
import { queuePublication } from '../commands/queue-publication.js'
import { receiveImport } from '../commands/receive-import.js'
import { removeImport } from '../commands/remove-import.js'
import { shareCampaign } from '../commands/share-campaign.js'
import { stepImport } from '../commands/step-import.js'
import type { CampaignsConfig } from '../config.js'
import type { CampaignModels } from '../models/index.js'
import { PRESENTED, presentImport } from '../presenters/import.js'
import { findImport } from '../queries/find-import.js'
import { readKept } from '../queries/kept-objects.js'
import { readSharing } from '../queries/sharing.js'

/** Files that go into campaigns, and how far these may be passed on. */
export const addImportRoutes = (
  service: StoreService,
  models: CampaignModels,
  { QUOTA_CAMPAIGN_IODS }: CampaignsConfig,
): void => {
  const { imports } = models

  // A file of the largest size is in memory while it is received.
  const receiving = createKeyedLimiter()
  service.route(importsApi.createImport, async ({ query, body, user }) =>
    receiving(user.id, async () => {
      const doc = await receiveImport(models, user.id, { ...query, bytes: body })
      await queueImport(service, doc)
      return { id: doc._id.toHexString() }
    }),
  )
  service.route(importsApi.getImport, async ({ params, user }) =>
    presentImport(await findImport(imports, user.id, params.id, ...PRESENTED)),
  )
  service.route(importsApi.applyImport, async ({ params, body, user }) => {
    const doc = await applyImport(models, user.id, params.id, body.iods)
    await queueImport(service, doc)
    return presentImport(doc)
  })
  service.route(importsApi.deleteImport, async ({ params, user }) => {
    await removeImport(models, user.id, params.id)
    return { id: params.id }
  })
  service.route(importsApi.getKept, async ({ params, user }) =>
    readKept(models, service.users, user.id, params.id),
  )
  service.route(campaignsApi.getSharing, async ({ params }) => readSharing(models, params.id))
  service.route(campaignsApi.updateSharing, async ({ params, body, user }) => {
    const sharing = await shareCampaign(models, user.id, params.id, body)
    if (sharing.feed?.state === 'due') await queuePublication(service, params.id.toLowerCase())
    return sharing
  })

  const { peers, queues, log } = service
  const stepping = { models, peers, queues, log, memberMax: QUOTA_CAMPAIGN_IODS }
  service.internal(importsInternal.stepImport, async ({ params }) => ({
    more: await stepImport(stepping, params.id),
  }))
}
