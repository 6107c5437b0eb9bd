import { type Iod, tlpOfRank } from '@iodine/contracts'
import type { EventPiece, EventPlace, KeptEvent } from '@iodine/exchange/misp'
import type { Types } from 'mongoose'
import { bytesOf } from '../../bytes.js'
import { BY_FILE, type ForeignDoc, type ForeignModel } from '../models/foreign.js'
import type { ImportDoc, ImportModel } from '../models/import.js'

/** Pieces that are read at once. */
const BATCH = 200

/** An event that a campaign keeps, and where its pieces are. */
export interface StoredEvent extends KeptEvent {
  import_id: Types.ObjectId
  /** Its UUID, or another name of it. */
  uuid: string
  /** Place of the first piece that is not its own. */
  end: number
}

/** The imports of a campaign's events that are there in whole. */
const wholeImports = (imports: ImportModel, campaign_id: Types.ObjectId) =>
  imports
    .find(
      {
        campaign_id,
        events: { $exists: true },
        // What a subscription has brought stays while it brings more.
        $or: [
          { state: 'done' },
          { subscription_id: { $ne: null }, kept: { $ne: null }, state: { $ne: 'removing' } },
        ],
      },
      { events: 1, named: 1, tlp: 1 },
    )
    .sort({ _id: 1 })
    .lean<Pick<ImportDoc, '_id' | 'events' | 'named' | 'tlp'>[]>()

/**
 * The events that a campaign keeps, in the order of their imports. Of an event that came several times, its latest version
 * alone, as MISP would have it.
 */
export const findEvents = async (
  { foreign, imports }: { foreign: ForeignModel; imports: ImportModel },
  campaign_id: Types.ObjectId,
): Promise<StoredEvent[]> => {
  const latest = new Map<string, StoredEvent>()
  for (const whole of await wholeImports(imports, campaign_id)) {
    const { _id: import_id, events = [], named = [] } = whole
    const openings = await foreign
      .find(
        { campaign_id, import_id, order: { $in: events } },
        { key: 1, version: 1, tlp: 1, order: 1, place: 1 },
      )
      .sort(BY_FILE)
      .lean<ForeignDoc[]>()
    for (const { key, version, tlp, order, place } of openings) {
      if (!place?.joints) continue
      const end = events[events.indexOf(order) + 1] ?? Number.MAX_SAFE_INTEGER
      const id = key || `${import_id} ${order}`
      const before = latest.get(id)
      if (before && Number(before.version) > Number(version)) continue
      latest.set(id, {
        import_id,
        uuid: id,
        order,
        end,
        version,
        tlp: tlpOfRank(tlp),
        strictest: tlpOfRank(whole.tlp),
        techniques: new Set(named),
        joints: place.joints,
      })
    }
  }
  return [...latest.values()]
}

/** Ids of the IODs that attributes of an event stand for. */
export const iodsInEvent = async (
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { import_id, order, end }: StoredEvent,
): Promise<Set<string>> => {
  const ids = await foreign.distinct('iod_id', {
    campaign_id,
    import_id,
    order: { $gte: order, $lt: end },
    iod_id: { $ne: null },
  })
  return new Set(ids.map(String))
}

/** A piece of a kept event, with its UUID and what it is. */
export interface StoredPiece extends EventPiece {
  key: string
  place: EventPlace
}

/**
 * The pieces of an event, in their order.
 * @param iods those of the campaign, by id: what stands for another one, or refers to it, is left out
 * @param withheld keys of what is left out
 */
export async function* eventPieces(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { import_id, order: first, end }: StoredEvent,
  iods: ReadonlyMap<string, Iod>,
  withheld: ReadonlySet<string>,
): AsyncGenerator<StoredPiece> {
  const docs = foreign
    .find(
      { campaign_id, import_id, format: 'misp', order: { $gte: first, $lt: end } },
      { raw: 1, key: 1, order: 1, place: 1, iod_id: 1, refs: 1 },
    )
    .sort(BY_FILE)
    .lean<ForeignDoc[]>()
    .cursor({ batchSize: BATCH })
  for await (const { raw, key, order, place, iod_id, refs } of docs as unknown as AsyncIterable<ForeignDoc>) {
    if (!place) continue
    const iod = iod_id ? iods.get(iod_id.toHexString()) : undefined
    const isHidden = (iod_id !== null && !iod) || (refs?.some(ref => withheld.has(ref)) ?? false)
    yield { raw: bytesOf(raw), key, order, place, isHidden, iod }
  }
}
