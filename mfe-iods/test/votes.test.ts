import { expect, test } from 'vitest'
import { hasVoted, summarizeVotes, withVote } from '../src/model/votes'
import { iod, vote } from './fixtures'

test('votes are counted by kind, and their proportion is known where there are any', () => {
  const votes = [
    vote('ann', 'POSITIVE'),
    vote('bob', 'NEGATIVE'),
    vote('cy', 'POSITIVE'),
    vote(null, 'POSITIVE'),
  ]
  const { positive, negative, positiveShare } = summarizeVotes({ votes })
  expect([positive.length, negative.length, positiveShare]).toEqual([3, 1, 0.75])
  expect(summarizeVotes({ votes: [] }).positiveShare).toBeNull()
})

test('a user has voted when a vote has their id or their username', () => {
  const byAnn = { ...vote('ann', 'POSITIVE'), user_id: 'ann-id' }
  const nameless = vote(null, 'NEGATIVE')
  const votes = [byAnn, nameless]
  expect(hasVoted({ votes }, { id: 'ann-id', username: 'renamed' })).toBe(true)
  expect(hasVoted({ votes }, { id: 'other', username: 'ann' })).toBe(true)
  expect(hasVoted({ votes }, { id: 'other', username: 'bob' })).toBe(false)
  expect(hasVoted({ votes }, { id: 'other', username: null })).toBe(false)
  const nobodys = { ...vote(null, 'POSITIVE'), user_id: null }
  expect(hasVoted({ votes: [nobodys] }, { id: 'other', username: null })).toBe(false)
})

test('a vote is added without touching the IOD it is added to', () => {
  const before = iod('x')
  const after = withVote(before, { id: 'me', username: null }, 'NEGATIVE')
  expect(before.votes).toEqual([])
  expect(summarizeVotes(after).negative).toHaveLength(1)
  expect(hasVoted(after, { id: 'me', username: null })).toBe(true)
})
