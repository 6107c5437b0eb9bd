import { DETAILS, VOTE_TYPES, type VoteType } from '@iodine/contracts'
import { conflict, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type IodDoc, type IodModel, RAISED, votesOf } from '../../iods/models/iod.js'

const SMALLER_SIDE = { $min: VOTE_TYPES.map(votesOf) }

/** Numbers of votes of one type whose passing is an event. */
const NEWS_AT = [3, 10, 30]
/** Minimum votes for a change of the majority to be an event. */
const LEAD_MIN = 3

/** Expression: the type with more votes. A tie keeps the stored type. */
const LEAD = {
  $cond: [
    { $eq: [votesOf('POSITIVE'), votesOf('NEGATIVE')] },
    { $ifNull: ['$vote_lead', null] },
    { $cond: [{ $gt: [votesOf('POSITIVE'), votesOf('NEGATIVE')] }, 'POSITIVE', 'NEGATIVE'] },
  ],
}

/** Returns an expression: the number of votes, if a vote of this type is an event. Otherwise the stored number. */
const newsOf = (voteType: VoteType) => {
  const turns = {
    $and: [
      { $gte: ['$votes_total', LEAD_MIN] },
      { $ne: [{ $ifNull: ['$vote_lead', null] }, null] },
      { $ne: [LEAD, '$vote_lead'] },
    ],
  }
  const isNews = { $or: [{ $in: [votesOf(voteType), NEWS_AT] }, turns] }
  return { $cond: [isNews, '$votes_total', { $ifNull: ['$vote_news', '$$REMOVE'] }] }
}

/** Adds a vote in one conditional update: concurrent votes of a user count once. Throws 404, 409 for a second vote. */
export const voteIod = async (
  model: IodModel,
  userId: string,
  iodId: string,
  voteType: VoteType,
): Promise<IodDoc> => {
  const user_id = new Types.ObjectId(userId)
  // The database's time of the write: votes are counted by time (`countMembers`), so none may be stored late.
  const vote = { _id: new Types.ObjectId(), user_id, vote_type: voteType, created_at: '$$NOW' }
  const doc = await model
    .findOneAndUpdate(
      { _id: iodId, 'votes.user_id': { $ne: user_id } },
      [
        { $set: { votes: { $concatArrays: ['$votes', [vote]] }, revision: RAISED } },
        { $set: { votes_total: { $size: '$votes' }, votes_disputed: SMALLER_SIDE } },
        { $set: { vote_news: newsOf(voteType), vote_lead: LEAD } },
      ],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean<IodDoc>()
  if (doc) return doc
  throw (await model.exists({ _id: iodId })) ? conflict(DETAILS.alreadyVoted) : notFound()
}
