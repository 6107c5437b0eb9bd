import { type ImportFormat, tlpOfRank } from '@iodine/contracts'
import type { StandIn } from '@iodine/exchange'
import type { Types } from 'mongoose'
import { bytesOf } from '../../bytes.js'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { isOlder } from '../../versions.js'
import { BY_FILE, type ForeignDoc, type ForeignModel } from '../models/foreign.js'

/** Objects that are read at once. */
const BATCH = 200
/** Ids in a query. */
const IDS = 5_000

/** What the objects of a format in a campaign mean for its file. */
export interface ForeignPart {
  format: ImportFormat
  /** The imports whose objects count; absent: all. */
  imports?: readonly Types.ObjectId[] | undefined
  /** The object that stands for an IOD, by the IOD's id: its latest version. */
  standIns: Map<string, StandIn>
  /** Types of which objects are in the file; absent: all. */
  types?: readonly string[]
  /** Ids of objects that stand for IODs which are not in the campaign: they and what connects them are left out. */
  withheld: string[]
}

const selectedBy = ({ format, imports }: Pick<ForeignPart, 'format' | 'imports'>) => ({
  format,
  ...(imports && { import_id: { $in: imports } }),
})

/** Throws nothing for a campaign without any: both parts are empty. */
export const readForeignPart = async (
  foreign: ForeignModel,
  { _id, iod_ids = [] }: CampaignDoc,
  format: ImportFormat,
  imports?: readonly Types.ObjectId[],
): Promise<ForeignPart> => {
  const standing = await foreign
    .find(
      { campaign_id: _id, iod_id: { $ne: null }, ...selectedBy({ format, imports }) },
      { key: 1, version: 1, iod_id: 1, tlp: 1 },
    )
    .lean<Pick<ForeignDoc, 'key' | 'version' | 'iod_id' | 'tlp'>[]>()
  const members = new Set(iod_ids.map(String))
  const newest = new Map<string, (typeof standing)[number]>()
  const withheld = new Set<string>()
  for (const each of standing) {
    const iod = String(each.iod_id)
    if (!members.has(iod)) {
      withheld.add(each.key)
      continue
    }
    const before = newest.get(iod)
    if (!before || isOlder(before.version, each.version)) newest.set(iod, each)
  }
  const standIns = [...newest].map(([iod, { key, tlp }]) => [iod, { id: key, tlp: tlpOfRank(tlp) }] as const)
  return { format, imports, standIns: new Map(standIns), withheld: [...withheld].filter(Boolean) }
}

/** The same for a file that has objects of some types alone: others, and what connects them, are left out. */
export const ofTypes = async (
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  part: ForeignPart,
  types: readonly string[],
): Promise<ForeignPart> => {
  const others = await foreign
    .find({ campaign_id, ...selectedBy(part), type: { $nin: types } }, { key: 1 })
    .lean<Pick<ForeignDoc, 'key'>[]>()
  const keys = others.flatMap(({ key }) => key || [])
  return { ...part, types, withheld: [...new Set([...part.withheld, ...keys])] }
}

/** Selects the objects that a file leaves out. */
const leftOut = (withheld: readonly string[]) => ({
  $or: [{ key: { $in: withheld } }, { refs: { $in: withheld } }],
})

/** Number of the objects that a file leaves out. */
export const countWithheld = async (
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { withheld, ...part }: ForeignPart,
): Promise<number> => {
  const found = new Set<string>()
  // Without an id they are not known by it.
  const nameless = part.types
    ? await foreign.countDocuments({ campaign_id, ...selectedBy(part), key: '', type: { $nin: part.types } })
    : 0
  for (let at = 0; at < withheld.length; at += IDS) {
    const some = await foreign
      .find({ campaign_id, ...selectedBy(part), ...leftOut(withheld.slice(at, at + IDS)) }, { _id: 1 })
      .lean<{ _id: Types.ObjectId }[]>()
    for (const each of some) found.add(String(each._id))
  }
  return found.size + nameless
}

/** Those of the objects, by id and version, that the campaign has from another tool: `id version`. */
export const findKept = async (
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  ids: readonly string[],
): Promise<Set<string>> => {
  const found = new Set<string>()
  for (let at = 0; at < ids.length; at += IDS) {
    const some = await foreign
      .find({ campaign_id, key: { $in: ids.slice(at, at + IDS) } }, { key: 1, version: 1 })
      .lean<Pick<ForeignDoc, 'key' | 'version'>[]>()
    for (const { key, version } of some) found.add(`${key} ${version}`)
  }
  return found
}

/**
 * Yields a campaign's objects of a format byte for byte, file after file, without those that are left out. What several
 * files say in the same bytes comes once.
 */
export async function* foreignBytes(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  format: ImportFormat,
  { withheld, types }: ForeignPart,
): AsyncGenerator<Buffer> {
  const hidden = new Set(withheld)
  const docs = foreign
    .find(
      { campaign_id, format, ...(types && { type: { $in: types } }) },
      { raw: 1, key: 1, refs: 1, sha256: 1 },
    )
    .sort(BY_FILE)
    .lean<Pick<ForeignDoc, 'raw' | 'key' | 'refs' | 'sha256'>[]>()
    .cursor({ batchSize: BATCH })
  const given = new Set<string>()
  for await (const { raw, key, refs, sha256 } of docs as unknown as AsyncIterable<ForeignDoc>) {
    if (given.has(sha256) || hidden.has(key) || refs?.some(ref => hidden.has(ref))) continue
    given.add(sha256)
    yield bytesOf(raw)
  }
}
