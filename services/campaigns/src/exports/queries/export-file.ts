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
import { fetchEvidence } from '../../campaigns/queries/campaign-evidence.js'
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
import { firstQuotes } from '../../techniques/queries/quotes.js'
import { fileTechniques } from '../../techniques/queries/techniques.js'
import { mispFile } from '../presenters/misp-file.js'
import { stixFile, withoutKept } from '../presenters/stix-file.js'
import { fetchLevels } from './campaign-levels.js'
import { fetchStatements } from './campaign-statements.js'
import { beyondEvents, iodsById, packedObjects, writtenEvent } from './written-events.js'

/** Bytes per sent piece. */
const PIECE_BYTES = 65_536

/** A campaign as a file. */
export interface CampaignExport {
  name: string
  mediaType: string
  content: string | AsyncIterable<string | Uint8Array>
  /** Number of its IODs. */
  iods: number
  /** Number of imported objects that it omits; absent without imported objects. */
  withheld?: number
}

interface ExportDependencies {
  models: CampaignModels
  peers: Peers
  present: (doc: CampaignDoc) => Promise<Campaign>
}

/** A campaign with its imported objects and events. */
interface ExportSource {
  doc: CampaignDoc
  detail: CampaignDetail
  context: ExportContext
  events: readonly StoredEvent[]
  /** Whether it has imported STIX objects. */
  hasObjects: boolean
  stix: ForeignPart
  misp: ForeignPart
}
type Content = Pick<CampaignExport, 'content' | 'withheld'>

/** Returns a campaign's STIX file with the imported objects. MISP events are packed into objects. */
const withObjects = async (
  { foreign }: CampaignModels,
  source: ExportSource,
  profile: ExportProfile,
): Promise<Content> => {
  const { detail, context, misp, events } = source
  const { _id } = source.doc
  const content = { detail, context, iods: iodsById(detail), withheld: new Set(misp.withheld) }
  const isAll = profile === 'lossless'
  const stix = isAll ? source.stix : await ofTypes(foreign, _id, source.stix, OPENCTI_TYPES)
  const made = toStixBundle(detail, { ...context, standIns: stix.standIns })
  const own = isAll ? { bundle: made, leftOut: 0 } : forOpenCti(made)
  const ids = own.bundle.objects.map(({ id }) => id)
  async function* objects(): AsyncGenerator<Uint8Array | string> {
    yield* foreignBytes(foreign, _id, 'stix', stix)
    if (isAll) for (const event of events) yield* packedObjects(foreign, _id, content, event)
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

/** Returns the number of techniques that MISP's galaxy cannot express. */
const countUntagged = ({ techniques = [] }: Pick<ExportContext, 'techniques'>): number =>
  techniques.filter(({ clusters }) => clusters.length === 0).length

/** Returns the number of techniques that DISARM's Navigator lacks. */
const countUnlisted = ({ techniques = [] }: Pick<ExportContext, 'techniques'>): number =>
  techniques.filter(({ name, until }) => name === null || until !== null).length

/**
 * Returns a campaign's MISP file with the imported events. A single event receives the campaign's content; beside
 * several, the content is in the campaign's own event. STIX objects are packed into attachments.
 */
const withEvents = async ({ foreign }: CampaignModels, source: ExportSource): Promise<Content> => {
  const { detail, context, stix, misp, events, hasObjects } = source
  const { _id } = source.doc
  const { standIns } = misp
  const content = {
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
  const { iods: rest, techniques } = beyondEvents(content, events)
  const hasRest = rest.length + techniques.length + attachments.length > 0
  const { Event } = toMispEvent({ ...detail, iods: rest }, { ...context, techniques, standIns })
  async function* written(): AsyncGenerator<AsyncIterable<Uint8Array | string>> {
    for (const event of events) {
      if (!isOne) {
        yield writtenEvent(foreign, _id, content, event)
        continue
      }
      const pieces = eventPieces(foreign, _id, event, content.iods, content.withheld)
      yield overlayEvent(event, pieces, additionsOf(detail, content.context, event, attachments))
    }
    if (!isOne && hasRest) yield writeEvent(Event, attachments)
  }
  return {
    content: joinPieces(mispFile(written(), isOne || events.length === 0), PIECE_BYTES),
    withheld:
      (await countWithheld(foreign, _id, stix)) +
      (await countWithheld(foreign, _id, misp)) +
      countUntagged({ techniques }),
  }
}

/**
 * Exports a campaign as a file.
 * @throws HttpError 404, 503 while its IODs, their evidence, statements or levels cannot be read, 413 for too much
 *   evidence
 */
export const exportFile = async (
  { models, peers, present }: ExportDependencies,
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
  // A file without the IODs or their evidence would look complete. Without the statements its objects would have other
  // ids; without the levels it would lower them.
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
    ...(format === 'navigator' && { quotes: await firstQuotes(models.techniqueQuotes, doc._id) }),
  }
  const detail = { ...campaign, iods }
  const name = exportNameOf(detail.name, format, context.now)
  const file = { name, mediaType: mediaTypeOf(format), iods: iods.length }
  if (!isVersioned(format)) {
    const withheld = format === 'navigator' ? countUnlisted(context) : 0
    const content = exportCampaign(detail, format, context).text
    return { ...file, content, ...(withheld > 0 && { withheld }) }
  }
  const events = await findEvents(models, doc._id)
  const hasObjects = (await foreign.exists({ campaign_id: doc._id, format: 'stix' })) !== null
  if (events.length > 0 || hasObjects || profile !== 'lossless') {
    const whole = events.map(({ import_id }) => import_id)
    const stix = await readForeignPart(foreign, doc, 'stix')
    const misp = await readForeignPart(foreign, doc, 'misp', whole)
    const source = { doc, detail, context, events, hasObjects, stix, misp }
    return {
      ...file,
      ...(await (format === 'stix' ? withObjects(models, source, profile) : withEvents(models, source))),
    }
  }
  const withheld = format === 'misp' ? countUntagged(context) : 0
  return { ...file, content: exportCampaign(detail, format, context).text, ...(withheld > 0 && { withheld }) }
}
