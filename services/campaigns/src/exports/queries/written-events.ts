import { type CampaignDetail, highestTlp, type Iod, USUAL_TLP } from '@iodine/contracts'
import type { ExportContext } from '@iodine/exchange'
import { type Additions, additionsOf, overlayEvent } from '@iodine/exchange/misp'
import { attributeObject, eventObjects } from '@iodine/exchange/packed'
import type { Types } from 'mongoose'
import type { ForeignModel } from '../../imports/models/foreign.js'
import { eventPieces, iodsInEvent, type StoredEvent } from '../../imports/queries/kept-events.js'

/** What a campaign says, as it goes into the events that it keeps. */
export interface Said {
  detail: CampaignDetail
  /** In MISP, its `standIns` are the attributes of the events. */
  context: ExportContext
  /** The IODs of `detail`, by id. */
  iods: ReadonlyMap<string, Iod>
  /** Keys of pieces that are left out. */
  withheld: ReadonlySet<string>
}

const UNTOUCHED: Additions = { Attribute: [], Object: [], Tag: [], timestamp: null }

export const iodsById = ({ iods }: CampaignDetail) => new Map<string, Iod>(iods.map(iod => [iod.id, iod]))

/**
 * Objects of STIX, in JSON, for an event of MISP: attributes that are no IOD, and the event itself, byte for byte but for
 * what is left out.
 */
export async function* packedObjects(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { context, iods, withheld }: Said,
  event: StoredEvent,
): AsyncGenerator<string> {
  const level = highestTlp([event.strictest, event.tlp, context.tlp]) ?? USUAL_TLP
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
 * One of several events that a campaign keeps, with what is said of its own attributes; all else stands in an event of
 * ours.
 * @param newer Unix seconds that its timestamp has at least
 */
export async function* writtenEvent(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { detail, context, iods, withheld }: Said,
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

/** What a campaign says that none of its kept events has. */
export const beyondEvents = (
  { detail, context: { standIns, evidence, techniques = [] } }: Said,
  events: readonly StoredEvent[],
) => ({
  iods: detail.iods.filter(({ id }) => !standIns?.has(id) || evidence?.get(id)?.length),
  techniques: techniques.filter(({ id }) => !events.some(each => each.techniques.has(id))),
})
