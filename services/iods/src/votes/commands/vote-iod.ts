import { DETAILS, VOTE_TYPES, type VoteType } from '@iodine/contracts'
import { conflict, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type IodDoc, type IodModel, RAISED, votesOf } from '../../iods/models/iod.js'

const SMALLER_SIDE = { $min: VOTE_TYPES.map(votesOf) }

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
      ],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean<IodDoc>()
  if (doc) return doc
  throw (await model.exists({ _id: iodId })) ? conflict(DETAILS.alreadyVoted) : notFound()
}
