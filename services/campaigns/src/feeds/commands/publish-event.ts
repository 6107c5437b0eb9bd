import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LIMITS, rankOfTlp, type Tlp } from '@iodine/contracts'
import {
  describeEvent,
  hashedValues,
  type MispEvent,
  type MispFeedEvent,
  manifestOf,
  nextFeedEvent,
} from '@iodine/exchange'
import { ignoreDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { FeedEventDoc } from '../models/feed-event.js'
import type { PublicationDoc } from '../models/publication.js'
import { readEventFile } from '../queries/feed-events.js'
import { type PublishableEvent, sha256Of } from '../queries/publishable.js'
import { Superseded } from './publish-batch.js'

const PART_BYTES = 1_048_576
const md5Of = (value: string) => createHash('md5').update(value).digest()

const partsOf = (file: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(file.length / PART_BYTES) }, (_, n) =>
    file.subarray(n * PART_BYTES, (n + 1) * PART_BYTES),
  )

const readPublished = async (store: Store, doc: FeedEventDoc | null) => {
  if (!doc) return null
  const pieces: Buffer[] = []
  for await (const piece of readEventFile(store, doc)) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString()) as MispFeedEvent
}

type Publication = Pick<PublicationDoc, '_id' | 'run' | 'wanted' | 'user_id'>

/** Writes an event's file, or removes it from the feed. */
const replaceFile = async (
  { feedEvents, feedEventParts, publications, quotas }: Store,
  { _id: campaign_id, run, wanted, user_id }: Publication,
  doc: Pick<FeedEventDoc, '_id' | 'bytes'> & Partial<FeedEventDoc>,
  next: (Omit<FeedEventDoc, '_id' | 'campaign_id' | 'sha256' | 'bytes'> & { file: Buffer }) | null,
): Promise<void> => {
  const { _id } = doc
  const { file = Buffer.alloc(0), ...fields } = next ?? {}
  const sha256 = sha256Of(file)
  if (next && doc.sha256 !== sha256)
    for (const [n, raw] of partsOf(file).entries()) {
      const part = { _id: new Types.ObjectId(), campaign_id, sha256, n, raw }
      // A duplicate is of a killed step and has the same bytes.
      await feedEventParts.create(part).catch(ignoreDuplicateKey)
    }
  const bytes = file.length - doc.bytes
  await quotas.settle(async (session, take) => {
    const claimed = { _id: campaign_id, run, wanted, user_id }
    const held = await publications.updateOne(claimed, { $inc: { bytes } }, { session })
    if (held.matchedCount === 0) throw new Superseded()
    const $set = { ...fields, campaign_id, sha256, bytes: file.length }
    if (next) await feedEvents.updateOne({ _id }, { $set }, { upsert: true, session })
    else await feedEvents.deleteOne({ _id }, { session })
    await take(user_id, { published_bytes: bytes })
  })
  // Readers of the previous file miss its parts and receive 503.
  if (doc.sha256 && doc.sha256 !== sha256)
    await feedEventParts.deleteMany({ campaign_id, sha256: doc.sha256 })
}

/**
 * Updates a campaign's event in the MISP feed. Omits a file above the maximum size of imports.
 * @param next null for a withdrawn campaign, whose attributes are marked as deleted
 * @throws Superseded, 413 past the user's quota
 */
export const publishEvent = async (
  store: Store,
  publication: Publication,
  next: { event: MispEvent; tlp: Tlp } | null,
): Promise<void> => {
  const { feedEvents } = store
  const { _id } = publication
  const doc = await feedEvents.findById(_id).lean<FeedEventDoc>()
  const before = await readPublished(store, doc)
  const event = nextFeedEvent(next?.event.Event ?? null, before, Math.floor(Date.now() / 1_000))
  if (!event) return
  const file = Buffer.from(JSON.stringify(event))
  const tlp = next ? rankOfTlp(next.tlp) : (doc?.tlp ?? 0)
  if (doc?.sha256 === sha256Of(file) && doc.tlp === tlp) return
  const isTooLarge = file.length > LIMITS.importBytes
  if (isTooLarge && !doc) return
  const fields = {
    own: true,
    uuid: event.Event.uuid,
    source: '',
    timestamp: Number(event.Event.timestamp),
    tlp,
    manifest: JSON.stringify(manifestOf(event)),
    hashes: Buffer.concat(hashedValues(event).map(md5Of)),
    file,
  }
  await replaceFile(store, publication, doc ?? { _id, bytes: 0 }, isTooLarge ? null : fields)
}

const fileOf = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer | null> => {
  const all: Uint8Array[] = [Buffer.from('{"Event":')]
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > LIMITS.importBytes) return null
    all.push(piece)
  }
  return Buffer.concat([...all, Buffer.from('}')])
}

/**
 * Updates a campaign's imported events in the MISP feed: their unchanged bytes with the campaign's content. A changed
 * event has a later timestamp, as pullers compare only that. Removes events that the campaign lacks. Omits files above
 * the maximum size of imports.
 * @param end time to stop for other publications, in milliseconds
 * @returns whether all events are updated
 * @throws Superseded, 413 past the user's quota
 */
export const publishKeptEvents = async (
  store: Store,
  publication: Publication,
  events: readonly PublishableEvent[],
  end: number,
): Promise<boolean> => {
  const { feedEvents } = store
  const docs = await feedEvents
    .find({ campaign_id: publication._id, own: false }, { hashes: 0 })
    .lean<FeedEventDoc[]>()
  const left = new Map(docs.map(doc => [doc.uuid, doc]))
  for (const { uuid, tlp, write } of events) {
    const doc = left.get(uuid)
    let file = await fileOf(write())
    if (!file) continue
    left.delete(uuid)
    const source = sha256Of(file)
    if (doc?.source === source && doc.tlp === tlp) continue
    let description = describeEvent((JSON.parse(file.toString()) as { Event?: unknown }).Event)
    const least = doc ? doc.timestamp + (doc.source === source ? 0 : 1) : 0
    if (Number(description.manifest.timestamp) < least) {
      file = (await fileOf(write(least))) ?? file
      description = describeEvent((JSON.parse(file.toString()) as { Event?: unknown }).Event)
    }
    await replaceFile(store, publication, doc ?? { _id: new Types.ObjectId(), bytes: 0 }, {
      own: false,
      uuid,
      source,
      timestamp: Number(description.manifest.timestamp) || 0,
      tlp,
      manifest: JSON.stringify(description.manifest),
      hashes: Buffer.concat(description.values.map(md5Of)),
      file,
    })
    if (Date.now() > end) return false
    await setImmediate()
  }
  for (const doc of left.values()) await replaceFile(store, publication, doc, null)
  // Parts that killed steps have left.
  const sha256 = { $nin: await feedEvents.distinct('sha256', { campaign_id: publication._id }) }
  await store.feedEventParts.deleteMany({ campaign_id: publication._id, sha256 })
  return true
}
