import { type ImportFormat, tlpOfRank } from '@iodine/contracts'
import type { ImportedCounterpart } from '@iodine/exchange'
import type { Types } from 'mongoose'
import { bytesOf } from '../../bytes.js'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { isOlder } from '../../versions.js'
import { BY_FILE, type ForeignDoc, type ForeignModel } from '../models/foreign.js'

/** Objects per read. */
const BATCH = 200
/** Ids per query. */
const IDS = 5_000

/** Imported objects of a format in a campaign, for its file. */
export interface ForeignPart {
  format: ImportFormat
  /** Imports whose objects count; all if absent. */
  imports?: readonly Types.ObjectId[] | undefined
  /** The object that stands for an IOD, by the IOD's id: its latest version. */
  standIns: Map<string, ImportedCounterpart>
  /** Types of the objects in the file; all if absent. */
  types?: readonly string[]
  /** Keys of objects that stand for IODs outside the campaign. The file omits them and what connects them. */
  withheld: string[]
}

const selectedBy = ({ format, imports }: Pick<ForeignPart, 'format' | 'imports'>) => ({
  format,
  ...(imports && { import_id: { $in: imports } }),
})

/** Reads the imported objects of a format in a campaign; both collections are empty without any. */
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

/** Restricts a part to objects of some types. The file omits other objects and those that connect them. */
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

/** Returns the filter of the objects that a file omits. */
const leftOut = (withheld: readonly string[]) => ({
  $or: [{ key: { $in: withheld } }, { refs: { $in: withheld } }],
})

/** Counts the objects that a file omits. */
export const countWithheld = async (
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  { withheld, ...part }: ForeignPart,
): Promise<number> => {
  const found = new Set<string>()
  // `withheld` cannot contain objects without an id.
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

/** Returns which of the objects the campaign has imported, as `id version`. */
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
 * Yields a campaign's imported objects of a format with some fields, file by file, without omitted ones. Of objects with
 * equal bytes it yields the first.
 */
export async function* foreignObjects<Field extends keyof ForeignDoc>(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  format: ImportFormat,
  { withheld, types }: Pick<ForeignPart, 'withheld' | 'types'>,
  fields: readonly Field[],
): AsyncGenerator<Pick<ForeignDoc, '_id' | 'key' | Field>> {
  const hidden = new Set(withheld)
  const docs = foreign
    .find({ campaign_id, format, ...(types && { type: { $in: types } }) })
    .select(['key', 'refs', 'sha256', ...fields])
    .sort(BY_FILE)
    .lean<ForeignDoc[]>()
    .cursor({ batchSize: BATCH })
  const given = new Set<string>()
  for await (const doc of docs as unknown as AsyncIterable<ForeignDoc>) {
    const { key, refs, sha256 } = doc
    if (given.has(sha256) || hidden.has(key) || refs?.some(ref => hidden.has(ref))) continue
    given.add(sha256)
    yield doc
  }
}

/** Yields the unchanged bytes of `foreignObjects`. */
export async function* foreignBytes(
  foreign: ForeignModel,
  campaign_id: Types.ObjectId,
  format: ImportFormat,
  part: ForeignPart,
): AsyncGenerator<Buffer> {
  for await (const { raw } of foreignObjects(foreign, campaign_id, format, part, ['raw'])) yield bytesOf(raw)
}
