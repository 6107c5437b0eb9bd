import { isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { COUNTED_OWNERS, type CountDoc } from '../models/count.js'
import type { SightingModels } from '../models/index.js'

/** Who began to take one has this long until another begins. */
const TAKING_MS = 30 * 60_000
const BATCH = 1_000
/** Fewer with the one who asks are never told. */
const OWNERS_MIN = 3

const FIELDS = { post: 'post_key', text: 'exact', link: 'links' } as const
export type CountedKind = keyof typeof FIELDS
export const countKey = (kind: CountedKind, name: string): string => `${kind} ${name}`

interface Group {
  _id: string | null
  owners: Types.ObjectId[]
  first: Date
}

/** Claims the day's snapshot; false if it is taken, or being taken. */
const claim = async ({ snapshots }: SightingModels, day: string): Promise<boolean> => {
  const now = new Date()
  if ((await snapshots.findById('counts').lean())?.day === day) return false
  try {
    const { matchedCount, upsertedCount } = await snapshots.updateOne(
      { _id: 'counts', day: { $ne: day }, taking_until: { $lt: now } },
      { $set: { taking_until: new Date(now.getTime() + TAKING_MS) } },
      { upsert: true },
    )
    return matchedCount + upsertedCount > 0
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return false
  }
}

/**
 * Counts once a day (UTC) what the users who agreed to be counted have in common. Answers come from that until the next
 * day, so that no two of them tell what changed between. Resolves to the number of snapshots taken.
 */
export const takeSnapshot = async (models: SightingModels, day: string): Promise<number> => {
  const { sightings, counting, counts, snapshots } = models
  if (!(await claim(models, day))) return 0
  const run = new Types.ObjectId()
  const members = (await counting.find({}, { _id: 1 }).lean()).map(({ _id }) => _id)
  if (members.length > OWNERS_MIN)
    for (const [kind, field] of Object.entries(FIELDS) as [CountedKind, string][]) {
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
        if (rows.length > 0) await counts.collection.insertMany(rows)
        rows = []
      }
      for await (const { _id, owners, first } of groups as AsyncIterable<Group>) {
        rows.push({
          _id: new Types.ObjectId(),
          run,
          key: countKey(kind, _id ?? ''),
          n: owners.length,
          owners: owners.slice(0, COUNTED_OWNERS),
          first_month: first.toISOString().slice(0, 7),
        })
        if (rows.length === BATCH) await write()
      }
      await write()
    }
  // Another one may have taken it if this took very long: the first one stays for the day.
  await snapshots.updateOne({ _id: 'counts', day: { $ne: day } }, { $set: { day, run } })
  const kept = await snapshots.findById('counts').lean()
  if (kept?.run) await counts.deleteMany({ run: { $ne: kept.run } })
  return 1
}
