import type { Category, iodsInternal, ResponseOf, SourceType } from '@iodine/contracts'
import type { Connection } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import type { IodModel } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'

/** Maximum listed IODs with new votes. */
const VOTED_MAX = 1_000
/** Age from which all votes are stored: more than a write takes, and clocks of database servers differ. */
const WATERMARK_LAG_MS = 10_000

export const votesWhere = (...conditions: object[]) => ({
  $size: { $filter: { input: '$votes', cond: { $and: conditions } } },
})
export const after = (time: Date) => ({ $gt: ['$$this.created_at', time] })
export const upTo = (time: Date) => ({ $lte: ['$$this.created_at', time] })

/** Returns the watermark of votes: all votes up to it are stored. By the database's clock, in milliseconds. */
export const voteWatermark = async (mongo: Connection): Promise<number> =>
  (await databaseTime(mongo)) - WATERMARK_LAG_MS

/** Counts IODs by kind, and their votes until a time and after it. Unknown ids are omitted. */
export const countMembers = async (
  model: IodModel,
  ids: readonly string[],
  until: Date,
): Promise<ResponseOf<typeof iodsInternal.countIods>> => {
  const groups = await model.aggregate<{
    _id: { category: Category; source_type: SourceType }
    n: number
    votes: number
    all: number
  }>([
    { $match: { _id: { $in: ids.map(id => new Types.ObjectId(id)) } } },
    {
      $group: {
        _id: { category: '$category', source_type: '$source_type' },
        n: { $sum: 1 },
        votes: { $sum: votesWhere(upTo(until)) },
        all: { $sum: { $size: '$votes' } },
      },
    },
  ])
  const counts: ResponseOf<typeof iodsInternal.countIods> = {
    categories: {},
    source_types: {},
    votes: 0,
    later: 0,
  }
  for (const { _id, n, votes, all } of groups) {
    const { category, source_type } = _id
    counts.categories[category] = (counts.categories[category] ?? 0) + n
    counts.source_types[source_type] = (counts.source_types[source_type] ?? 0) + n
    counts.votes += votes
    counts.later += all - votes
  }
  return counts
}

/**
 * Returns the watermark of votes, by the database's clock, and the IODs with votes after `since`: the number of votes
 * up to the watermark, and of later ones.
 */
export const votesSince = async (
  { mongo, iods }: Pick<IodModels, 'mongo' | 'iods'>,
  since: Date | null,
): Promise<ResponseOf<typeof iodsInternal.votesSince>> => {
  const until = new Date(Math.max(await voteWatermark(mongo), since?.getTime() ?? 0))
  const voted = since
    ? await iods.aggregate<{ _id: Types.ObjectId; votes: number; later: number }>([
        { $match: { 'votes.created_at': { $gt: since } } },
        { $limit: VOTED_MAX + 1 },
        { $project: { votes: votesWhere(after(since), upTo(until)), later: votesWhere(after(until)) } },
      ])
    : []
  return {
    until: until.toISOString(),
    iods: voted.slice(0, VOTED_MAX).map(({ _id, votes, later }) => ({ id: _id.toHexString(), votes, later })),
    complete: voted.length <= VOTED_MAX,
  }
}
