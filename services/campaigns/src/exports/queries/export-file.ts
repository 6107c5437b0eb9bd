import type { Campaign, CampaignDetail, campaignsApi, ExportProfile, QueryOf } from '@iodine/contracts'
import {
  type ExportContext,
  exportCampaign,
  exportNameOf,
  forOpenCti,
  isVersioned,
  mediaTypeOf,
  OPENCTI_TYPES,
  toMispEvent,
  toStixBundle,
} from '@iodine/exchange'
import { additionsOf, overlayEvent, timestampOf, writeEvent } from '@iodine/exchange/misp'
import { toAttachments } from '@iodine/exchange/packed'
import { joinPieces, type Peers, unavailable } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { fetchIods, findCampaign, nullWhenDown } from '../../campaigns/queries/campaign-detail.js'
import { readSharing } from '../../campaigns/queries/sharing.js'
import {
  countWithheld,
  type ForeignPart,
  findKept,
  foreignBytes,
  ofTypes,
  readForeignPart,
} from '../../imports/queries/foreign-objects.js'
import { eventPieces, findEvents, type StoredEvent } from '../../imports/queries/kept-events.js'
import type { CampaignModels } from '../../models.js'
import { fileTechniques } from '../../techniques/queries/techniques.js'
import { mispFile } from '../presenters/misp-file.js'
import { stixFile, withoutKept } from '../presenters/stix-file.js'
import { fetchEvidence } from './campaign-evidence.js'
import { fetchLevels } from './campaign-levels.js'
import { fetchStatements } from './campaign-statements.js'
import { beyondEvents, iodsById, packedObjects, writtenEvent } from './written-events.js'

/** Bytes that are sent at once. */
const PIECE_BYTES = 65_536

/** A campaign as a file. */
export interface CampaignExport {
  name: string
  mediaType: string
  content: string | AsyncIterable<string | Uint8Array>
  /** Number of its IODs. */
  iods: number
  /** Number of other tools' objects that it leaves out, where it has any. */
  withheld?: number
}

interface Exported {
  models: CampaignModels
  peers: Peers
  present: (doc: CampaignDoc) => Promise<Campaign>
}

/** A campaign, and what it keeps of other tools. */
interface Kept {
  doc: CampaignDoc
  detail: CampaignDetail
  context: ExportContext
  events: readonly StoredEvent[]
  /** Whether it keeps objects of STIX. */
  hasObjects: boolean
  stix: ForeignPart
  misp: ForeignPart
}
type Content = Pick<CampaignExport, 'content' | 'withheld'>

/** A campaign's file in STIX, with the objects of other tools; events of MISP are packed into objects. */
const withObjects = async (
  { foreign }: CampaignModels,
  kept: Kept,
  profile: ExportProfile,
): Promise<Content> => {
  const { detail, context, misp, events } = kept
  const { _id } = kept.doc
  const said = { detail, context, iods: iodsById(detail), withheld: new Set(misp.withheld) }
  const isAll = profile === 'lossless'
  const stix = isAll ? kept.stix : await ofTypes(foreign, _id, kept.stix, OPENCTI_TYPES)
  const made = toStixBundle(detail, { ...context, standIns: stix.standIns })
  const own = isAll ? { bundle: made, leftOut: 0 } : forOpenCti(made)
  const ids = own.bundle.objects.map(({ id }) => id)
  async function* objects(): AsyncGenerator<Uint8Array | string> {
    yield* foreignBytes(foreign, _id, 'stix', stix)
    if (isAll) for (const event of events) yield* packedObjects(foreign, _id, said, event)
  }
  const ofEvents = isAll ? await countWithheld(foreign, _id, misp) : events.length
  return {
    content: joinPieces(
      stixFile(withoutKept(own.bundle, await findKept(foreign, _id, ids)), objects()),
      PIECE_BYTES,
    ),
    withheld: own.leftOut + (await countWithheld(foreign, _id, stix)) + ofEvents,
  }
}

/**
 * A campaign's file in MISP, with the events of other tools: what we say goes into the only one, or into one of our own.
 * Objects of STIX are packed into attachments.
 */
const withEvents = async ({ foreign }: CampaignModels, kept: Kept): Promise<Content> => {
  const { detail, context, stix, misp, events, hasObjects } = kept
  const { _id } = kept.doc
  const { standIns } = misp
  const said = {
    detail,
    context: { ...context, standIns },
    iods: iodsById(detail),
    withheld: new Set(misp.withheld),
  }
  const isOne = events.length === 1
  const timestamp = timestampOf(detail, context)
  const attachments = hasObjects
    ? [
        toAttachments(detail.id, foreignBytes(foreign, _id, 'stix', stix), {
          timestamp,
          tlp: context.tlp ?? null,
        }),
      ]
    : []
  const { iods: rest, techniques } = beyondEvents(said, events)
  const hasRest = rest.length + techniques.length + attachments.length > 0
  const { Event } = toMispEvent({ ...detail, iods: rest }, { ...context, techniques, standIns })
  async function* written(): AsyncGenerator<AsyncIterable<Uint8Array | string>> {
    for (const event of events) {
      if (!isOne) {
        yield writtenEvent(foreign, _id, said, event)
        continue
      }
      const pieces = eventPieces(foreign, _id, event, said.iods, said.withheld)
      yield overlayEvent(event, pieces, additionsOf(detail, said.context, event, attachments))
    }
    if (!isOne && hasRest) yield writeEvent(Event, attachments)
  }
  return {
    content: joinPieces(mispFile(written(), isOne || events.length === 0), PIECE_BYTES),
    withheld: (await countWithheld(foreign, _id, stix)) + (await countWithheld(foreign, _id, misp)),
  }
}

/**
 * A campaign as a file.
 * @throws 404, 503 while its IODs or what is said of them can't be read, 413 for too much evidence
 */
export const exportFile = async (
  { models, peers, present }: Exported,
  { format, evidence: wanted, profile }: QueryOf<typeof campaignsApi.exportCampaign>,
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
  const file = { name, mediaType: mediaTypeOf(format), iods: iods.length }
  if (!isVersioned(format)) return { ...file, content: exportCampaign(detail, format, context).text }
  const events = await findEvents(models, doc._id)
  const hasObjects = (await foreign.exists({ campaign_id: doc._id, format: 'stix' })) !== null
  if (events.length > 0 || hasObjects || profile !== 'lossless') {
    const whole = events.map(({ import_id }) => import_id)
    const stix = await readForeignPart(foreign, doc, 'stix')
    const misp = await readForeignPart(foreign, doc, 'misp', whole)
    const kept = { doc, detail, context, events, hasObjects, stix, misp }
    return {
      ...file,
      ...(await (format === 'stix' ? withObjects(models, kept, profile) : withEvents(models, kept))),
    }
  }
  return { ...file, content: exportCampaign(detail, format, context).text }
}
