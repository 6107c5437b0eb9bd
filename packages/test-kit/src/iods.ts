// Imports no Node modules: tests of the web sections use this file too.
import type { Iod, Vote, VoteType } from '@iodine/contracts'

let made = 0
const nextId = () => (++made).toString(16).padStart(24, '0')

/** An IOD as the API returns it, with a unique id. */
export const anIod = (fields: Partial<Iod> = {}): Iod => ({
  id: nextId(),
  value: 'Giant mirrors heat the lake',
  category: 'SENTENCE',
  description: 'Seen under several posts',
  source_type: 'MANUAL',
  source: null,
  source_id: null,
  created_by: 'ann',
  created_by_id: nextId(),
  created_by_username: 'ann',
  created_at: '2026-11-20T10:00:00.000Z',
  votes: [],
  comments: [],
  ...fields,
})

/** A vote as the API returns it, with a unique id. */
export const aVote = (username: string | null, vote_type: VoteType): Vote => ({
  id: nextId(),
  user_id: nextId(),
  username,
  vote_type,
  created_at: '2026-11-19T08:30:00.000Z',
})
