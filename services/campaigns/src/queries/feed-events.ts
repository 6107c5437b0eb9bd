import { rankOfTlp, type Tlp } from '@iodine/contracts'
import { notFound, unavailable } from '@iodine/service-kit'
import type { FeedEventDoc, FeedEventPartDoc } from '../models/feed-event.js'
import type { CampaignModels } from '../models/index.js'
import { bytesOf } from './bytes.js'
import { findRaised } from './feeds.js'
import { sha256Of } from './publishable.js'

type Models = Pick<CampaignModels, 'feedEvents' | 'feedEventParts' | 'publications'>

/** An event's file, part by part. Throws 503 if it was replaced meanwhile. */
export async function* readEventFile(
  { feedEventParts }: Models,
  { _id, sha256, bytes }: FeedEventDoc,
): AsyncGenerator<Buffer> {
  let read = 0
  for (let n = 0; read < bytes; n++) {
    const part = await feedEventParts.findOne({ campaign_id: _id, sha256, n }).lean<FeedEventPartDoc>()
    if (!part) throw unavailable()
    const raw = bytesOf(part.raw)
    read += raw.length
    yield raw
  }
}

/** Selects the events that may be read up to a level. */
const selected = async ({ publications }: Models, tlp: Tlp) => ({
  tlp: { $lte: rankOfTlp(tlp) },
  _id: { $nin: await findRaised(publications, tlp) },
})

/** An event that may be read up to a level. Throws 404. */
export const findEvent = async (models: Models, uuid: string, tlp: Tlp): Promise<FeedEventDoc> => {
  const doc = await models.feedEvents
    .findOne({ uuid: uuid.toLowerCase(), ...(await selected(models, tlp)) }, { hashes: 0 })
    .lean<FeedEventDoc>()
  if (!doc) throw notFound()
  return doc
}

/** The manifest of all events up to a level: the same bytes until one of them changes. */
export const readManifest = async (models: Models, tlp: Tlp): Promise<Buffer> => {
  const docs = await models.feedEvents
    .find(await selected(models, tlp), { uuid: 1, manifest: 1 })
    .sort({ _id: 1 })
    .lean<Pick<FeedEventDoc, 'uuid' | 'manifest'>[]>()
  return Buffer.from(`{${docs.map(({ uuid, manifest }) => `"${uuid}":${manifest}`).join(',')}}`)
}

/** Tells whether the hashes up to a level are the same as before. */
export const hashesTag = async (models: Models, tlp: Tlp): Promise<string> => {
  const docs = await models.feedEvents
    .find(await selected(models, tlp), { sha256: 1 })
    .sort({ _id: 1 })
    .lean<Pick<FeedEventDoc, 'sha256'>[]>()
  return sha256Of(docs.map(({ sha256 }) => sha256).join())
}

/** MISP's list for quick look-ups: a line `MD5 of a value,UUID of its event` each. */
export async function* readHashes(models: Models, tlp: Tlp): AsyncGenerator<string> {
  const docs = models.feedEvents
    .find(await selected(models, tlp), { uuid: 1, hashes: 1 })
    .sort({ _id: 1 })
    .lean<FeedEventDoc[]>()
    .cursor({ batchSize: 20 })
  for await (const { uuid, hashes } of docs as unknown as AsyncIterable<FeedEventDoc>) {
    const hex = bytesOf(hashes).toString('hex')
    let lines = ''
    for (let at = 0; at < hex.length; at += 32) lines += `${hex.slice(at, at + 32)},${uuid}\n`
    yield lines
  }
}
