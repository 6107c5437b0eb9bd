import { rankOfTlp, type Tlp } from '@iodine/contracts'
import { notFound, unavailable } from '@iodine/service-kit'
import { bytesOf } from '../../bytes.js'
import type { CampaignModels } from '../../models.js'
import { BY_PUBLICATION, type FeedEventDoc, type FeedEventPartDoc } from '../models/feed-event.js'
import { findRaised } from './feeds.js'
import { sha256Of } from './publishable.js'

/** Events per read of hashes. */
const HASHES = 20

type Models = Pick<CampaignModels, 'feedEvents' | 'feedEventParts' | 'publications'>

/** Yields an event's file, part by part. Throws 503 if it was replaced meanwhile. */
export async function* readEventFile(
  { feedEventParts }: Models,
  { campaign_id, sha256, bytes }: FeedEventDoc,
): AsyncGenerator<Buffer> {
  let read = 0
  for (let n = 0; read < bytes; n++) {
    const part = await feedEventParts.findOne({ campaign_id, sha256, n }).lean<FeedEventPartDoc>()
    if (!part) throw unavailable()
    const raw = bytesOf(part.raw)
    read += raw.length
    yield raw
  }
}

/** Returns the filter of the events that may be read up to a level. */
const selected = async ({ publications }: Models, tlp: Tlp) => ({
  tlp: { $lte: rankOfTlp(tlp) },
  campaign_id: { $nin: await findRaised(publications, tlp) },
})

/** Returns an event that may be read up to a level. Throws 404. */
export const findEvent = async (models: Models, uuid: string, tlp: Tlp): Promise<FeedEventDoc> => {
  const doc = await models.feedEvents
    .findOne({ uuid: uuid.toLowerCase(), ...(await selected(models, tlp)) }, { hashes: 0 })
    .sort(BY_PUBLICATION)
    .lean<FeedEventDoc>()
  if (!doc) throw notFound()
  return doc
}

/** Returns the events that may be read up to a level, one per UUID. */
const findListed = async <Field extends keyof FeedEventDoc>(
  models: Models,
  tlp: Tlp,
  ...fields: Field[]
): Promise<Pick<FeedEventDoc, '_id' | 'uuid' | Field>[]> => {
  const docs = await models.feedEvents
    .find(await selected(models, tlp), Object.fromEntries(['uuid', ...fields].map(field => [field, 1])))
    .sort(BY_PUBLICATION)
    .lean<FeedEventDoc[]>()
  const first = new Map<string, FeedEventDoc>()
  for (const doc of docs) if (!first.has(doc.uuid)) first.set(doc.uuid, doc)
  return [...first.values()]
}

/** Returns the manifest of all events up to a level: the same bytes until one of them changes. */
export const readManifest = async (models: Models, tlp: Tlp): Promise<Buffer> => {
  const docs = await findListed(models, tlp, 'manifest')
  return Buffer.from(`{${docs.map(({ uuid, manifest }) => `"${uuid}":${manifest}`).join(',')}}`)
}

/** Returns an entity tag of the hashes up to a level. */
export const hashesTag = async (models: Models, tlp: Tlp): Promise<string> => {
  const docs = await findListed(models, tlp, 'sha256')
  return sha256Of(docs.map(({ sha256 }) => sha256).join())
}

/** Yields MISP's list for fast lookups, in lines `MD5 of a value,UUID of its event`. */
export async function* readHashes(models: Models, tlp: Tlp): AsyncGenerator<string> {
  const ids = (await findListed(models, tlp)).map(({ _id }) => _id)
  for (let at = 0; at < ids.length; at += HASHES) {
    const docs = await models.feedEvents
      .find({ _id: { $in: ids.slice(at, at + HASHES) } }, { uuid: 1, hashes: 1 })
      .sort(BY_PUBLICATION)
      .lean<Pick<FeedEventDoc, 'uuid' | 'hashes'>[]>()
    for (const { uuid, hashes } of docs) {
      const hex = bytesOf(hashes).toString('hex')
      let lines = ''
      for (let n = 0; n < hex.length; n += 32) lines += `${hex.slice(n, n + 32)},${uuid}\n`
      yield lines
    }
  }
}
