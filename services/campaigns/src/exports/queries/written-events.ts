import { type CampaignDetail, DEFAULT_TLP, highestTlp, type Iod } from '@iodine/contracts'
import type { ExportContext } from '@iodine/exchange'
import { type Additions, additionsOf, overlayEvent } from '@iodine/exchange/misp'
import { attributeObject, eventObjects } from '@iodine/exchange/packed'
import type { Types } from 'mongoose'
import type { ForeignModel } from '../../imports/models/foreign.js'
import { eventPieces, iodsInEvent, type StoredEvent } from '../../imports/queries/kept-events.js'

/** Content of a campaign that is written into its imported events. */
export interface CampaignContent {
  detail: CampaignDetail
  /** In MISP, its `standIns` are the attributes of the events. */
  context: ExportContext
  /** The IODs of `detail`, by id. */
  iods: ReadonlyMap<string, Iod>
  /** Keys of omitted pieces. */
  withheld: ReadonlySet<string>
}

const UNTOUCHED: Additions = { Attribute: [], Object: [], Tag: [], timestamp: null }

export const iodsById = ({ iods }: CampaignDetail) => new Map<string, Iod>(iods.map(iod => [iod.id, iod]))

/**
 * Yields the STIX objects of a MISP event, as JSON: its attributes that are no IODs, and the event itself, unchanged
 * except for omitted pieces.
 */
export async function* packedObjects(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { context, iods, withheld }: CampaignContent,
  event: StoredEvent,
): AsyncGenerator<string> {
  const level = highestTlp([event.strictest, event.tlp, context.tlp]) ?? DEFAULT_TLP
  const pieces = () => eventPieces(foreign, campaign_id, event, iods, withheld)
  for await (const { raw, place, key, isHidden, iod } of pieces()) {
    if (isHidden || iod || place.type !== 'attribute' || place.isText) continue
    const element = JSON.parse(Buffer.from(raw.subarray(place.lead)).toString())
    const object = attributeObject(element, key || event.uuid, event.version, level)
    if (key && object) yield object
  }
  const asTheyAre = async function* () {
    for await (const piece of pieces()) yield { ...piece, iod: undefined }
  }
  yield* eventObjects(event.uuid, event.version, level, overlayEvent(event, asTheyAre(), UNTOUCHED))
}

/**
 * Yields one of several imported events with the campaign's content about its attributes. The campaign's own event
 * contains the rest.
 * @param newer minimum timestamp, Unix seconds
 */
export async function* writtenEvent(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { detail, context, iods, withheld }: CampaignContent,
  event: StoredEvent,
  newer = 0,
): AsyncGenerator<Uint8Array> {
  const own = await iodsInEvent(foreign, campaign_id, event)
  const about = { ...detail, iods: detail.iods.filter(({ id }) => own.has(id)) }
  const additions = additionsOf(about, { ...context, techniques: [], evidence: undefined }, event)
  const timestamp =
    newer > 0 ? String(Math.max(newer, Number(additions.timestamp ?? 0))) : additions.timestamp
  const pieces = eventPieces(foreign, campaign_id, event, iods, withheld)
  yield* overlayEvent(event, pieces, { ...additions, timestamp })
}

/** Returns the campaign's content that none of its imported events contains. */
export const beyondEvents = (
  { detail, context: { standIns, evidence, techniques = [] } }: CampaignContent,
  events: readonly StoredEvent[],
) => ({
  iods: detail.iods.filter(({ id }) => !standIns?.has(id) || evidence?.get(id)?.length),
  techniques: techniques.filter(({ id }) => !events.some(each => each.techniques.has(id))),
})
