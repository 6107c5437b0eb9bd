import type { Iod, Profile, VoteType } from '@iodine/contracts'

/** Groups the votes by type. `positiveShare` is the share of positive votes, 0 to 1; null without votes. */
export function summarizeVotes({ votes }: Pick<Iod, 'votes'>) {
  const positive = votes.filter(vote => vote.vote_type === 'POSITIVE')
  const negative = votes.filter(vote => vote.vote_type === 'NEGATIVE')
  return { positive, negative, positiveShare: votes.length ? positive.length / votes.length : null }
}

type Voter = Pick<Profile, 'id' | 'username'>

/** Returns the user's vote, found by id or username; undefined if the user has not voted. */
export const ownVote = ({ votes }: Pick<Iod, 'votes'>, user: Voter): VoteType | undefined =>
  votes.find(vote => vote.user_id === user.id || (user.username !== null && vote.username === user.username))
    ?.vote_type

const PENDING_ID = '0'.repeat(24)

/** Returns the IOD with the user's vote added, displayed until the server responds. */
export const withVote = (iod: Iod, user: Voter, vote_type: VoteType, now = new Date()): Iod => ({
  ...iod,
  votes: [
    ...iod.votes,
    { id: PENDING_ID, user_id: user.id, username: user.username, vote_type, created_at: now.toISOString() },
  ],
})
