import { type Iod, tlpOfRank } from '@iodine/contracts'
import type { EventPiece, EventPlace, ImportedEvent } from '@iodine/exchange/misp'
import type { Types } from 'mongoose'
import { bytesOf } from '../../bytes.js'
import { BY_FILE, type ForeignDoc, type ForeignModel } from '../models/foreign.js'
import type { ImportDoc, ImportModel } from '../models/import.js'

/** Pieces per read. */
const BATCH = 200

/** An imported event, and the positions of its pieces. */
export interface StoredEvent extends ImportedEvent {
  import_id: Types.ObjectId
  /** Its UUID, or a substitute if it has none. */
  uuid: string
  /** Position after its last piece. */
  end: number
}

/** Finds the imports of a campaign whose events are stored completely. */
const completeImports = (imports: ImportModel, campaign_id: Types.ObjectId) =>
  imports
    .find(
      {
        campaign_id,
        events: { $exists: true },
        // Events of a subscription's earlier runs count while a run is imported.
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
 * Returns the events that a campaign keeps, in the order of their imports. Of an event with several versions it returns
 * the latest one, like MISP.
 */
export const findEvents = async (
  { foreign, imports }: { foreign: ForeignModel; imports: ImportModel },
  campaign_id: Types.ObjectId,
): Promise<StoredEvent[]> => {
  const latest = new Map<string, StoredEvent>()
  for (const whole of await completeImports(imports, campaign_id)) {
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

/** Returns the ids of the IODs that attributes of an event stand for. */
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

/** A piece of an imported event, with its UUID and place. */
export interface StoredPiece extends EventPiece {
  key: string
  place: EventPlace
}

/**
 * Yields the pieces of an event, in their order.
 * @param iods the campaign's IODs, by id: a piece that stands for another IOD is hidden
 * @param withheld keys of omitted objects: a piece that refers to one is hidden
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
