import { createHash } from 'node:crypto'
import { LIMITS, rankOfTlp, type Tlp } from '@iodine/contracts'
import { hashedValues, type MispEvent, type MispFeedEvent, manifestOf, nextFeedEvent } from '@iodine/exchange'
import { isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { FeedEventDoc } from '../models/feed-event.js'
import type { CampaignModels } from '../models/index.js'
import type { PublicationDoc } from '../models/publication.js'
import { readEventFile } from '../queries/feed-events.js'
import { sha256Of } from '../queries/publishable.js'
import { Superseded } from './publish-batch.js'

const PART = 1_048_576
const md5Of = (value: string) => createHash('md5').update(value).digest()

const partsOf = (file: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(file.length / PART) }, (_, n) => file.subarray(n * PART, (n + 1) * PART))

const readBefore = async (models: CampaignModels, doc: FeedEventDoc | null) => {
  if (!doc) return null
  const pieces: Buffer[] = []
  for await (const piece of readEventFile(models, doc)) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString()) as MispFeedEvent
}

/**
 * Brings a campaign's event in the feed of MISP in line. A file that is larger than imports may be is left out.
 * @param next null: the campaign is withdrawn; its attributes are marked as deleted
 * @throws Superseded, 413 past the user's quota
 */
export const publishEvent = async (
  models: CampaignModels,
  { _id, run, wanted, user_id }: PublicationDoc,
  next: { event: MispEvent; tlp: Tlp } | null,
): Promise<void> => {
  const { feedEvents, feedEventParts, publications, quotas } = models
  const doc = await feedEvents.findById(_id).lean<FeedEventDoc>()
  const before = await readBefore(models, doc)
  const event = nextFeedEvent(next?.event.Event ?? null, before, Math.floor(Date.now() / 1_000))
  if (!event) return
  const file = Buffer.from(JSON.stringify(event))
  const sha256 = sha256Of(file)
  const tlp = next ? rankOfTlp(next.tlp) : (doc?.tlp ?? 0)
  if (doc?.sha256 === sha256 && doc.tlp === tlp) return
  const isTooLarge = file.length > LIMITS.importBytes
  if (!isTooLarge && doc?.sha256 !== sha256) {
    const parts = partsOf(file).map((raw, n) => ({
      _id: new Types.ObjectId(),
      campaign_id: _id,
      sha256,
      n,
      raw,
    }))
    for (const part of parts)
      await feedEventParts.create(part).catch(error => {
        // Of a step that was killed: the same bytes.
        if (!isDuplicateKey(error)) throw error
      })
  }
  const bytes = (isTooLarge ? 0 : file.length) - (doc?.bytes ?? 0)
  await quotas.settle(async (session, take) => {
    const mine = { _id, run, wanted, user_id }
    const held = await publications.updateOne(mine, { $inc: { bytes } }, { session })
    if (held.matchedCount === 0) throw new Superseded()
    const $set = {
      uuid: event.Event.uuid,
      tlp,
      sha256,
      bytes: file.length,
      manifest: JSON.stringify(manifestOf(event)),
      hashes: Buffer.concat(hashedValues(event).map(md5Of)),
    }
    if (isTooLarge) await feedEvents.deleteOne({ _id }, { session })
    else await feedEvents.updateOne({ _id }, { $set }, { upsert: true, session })
    await take(user_id, { published_bytes: bytes })
  })
  // Readers of the file before find its parts no more, and begin again.
  await feedEventParts.deleteMany({ campaign_id: _id, ...(isTooLarge ? {} : { sha256: { $ne: sha256 } }) })
}
