import { createHash } from 'node:crypto'
import { highestTlp, type ImportFormat, rankOfTlp, tlpOfRank } from '@iodine/contracts'
import { UnreadableFile } from '@iodine/exchange'
import { HttpError } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { ForeignDoc } from '../models/foreign.js'
import { FIRST_MS, type ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import type { SubscriptionDoc } from '../models/subscription.js'
import { isOlder } from '../queries/versions.js'
import { ended, pullLost, running } from './claim-pull.js'
import { type Examined, examine, MARKINGS_MAX, partsOf, storeParts } from './receive-import.js'

/** Keys in a query. */
const KEYS = 2_000
const FORMATS = { taxii: 'stix', misp: 'stix' } as const satisfies Record<
  SubscriptionDoc['kind'],
  ImportFormat
>

/** The places of those objects of a file that the subscription does not have in this or a later version. */
const selectNew = async (
  { foreign }: CampaignModels,
  { campaign_id, import_id }: SubscriptionDoc,
  { spans, objects }: Examined,
  bytes: Uint8Array,
): Promise<number[]> => {
  const hashes = spans.map(([start, end]) =>
    createHash('sha256').update(bytes.subarray(start, end)).digest('hex'),
  )
  const known = new Map<string, { sha256: string; version: string }[]>()
  const keys = [...new Set(objects.map(({ key }) => key))].filter(Boolean)
  for (let at = 0; import_id && at < keys.length; at += KEYS) {
    const some = await foreign
      .find(
        { campaign_id, import_id, key: { $in: keys.slice(at, at + KEYS) } },
        { key: 1, version: 1, sha256: 1 },
      )
      .lean<Pick<ForeignDoc, 'key' | 'version' | 'sha256'>[]>()
    for (const { key, ...each } of some) known.set(key, [...(known.get(key) ?? []), each])
  }
  const seen = new Set<string>()
  return objects.flatMap(({ key, version }, n) => {
    const sha256 = hashes[n] as string
    if (seen.has(sha256)) return []
    seen.add(sha256)
    const has = known.get(key)?.some(each => each.sha256 === sha256 || isOlder(version, each.version))
    return has ? [] : [n]
  })
}

/** Has what a subscription keeps count as another administrator's, who has let it go on. */
const handOver = async ({ imports, quotas }: CampaignModels, doc: ImportDoc, user_id: Types.ObjectId) => {
  const { _id, user_id: before, bytes } = doc
  await quotas.change(user_id, { import_bytes: bytes }, async session => {
    const { matchedCount } = await imports.updateOne(
      { _id, user_id: before },
      { $set: { user_id } },
      { session },
    )
    if (matchedCount === 0) throw pullLost()
  })
  await quotas.settle((_, take) => take(before, { import_bytes: -bytes }))
}

/**
 * Takes in what a staged run has fetched, and leaves what is new in it to be planned and applied. The subscription's cursor
 * moves together with the last object. A run with nothing new is over at once.
 * @returns the number of new objects
 * @throws 409 once the run is over or another worker's, 413 past the quota of who made it, 422 for a file that is none
 */
export const storePull = async (
  models: CampaignModels,
  id: string,
  token: string,
  bytes: Uint8Array,
): Promise<number> => {
  const { subscriptions, imports, importParts, quotas } = models
  const doc = await subscriptions.findOne(running(id, token)).select('+next_cursor').lean<SubscriptionDoc>()
  if (!doc || doc.next_cursor === null || !doc.user_id) throw pullLost()
  const { user_id, campaign_id } = doc
  const examined =
    bytes.length === 0
      ? { spans: [], objects: [], markings: new Map() }
      : await examine(bytes).catch(error => {
          throw error instanceof UnreadableFile ? new HttpError(422, [error.message]) : error
        })
  const before =
    doc.import_id &&
    (await imports.findOne({ _id: doc.import_id, state: 'done' }).select('+markings').lean<ImportDoc>())
  const since = { ...doc, import_id: before ? before._id : null }
  const places = await selectNew(models, since, examined, bytes)
  if (places.length === 0) {
    const over = await subscriptions.updateOne(running(id, token), {
      $set: { ...ended(doc, {}), cursor: doc.next_cursor },
    })
    if (over.matchedCount === 0) throw pullLost()
    return 0
  }

  const batch = new Types.ObjectId()
  // Before anything is stored, so that the next run removes what a crash leaves.
  const noted = await subscriptions.updateOne(running(id, token), { $set: { pending: batch } })
  if (noted.matchedCount === 0) throw pullLost()
  try {
    const first = before?.next_order ?? 0
    const spans = places.map(n => examined.spans[n] as [number, number])
    const size = spans.reduce((sum, [start, end]) => sum + end - start, 0)
    const parts = partsOf(spans)
    await storeParts(importParts, batch, parts, bytes, first)
    // Objects refer to markings that came with earlier runs. Of two definitions the strictest counts.
    const markings = new Map(before?.markings.map(each => [each.id, tlpOfRank(each.tlp)]))
    for (const [key, level] of examined.markings)
      if (markings.size < MARKINGS_MAX || markings.has(key))
        markings.set(key, highestTlp([markings.get(key), level]))
    const created_at = new Date()
    const fresh = {
      user_id,
      state: 'planning',
      problem: null,
      batch,
      parts: parts.length,
      cursor: 0,
      objects: places.length,
      done: 0,
      iods: 0,
      known_iods: 0,
      refused: 0,
      next_order: first + places.length,
      markings: [...markings].map(([key, level]) => ({ id: key, tlp: level && rankOfTlp(level) })),
      expires_at: null,
      check_at: new Date(created_at.getTime() + FIRST_MS),
    } as const
    const _id = before?._id ?? new Types.ObjectId()
    if (before && !before.user_id?.equals(user_id)) await handOver(models, before, user_id)
    await quotas.change(user_id, { import_bytes: size }, async session => {
      const started = await subscriptions.updateOne(
        running(id, token),
        { $set: { state: 'importing', lease: null, import_id: _id, pending: null } },
        { session },
      )
      if (started.matchedCount === 0) throw pullLost()
      if (before) {
        const { matchedCount } = await imports.updateOne(
          { _id, state: 'done' },
          { $set: fresh, $inc: { bytes: size } },
          { session },
        )
        if (matchedCount === 0) throw pullLost()
      } else {
        const made: ImportDoc = {
          _id,
          campaign_id,
          subscription_id: doc._id,
          format: FORMATS[doc.kind],
          // Of no one file.
          sha256: '',
          makes_iods: true,
          kept: null,
          tlp: null,
          created_at,
          bytes: size,
          ...fresh,
        }
        await imports.create([made], { session })
      }
    })
  } catch (error) {
    await importParts.deleteMany({ import_id: batch }).catch(() => {})
    throw error
  }
  return places.length
}
