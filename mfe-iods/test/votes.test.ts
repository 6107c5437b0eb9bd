import { expect, test } from 'vitest'
import { ownVote, summarizeVotes, withVote } from '../src/model/votes'
import { iod, vote } from './fixtures'

test('counts votes by type, with the share of positive votes if there are any', () => {
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

test('finds the user’s vote by id or username', () => {
  const byAnn = { ...vote('ann', 'POSITIVE'), user_id: 'ann-id' }
  const nameless = vote(null, 'NEGATIVE')
  const votes = [byAnn, nameless]
  expect(ownVote({ votes }, { id: 'ann-id', username: 'renamed' })).toBe('POSITIVE')
  expect(ownVote({ votes }, { id: 'other', username: 'ann' })).toBe('POSITIVE')
  expect(ownVote({ votes }, { id: 'other', username: 'bob' })).toBeUndefined()
  expect(ownVote({ votes }, { id: 'other', username: null })).toBeUndefined()
  const nobodys = { ...vote(null, 'POSITIVE'), user_id: null }
  expect(ownVote({ votes: [nobodys] }, { id: 'other', username: null })).toBeUndefined()
})

test('adds a vote without changing the original IOD', () => {
  const before = iod('x')
  const after = withVote(before, { id: 'me', username: null }, 'NEGATIVE')
  expect(before.votes).toEqual([])
  expect(summarizeVotes(after).negative).toHaveLength(1)
  expect(ownVote(after, { id: 'me', username: null })).toBe('NEGATIVE')
})
