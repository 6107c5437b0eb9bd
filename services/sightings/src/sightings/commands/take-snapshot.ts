import type { KindSpec } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { z } from 'zod'
import type { SightingModels } from '../../models.js'
import { COUNT_OWNERS_MAX, type CountDoc, type CountKind, countKey } from '../models/count.js'

const BATCH = 1_000
/** Counts below this threshold are suppressed (k-anonymity). They include the requesting user. */
const OWNERS_MIN = 3

const FIELDS = { post: 'post_key', text: 'exact', link: 'links' } as const satisfies Record<CountKind, string>

interface Group {
  _id: string | null
  owners: Types.ObjectId[]
  first: Date
}

const today = () => new Date().toISOString().slice(0, 10)

/** Whether the snapshot of the current day (UTC) is missing. */
export const isSnapshotDue = async ({ snapshots }: SightingModels): Promise<boolean> =>
  ((await snapshots.findById('counts').lean())?.day ?? '') < today()

const readMembers = async ({ counting }: SightingModels): Promise<Types.ObjectId[]> =>
  (await counting.find({}, { _id: 1 }).lean()).map(({ _id }) => _id)

/**
 * Counts the posts, texts and links that the users who agreed to be counted have in common. Responses use the snapshot
 * until the next day, so that two responses reveal no change between them.
 */
const takeSnapshot = async (models: SightingModels, signal: AbortSignal): Promise<void> => {
  const { sightings, counts, snapshots } = models
  if (!(await isSnapshotDue(models))) return
  const day = today()
  const run = new Types.ObjectId()
  const before = await snapshots
    .findOneAndUpdate(
      { _id: 'counts' },
      { $set: { next: run }, $setOnInsert: { day: '' } },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean()
  // Removes the rows of incomplete snapshots.
  await counts.deleteMany({ run: { $ne: before.run ?? null } })
  const members = await readMembers(models)
  if (members.length > OWNERS_MIN)
    for (const [kind, field] of Object.entries(FIELDS) as [CountKind, string][]) {
      const groups = sightings
        .aggregate<Group>([
          { $match: { owner: { $in: members } } },
          { $project: { owner: 1, at: 1, [field]: 1 } },
          ...(kind === 'link' ? [{ $unwind: '$links' }] : []),
          { $group: { _id: `$${field}`, owners: { $addToSet: '$owner' }, first: { $min: '$at' } } },
          { $match: { [`owners.${OWNERS_MIN - 1}`]: { $exists: true }, _id: { $ne: null } } },
        ])
        .allowDiskUse(true)
        .cursor({ batchSize: BATCH })
      let rows: CountDoc[] = []
      const write = async () => {
        signal.throwIfAborted()
        if (rows.length > 0) await counts.insertMany(rows, { lean: true })
        rows = []
      }
      for await (const { _id, owners, first } of groups as AsyncIterable<Group>) {
        rows.push({
          _id: new Types.ObjectId(),
          run,
          key: countKey(kind, _id ?? ''),
          n: owners.length,
          owners: owners.slice(0, COUNT_OWNERS_MAX),
          first_month: first.toISOString().slice(0, 7),
        })
        if (rows.length === BATCH) await write()
      }
      await write()
    }
  // An account may have been deleted before the insert of rows that contain its id.
  const remaining = new Set((await readMembers(models)).map(String))
  const gone = members.filter(member => !remaining.has(member.toHexString()))
  await counts.updateMany({ run, owners: { $in: gone } }, { $pull: { owners: { $in: gone } } })
  const { matchedCount } = await snapshots.updateOne(
    { _id: 'counts', next: run, day: { $lt: day } },
    { $set: { day, run }, $unset: { next: 1 } },
  )
  await counts.deleteMany({ run: matchedCount > 0 ? { $ne: run } : run })
}

/** Outbox handler: takes the day's snapshot, once for all processes. */
export const snapshotWork = (models: SightingModels): KindSpec<Record<string, never>> => ({
  payload: z.strictObject({}),
  keyOf: () => 'snapshot',
  isHeavy: true,
  handle: (_, { signal }) => takeSnapshot(models, signal),
})
