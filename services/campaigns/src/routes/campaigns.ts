import {
  type Campaign,
  type CampaignDetail,
  type CampaignStatistics,
  campaignsApi,
  type QueryOf,
} from '@iodine/contracts'
import {
  type ExportContext,
  exportCampaign,
  exportNameOf,
  isVersioned,
  mediaTypeOf,
  toStixBundle,
} from '@iodine/exchange'
import {
  createDownloads,
  createKeyedLimiter,
  createSharedReads,
  personalSource,
  type ReplyHeaders,
  type StoreService,
  Streamed,
  sendList,
  servePersonalData,
  serveRepair,
  serveUsage,
  unavailable,
  watchStorage,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import { addIod, addIods, removeIod } from '../commands/change-members.js'
import { dateChanges } from '../commands/date-changes.js'
import { createCampaign, deleteCampaign, updateCampaign } from '../commands/edit-campaign.js'
import { forgetUser } from '../commands/forget-user.js'
import { indexNames } from '../commands/index-names.js'
import { repeatImports } from '../commands/queue-import.js'
import { removeForgotten } from '../commands/remove-import.js'
import type { CampaignsConfig } from '../config.js'
import type { CampaignDoc } from '../models/campaign.js'
import type { CampaignModels } from '../models/index.js'
import { presentCampaigns } from '../presenters/campaign.js'
import { campaignDetailJson } from '../presenters/campaign-detail.js'
import { stixFile, withoutKept } from '../presenters/stix-file.js'
import { fetchIods, findCampaign, iodBatches, nullWhenDown } from '../queries/campaign-detail.js'
import { fetchEvidence } from '../queries/campaign-evidence.js'
import { fetchStatements } from '../queries/campaign-statements.js'
import { countWithheld, findKept, foreignBytes, readForeignPart } from '../queries/foreign-objects.js'
import { createCampaignOverlay } from '../queries/overlay.js'
import { selectCampaigns } from '../queries/select-campaigns.js'
import { readSharing } from '../queries/sharing.js'
import { readStatistics } from '../queries/statistics.js'
import { storedOf } from '../queries/stored.js'
import { fileTechniques, personalTechniques } from '../queries/techniques.js'

/** `true` when a detail lacks its IODs because the iods service is down; `iod_count` is still valid. */
const IODS_UNAVAILABLE = 'x-iods-unavailable'
/** Number of other tools' objects that an export leaves out, as their IOD was taken out of the campaign. */
const WITHHELD = 'x-withheld'

/** How long a reading of a campaign's statistics is waited for before the next one begins. */
const STATISTICS_MS = 5_000

export const addCampaignRoutes = (
  service: StoreService,
  models: CampaignModels,
  { QUOTA_CAMPAIGN_IODS, STORAGE_ALARM_BYTES }: CampaignsConfig,
): void => {
  const { campaigns, foreign, imports, quotas } = models
  const present = (docs: CampaignDoc[]) => presentCampaigns(service.users, docs)
  const presentOne = async (doc: CampaignDoc) => (await present([doc]))[0] as Campaign
  const sendDetail = async (doc: CampaignDoc, reply: ReplyHeaders) => {
    const batches = iodBatches(service.peers, doc)
    const [campaign, first] = await Promise.all([presentOne(doc), batches.next().catch(nullWhenDown)])
    if (!first) reply.header(IODS_UNAVAILABLE, 'true')
    return new Streamed<CampaignDetail>(campaignDetailJson(campaign, first?.value ?? [], batches))
  }

  service.route(campaignsApi.listCampaigns, async ({ query: { limit, cursor, ...filters }, reply }) =>
    sendList(reply, { model: campaigns, ...selectCampaigns(filters), limit, cursor, present }),
  )
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
    oneAtATime(id.toLowerCase(), () => readStatistics(campaigns, service.peers, id)),
  )
  const exportFile = async (
    { format, evidence: wanted }: QueryOf<typeof campaignsApi.exportCampaign>,
    id: string,
    userId: string,
    reply: ReplyHeaders,
  ) => {
    const doc = await findCampaign(campaigns, id, '+changed_at', '+techniques')
    const keeps = format === 'stix' ? await readForeignPart(foreign, doc, format) : undefined
    const [campaign, sharing, iods, evidence, statements] = await Promise.all([
      presentOne(doc),
      readSharing(models, id),
      fetchIods(service.peers, doc).catch(nullWhenDown),
      wanted === 'true' ? fetchEvidence(service.peers, doc, userId).catch(nullWhenDown) : undefined,
      isVersioned(format) ? fetchStatements(service.peers, doc).catch(nullWhenDown) : undefined,
    ])
    // Refused, as a file without the IODs, or their evidence, would look like the whole campaign, and one without the
    // statements would give its objects other ids.
    if (!iods || evidence === null || statements === null) throw unavailable()
    const context: ExportContext = {
      now: new Date(),
      userId,
      evidence,
      statements,
      changedAt: doc.changed_at,
      tlp: sharing.tlp,
      standIns: keeps?.standIns,
      techniques: fileTechniques(doc),
    }
    const detail = { ...campaign, iods }
    const file = (content: string | AsyncIterable<string | Uint8Array>, name: string, mediaType: string) => {
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return new Streamed<unknown>(content, mediaType)
    }
    if (!keeps || !(await foreign.exists({ campaign_id: doc._id, format: 'stix' }))) {
      const { name, mediaType, text } = exportCampaign(detail, format, context)
      return file(text, name, mediaType)
    }
    reply.header(WITHHELD, String(await countWithheld(foreign, doc._id, keeps)))
    const own = toStixBundle(detail, context)
    const kept = await findKept(
      foreign,
      doc._id,
      own.objects.map(({ id }) => id),
    )
    const objects = foreignBytes(foreign, doc._id, 'stix', keeps)
    const name = exportNameOf(detail.name, format, context.now)
    return file(stixFile(withoutKept(own, kept), objects), name, mediaTypeOf(format))
  }
  // Votes are weighed anew for each.
  const exporting = createKeyedLimiter()
  service.route(campaignsApi.exportCampaign, async ({ params, query, user, reply }) => {
    const write = () => exportFile(query, params.id, user.id, reply)
    return isVersioned(query.format) ? exporting(user.id, write) : write()
  })
  service.route(campaignsApi.createCampaign, async ({ body, user }) =>
    presentOne(await createCampaign(models, user.id, body)),
  )
  service.route(campaignsApi.updateCampaign, async ({ params, body, user }) =>
    presentOne(await updateCampaign(campaigns, user.id, params.id, body)),
  )
  service.route(campaignsApi.deleteCampaign, async ({ params, user }) => {
    await deleteCampaign(models, user.id, params.id)
    return { id: params.id }
  })
  service.route(campaignsApi.addIod, async ({ params, body }) =>
    presentOne(await addIod(campaigns, service.peers, params.id, body.iod_id, QUOTA_CAMPAIGN_IODS)),
  )
  service.route(campaignsApi.addIods, async ({ params, body }) =>
    addIods(campaigns, service.peers, params.id, body.iod_ids, QUOTA_CAMPAIGN_IODS),
  )
  service.route(campaignsApi.removeIod, async ({ params, body, reply }) =>
    sendDetail(await removeIod(campaigns, params.id, body.iod_id), reply),
  )

  servePersonalData(service, {
    sources: [
      personalSource('campaign', campaigns, created_by => ({ created_by })),
      personalSource('import', imports, user_id => ({ user_id })),
      personalTechniques(campaigns),
    ],
    forget: userId => forgetUser(models, userId),
  })

  serveUsage(service, quotas, async created_by => {
    const fullest = await campaigns.findOne({ created_by }).sort({ iod_count: -1 }).lean<CampaignDoc>()
    return { campaign_iods: { used: fullest?.iod_count ?? 0, limit: QUOTA_CAMPAIGN_IODS } }
  })
  watchStorage(service, async () => {
    const stored = await storedOf(models)
    return { ...stored, share: stored.bytes / STORAGE_ALARM_BYTES }
  })
  serveRepair(
    service,
    async () =>
      (await indexNames(models.mongo)) +
      (await dateChanges(models.mongo)) +
      (await removeForgotten(models)) +
      (await repeatImports(service, imports)) +
      (await quotas.repair()),
  )
}
