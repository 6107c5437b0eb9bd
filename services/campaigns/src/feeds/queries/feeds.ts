import { LIMITS, rankOfTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import { ALL_COLLECTION } from '@iodine/exchange'
import { notFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CampaignModels } from '../../models.js'
import { BY_ADDED, type PublicationDoc, type PublicationModel } from '../models/publication.js'
import { afterSelection, cursorOf, type FeedRow, type Selection } from './feed-selection.js'

/** Maximum listed collections. */
const COLLECTIONS = 10_000
/** Rows per read. */
const BATCH = 250
const WITHDRAWN = 'Withdrawn campaign'

/** A collection as TAXII describes it. */
export interface Collection {
  id: string
  title: string
  description: string
  alias: string
  /** Undefined for the collection of all campaigns. */
  campaign_id: Types.ObjectId | undefined
}

const ALL: Collection = {
  id: ALL_COLLECTION,
  title: 'All campaigns',
  description: 'The objects of all published campaigns, each once',
  alias: 'all',
  campaign_id: undefined,
}

const collectionOf = ({ _id, collection_id, title, wanted }: PublicationDoc): Collection => ({
  id: collection_id,
  title: title || WITHDRAWN,
  description: wanted ? 'A campaign' : 'The published objects of a campaign, now revoked',
  alias: _id.toHexString(),
  campaign_id: _id,
})

/** Returns the stored values of the levels up to one. */
const upTo = (tlp: Tlp): number[] => TLP_LEVELS.map(rankOfTlp).filter(rank => rank <= rankOfTlp(tlp))

/** Returns the collections that may be read up to a level: that of all campaigns, then the newest first. */
export const listCollections = async (
  { publications }: Pick<CampaignModels, 'publications'>,
  tlp: Tlp,
): Promise<Collection[]> => {
  const docs = await publications
    .find({ tlp: { $in: upTo(tlp) }, rows: { $gt: 0 } })
    .sort({ _id: -1 })
    .limit(COLLECTIONS)
    .lean<PublicationDoc[]>()
  return [ALL, ...docs.map(collectionOf)]
}

/** Returns a collection by its id or alias. Throws 404 for an unknown one, or one that may not be read. */
export const findCollection = async (
  { publications }: Pick<CampaignModels, 'publications'>,
  given: string,
  tlp: Tlp,
): Promise<Collection> => {
  const name = given.toLowerCase()
  if (name === ALL.id || name === ALL.alias) return ALL
  const which = /^[0-9a-f]{24}$/.test(name) ? { _id: name } : { collection_id: name }
  const doc = await publications.findOne(which).lean<PublicationDoc>()
  if (!doc || doc.tlp > rankOfTlp(tlp)) throw notFound()
  return collectionOf(doc)
}

/**
 * Returns the campaigns whose level was raised above `tlp` and is not published yet: their published objects still have
 * the previous level.
 */
export const findRaised = (publications: PublicationModel, tlp: Tlp): Promise<Types.ObjectId[]> =>
  publications.distinct('_id', { state: 'due', tlp: { $gt: rankOfTlp(tlp) } })

/** A page of a collection. */
export interface FeedPage {
  rows: FeedRow[]
  /** Cursor of the next page; undefined on the last one. */
  next: string | undefined
}

/**
 * Returns a page of a collection in the order of publication, up to a level.
 * @param fields fields to read; with `raw` the page is bounded by bytes, too
 */
export const readPage = async (
  { publications, published }: Pick<CampaignModels, 'publications' | 'published'>,
  { campaign_id }: Collection,
  tlp: Tlp,
  selection: Selection,
  fields: readonly (keyof FeedRow)[],
): Promise<FeedPage> => {
  const { limit, match, versions } = selection
  const raised = campaign_id ? [] : await findRaised(publications, tlp)
  const cursor = published
    .find(
      {
        ...(campaign_id ? { campaign_id } : { twin: false }),
        ...(raised.length > 0 && { campaign_id: { $nin: raised } }),
        last: versions ? { $in: [true, false] } : true,
        tlp: { $in: upTo(tlp) },
        ...afterSelection(selection),
        ...match,
      },
      Object.fromEntries([...fields, 'added', 'bytes'].map(field => [field, 1])),
    )
    .sort(BY_ADDED)
    .limit(limit + 1)
    .lean<FeedRow[]>()
    .cursor({ batchSize: Math.min(BATCH, limit + 1) })
  const rows: FeedRow[] = []
  let bytes = 0
  let isMore = false
  for await (const row of cursor as unknown as AsyncIterable<FeedRow>) {
    if (fields.includes('raw')) bytes += row.bytes
    isMore = rows.length === limit || (rows.length > 0 && bytes > LIMITS.feedPageBytes)
    if (isMore) break
    rows.push(row)
  }
  const last = rows.at(-1)
  return { rows, next: isMore && last ? cursorOf(last) : undefined }
}
