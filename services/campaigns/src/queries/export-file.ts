import type { Campaign, CampaignDetail, campaignsApi, Iod, QueryOf } from '@iodine/contracts'
import {
  type ExportContext,
  exportCampaign,
  exportNameOf,
  isVersioned,
  mediaTypeOf,
  toMispEvent,
  toStixBundle,
} from '@iodine/exchange'
import { additionsOf, overlayEvent } from '@iodine/exchange/misp'
import { type Peers, unavailable } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'
import type { CampaignModels } from '../models/index.js'
import { joined } from '../presenters/joined.js'
import { mispFile } from '../presenters/misp-file.js'
import { stixFile, withoutKept } from '../presenters/stix-file.js'
import { fetchIods, findCampaign, nullWhenDown } from './campaign-detail.js'
import { fetchEvidence } from './campaign-evidence.js'
import { fetchLevels } from './campaign-levels.js'
import { fetchStatements } from './campaign-statements.js'
import {
  countWithheld,
  type ForeignPart,
  findKept,
  foreignBytes,
  readForeignPart,
} from './foreign-objects.js'
import { eventPieces, findEvents, iodsInEvent, type StoredEvent } from './kept-events.js'
import { readSharing } from './sharing.js'
import { fileTechniques } from './techniques.js'

/** A campaign as a file. */
export interface CampaignExport {
  name: string
  mediaType: string
  content: string | AsyncIterable<string | Uint8Array>
  /** Number of other tools' objects that it leaves out, where it has any. */
  withheld?: number
}

interface Exported {
  models: CampaignModels
  peers: Peers
  present: (doc: CampaignDoc) => Promise<Campaign>
}

/** A campaign's file in STIX, with the objects of other tools. */
const withObjects = async (
  { foreign }: CampaignModels,
  { _id }: CampaignDoc,
  detail: CampaignDetail,
  context: ExportContext,
  part: ForeignPart,
): Promise<Pick<CampaignExport, 'content' | 'withheld'>> => {
  const own = toStixBundle(detail, { ...context, standIns: part.standIns })
  const ids = own.objects.map(({ id }) => id)
  const kept = await findKept(foreign, _id, ids)
  return {
    content: stixFile(withoutKept(own, kept), foreignBytes(foreign, _id, 'stix', part)),
    withheld: await countWithheld(foreign, _id, part),
  }
}

/** A campaign's file in MISP, with the events of other tools: what we say goes into the only one, or into one of our own. */
const withEvents = async (
  { foreign }: CampaignModels,
  { _id }: CampaignDoc,
  detail: CampaignDetail,
  context: ExportContext,
  part: ForeignPart,
  events: readonly StoredEvent[],
): Promise<Pick<CampaignExport, 'content' | 'withheld'>> => {
  const { standIns } = part
  const iods = new Map<string, Iod>(detail.iods.map(iod => [iod.id, iod]))
  const withheld = new Set(part.withheld)
  const isOne = events.length === 1
  const written: AsyncGenerator<Uint8Array>[] = []
  for (const event of events) {
    // Of several, each gets what is said of its own attributes; all else is in ours.
    const own = isOne ? undefined : await iodsInEvent(foreign, _id, event)
    const about = own ? { ...detail, iods: detail.iods.filter(({ id }) => own.has(id)) } : detail
    const of = { ...context, standIns, ...(own && { techniques: [], evidence: undefined }) }
    const pieces = eventPieces(foreign, _id, event, iods, withheld)
    written.push(overlayEvent(event, pieces, additionsOf(about, of, event)))
  }
  const rest = detail.iods.filter(({ id }) => !standIns.has(id) || context.evidence?.get(id)?.length)
  const hasRest = rest.length + (context.techniques ?? []).length > 0
  const ours =
    isOne || !hasRest ? [] : [textOf(toMispEvent({ ...detail, iods: rest }, { ...context, standIns }).Event)]
  return {
    content: joined(mispFile([...written, ...ours])),
    withheld: await countWithheld(foreign, _id, part),
  }
}

async function* textOf(value: unknown): AsyncGenerator<string> {
  yield JSON.stringify(value, null, 2)
}

/**
 * A campaign as a file.
 * @throws 404, 503 while its IODs or what is said of them can't be read, 413 for too much evidence
 */
export const exportFile = async (
  { models, peers, present }: Exported,
  { format, evidence: wanted }: QueryOf<typeof campaignsApi.exportCampaign>,
  id: string,
  userId: string,
): Promise<CampaignExport> => {
  const { campaigns, foreign } = models
  const doc = await findCampaign(campaigns, id, '+changed_at', '+techniques')
  const [campaign, sharing, iods, evidence, statements, levels] = await Promise.all([
    present(doc),
    readSharing(models, id),
    fetchIods(peers, doc).catch(nullWhenDown),
    wanted === 'true' ? fetchEvidence(peers, doc, userId).catch(nullWhenDown) : undefined,
    isVersioned(format) ? fetchStatements(peers, doc).catch(nullWhenDown) : undefined,
    isVersioned(format) ? undefined : fetchLevels(peers, doc).catch(nullWhenDown),
  ])
  // Refused, as a file without the IODs, or their evidence, would look like the whole campaign, one without the
  // statements would give its objects other ids, and one without the levels would lower them.
  if (!iods || evidence === null || statements === null || levels === null) throw unavailable()
  const context: ExportContext = {
    now: new Date(),
    userId,
    evidence,
    statements,
    levels,
    changedAt: doc.changed_at,
    tlp: sharing.tlp,
    techniques: fileTechniques(doc),
  }
  const detail = { ...campaign, iods }
  const name = exportNameOf(detail.name, format, context.now)
  const file = { name, mediaType: mediaTypeOf(format) }
  const events = format === 'misp' ? await findEvents(models, doc._id) : []
  if (events.length > 0) {
    const part = await readForeignPart(
      foreign,
      doc,
      'misp',
      events.map(({ import_id }) => import_id),
    )
    return { ...file, ...(await withEvents(models, doc, detail, context, part, events)) }
  }
  if (format === 'stix' && (await foreign.exists({ campaign_id: doc._id, format: 'stix' }))) {
    const part = await readForeignPart(foreign, doc, 'stix')
    return { ...file, ...(await withObjects(models, doc, detail, context, part)) }
  }
  return { ...file, content: exportCampaign(detail, format, context).text }
}
