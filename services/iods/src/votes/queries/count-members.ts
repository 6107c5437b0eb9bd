import type { Category, iodsInternal, ResponseOf, SourceType } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { IodModel } from '../../iods/models/iod.js'

/** Counts IODs by kind, their votes and comments. Unknown ids are omitted. */
export const countMembers = async (
  model: IodModel,
  ids: readonly string[],
): Promise<ResponseOf<typeof iodsInternal.countIods>> => {
  const groups = await model.aggregate<{
    _id: { category: Category; source_type: SourceType }
    n: number
    votes: number
    comments: number
  }>([
    { $match: { _id: { $in: ids.map(id => new Types.ObjectId(id)) } } },
    {
      $group: {
        _id: { category: '$category', source_type: '$source_type' },
        n: { $sum: 1 },
        votes: { $sum: '$votes_total' },
        comments: { $sum: '$comment_count' },
      },
    },
  ])
  const counts: ResponseOf<typeof iodsInternal.countIods> = {
    categories: {},
    source_types: {},
    votes: 0,
    comments: 0,
  }
  for (const { _id, n, votes, comments } of groups) {
    const { category, source_type } = _id
    counts.categories[category] = (counts.categories[category] ?? 0) + n
    counts.source_types[source_type] = (counts.source_types[source_type] ?? 0) + n
    counts.votes += votes
    counts.comments += comments
  }
  return counts
}
