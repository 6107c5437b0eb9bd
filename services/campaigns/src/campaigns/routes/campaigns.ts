import { type Campaign, type CampaignDetail, type CampaignStatistics, campaignsApi } from '@iodine/contracts'
import { isVersioned } from '@iodine/exchange'
import {
  createDownloads,
  createKeyedLimiter,
  createSharedReads,
  type ReplyHeaders,
  type StoreService,
  Streamed,
  sendList,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CampaignsConfig } from '../../config.js'
import { deleteCampaign } from '../../deletion/commands/delete-campaign.js'
import { exportFile } from '../../exports/queries/export-file.js'
import type { Store } from '../../models.js'
import { addIod, addIods, removeIod } from '../commands/change-members.js'
import { createCampaign, updateCampaign } from '../commands/edit-campaign.js'
import type { CampaignDoc } from '../models/campaign.js'
import { presentCampaigns } from '../presenters/campaign.js'
import { campaignDetailJson } from '../presenters/campaign-detail.js'
import { findCampaign, iodBatches, nullWhenDown } from '../queries/campaign-detail.js'
import { createCampaignOverlay } from '../queries/overlay.js'
import { selectCampaigns } from '../queries/select-campaigns.js'
import { countStatistics } from '../queries/statistics.js'

/** `true` when a detail lacks its IODs because the iods service is down; `iod_count` is still valid. */
const IODS_UNAVAILABLE = 'x-iods-unavailable'
/** Number of objects and techniques that an export omits, such as imported objects of an IOD outside it. */
const WITHHELD = 'x-withheld'

/** Timeout of a read of a campaign's statistics, after which the next one may begin. */
const STATISTICS_MS = 5_000

/** Adds the routes for campaigns of users. */
export const addCampaignRoutes = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const { campaigns } = store
  const present = (docs: CampaignDoc[]) => presentCampaigns(service.users, docs)
  const presentOne = async (doc: CampaignDoc) => (await present([doc]))[0] as Campaign
  const sendDetail = async (doc: CampaignDoc, reply: ReplyHeaders) => {
    const batches = iodBatches(service.peers, doc)
    const [campaign, first] = await Promise.all([presentOne(doc), batches.next().catch(nullWhenDown)])
    if (!first) reply.header(IODS_UNAVAILABLE, 'true')
    return new Streamed<CampaignDetail>(campaignDetailJson(campaign, first?.value ?? [], batches))
  }

  service.route(campaignsApi.listCampaigns, async ({ query, user, reply }) => {
    const { limit, cursor, mine, ...filters } = query
    const selection = selectCampaigns({ ...filters, creator: mine ? new Types.ObjectId(user.id) : undefined })
    return sendList(reply, { model: campaigns, ...selection, limit, cursor, present })
  })
  const overlay = createCampaignOverlay(campaigns)
  const download = createDownloads()
  service.route(campaignsApi.getOverlay, async call => download(call, await overlay()))
  service.route(campaignsApi.listMyCampaigns, async ({ query: { limit, cursor }, user, reply }) => {
    const filter = { created_by: new Types.ObjectId(user.id) }
    return sendList(reply, { model: campaigns, filter, limit, cursor, present })
  })
  service.route(campaignsApi.getCampaign, async ({ params, query: { limit }, reply }) => {
    const doc = await findCampaign(campaigns, params.id)
    return sendDetail({ ...doc, iod_ids: doc.iod_ids?.slice(0, limit) }, reply)
  })
  const oneAtATime = createSharedReads<string, CampaignStatistics>(STATISTICS_MS)
  service.route(campaignsApi.getStatistics, async ({ params: { id } }) =>
    oneAtATime(id.toLowerCase(), () => countStatistics(campaigns, service.peers, id)),
  )
  // Exports of a user run one at a time, as each weighs votes.
  const exporting = createKeyedLimiter()
  const exported = { models: store, peers: service.peers, present: presentOne }
  const campaign = ({ id }: { id: string }) => ({ kind: 'campaign', id }) as const
  service.route(campaignsApi.exportCampaign, async call => {
    const { params, query, user, reply } = call
    const what = { action: 'campaign.exported', subject: campaign(params), detail: query.format } as const
    const write = () =>
      service.audit.during(call, what, async note => {
        const file = await exportFile(exported, query, params.id, user.id)
        note({ count: file.iods })
        reply.header('content-disposition', `attachment; filename="${file.name}"`)
        if (file.withheld !== undefined) reply.header(WITHHELD, String(file.withheld))
        return new Streamed<unknown>(file.content, file.mediaType)
      })
    return isVersioned(query.format) ? exporting(user.id, write) : write()
  })
  service.route(campaignsApi.createCampaign, async ({ body, user }) =>
    presentOne(await createCampaign(store, user.id, body)),
  )
  service.route(campaignsApi.updateCampaign, async ({ params, body, user }) =>
    presentOne(await updateCampaign(store, user.id, params.id, body)),
  )
  service.route(campaignsApi.deleteCampaign, async call => {
    const { params, user } = call
    await service.audit.during(call, { action: 'campaign.deleted', subject: campaign(params) }, () =>
      deleteCampaign(store, user.id, params.id),
    )
    return { id: params.id }
  })
  service.route(campaignsApi.addIod, async ({ params, body, user }) =>
    presentOne(
      await addIod(store, service.peers, user.id, params.id, body.iod_id, config.QUOTA_CAMPAIGN_IODS),
    ),
  )
  service.route(campaignsApi.addIods, async ({ params, body, user }) =>
    addIods(store, service.peers, user.id, params.id, body.iod_ids, config.QUOTA_CAMPAIGN_IODS),
  )
  service.route(campaignsApi.removeIod, async call => {
    const { params, body, reply, user } = call
    const what = { action: 'campaign.iod-removed', subject: campaign(params), item: body.iod_id } as const
    const doc = await service.audit.during(call, { ...what, count: 1 }, async note => {
      const { isRemoved, doc } = await removeIod(store, user.id, params.id, body.iod_id)
      if (!isRemoved) note({ isNothing: true })
      return doc
    })
    return sendDetail(doc, reply)
  })
}
