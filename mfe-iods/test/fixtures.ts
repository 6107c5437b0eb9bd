import type { Iod, Vote, VoteType } from '@iodine/contracts'

let made = 0
const id = () => (++made).toString(16).padStart(24, '0')

export const iod = (value: string, fields: Partial<Iod> = {}): Iod => ({
  id: id(),
  value,
  category: 'SENTENCE',
  description: 'Seen under several posts',
  source_type: 'MANUAL',
  source: null,
  source_id: null,
  created_by: 'ann',
  created_by_id: id(),
  created_by_username: 'ann',
  created_at: '2026-11-20T10:00:00.000Z',
  votes: [],
  comments: [],
  ...fields,
})

export const vote = (username: string | null, vote_type: VoteType): Vote => ({
  id: id(),
  user_id: id(),
  username,
  vote_type,
  created_at: '2026-11-19T08:30:00.000Z',
})
